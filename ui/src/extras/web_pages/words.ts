import type en from "@extras/web_pages/texts/en.json";
import { textsOf } from "../../texts";

export const t = textsOf<keyof typeof en>();

import type en from "@extras/skins/texts/en.json";
import { textsOf } from "../../texts";

export const t = textsOf<keyof typeof en>();

import type en from "@extras/reading_aloud/texts/en.json";
import { textsOf } from "../../texts";

export const t = textsOf<keyof typeof en>();

import type en from "@extras/imports/texts/en.json";
import { type Key as CoreKey, textsOf } from "../../texts";

export type Key = keyof typeof en | CoreKey;

export const t = textsOf<keyof typeof en>();

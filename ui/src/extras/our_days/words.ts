import type en from "@extras/our_days/texts/en.json";
import { textsOf } from "../../texts";

export const t = textsOf<keyof typeof en>();

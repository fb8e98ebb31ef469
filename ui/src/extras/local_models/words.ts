import type en from "@extras/local_models/texts/en.json";
import { textsOf } from "../../texts";

export const t = textsOf<keyof typeof en>();

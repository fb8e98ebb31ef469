import type en from "@extras/several_pets/texts/en.json";
import { textsOf } from "../../texts";

export const t = textsOf<keyof typeof en>();

import type en from "@extras/agents/texts/en.json";
import { textsOf } from "../../texts";

type Key = keyof typeof en;

export const t = textsOf<Key>();

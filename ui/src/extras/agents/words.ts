import type en from "@extras/agents/texts/en.json";
import { textsOf } from "../../texts";

type Key = keyof typeof en;

export const t = textsOf<Key>();

export function tn(one: Key, many: Key, count: number): string {
  return t(count === 1 ? one : many, { count });
}

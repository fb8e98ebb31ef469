import type en from "@extras/imports/texts/en.json";
import { type Args, type Key as CoreKey, textsOf } from "../../texts";

export type Key = keyof typeof en | CoreKey;

export const t = textsOf<keyof typeof en>();

export function tn(one: Key, many: Key, count: number, args: Args = {}): string {
  return t(count === 1 ? one : many, { count, ...args });
}

/** The extras whose folders are there, each by the `makeExtra` of its `index.tsx`. */
import type { MakeExtra } from "../state/extra";

const found = import.meta.glob<MakeExtra>("./*/index.tsx", { eager: true, import: "makeExtra" });

export const EXTRAS: readonly MakeExtra[] = Object.values(found);

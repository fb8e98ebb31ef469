/** A pet, and another whose name is markup. */
import type { FakeCore } from "./core";

export const HOSTILE = "<b onclick=x>Mochi</b>";

export function family(core: FakeCore): void {
  core.memory.pets = [
    { id: "bun", name: "Mochi", current: true, beside: false, conversations: 1, changed_at: "" },
    { id: "pip", name: HOSTILE, current: false, beside: false, conversations: 3, changed_at: "2026-11-20T08:00:00Z" },
  ];
}

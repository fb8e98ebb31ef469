/** A skin shows what it can: one act after the other, for the chooser. Nothing moves before `parade` or after its end. */
import type { SkinSheet } from "../bindings";
import { drawn, sheetOf } from "./renderer";
import { type Act, Player } from "./timeline";

const ACTS: readonly Act[] = ["wave", "happy", "thinking", "talking", "waiting", "surprised", "sad", "asleep"];
const EACH_MS = 1600;

/** `sheet` null: the drawn character. Returns what ends it. */
export function parade(root: HTMLElement, sheet: SkinSheet | null, still: boolean): () => void {
  const worn = sheet ? sheetOf(root, sheet, () => undefined) : drawn(root);
  const player = new Player({ show: worn.show, look: () => false }, worn.timing);
  player.hold(still);
  let timer: ReturnType<typeof setTimeout> | undefined;

  function next(index: number): void {
    player.react(ACTS[index % ACTS.length] ?? "idle");
    timer = setTimeout(() => next(index + 1), EACH_MS);
  }

  next(0);
  return () => {
    clearTimeout(timer);
    player.stop();
  };
}

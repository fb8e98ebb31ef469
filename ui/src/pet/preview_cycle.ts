/** A skin shows what it can: one act after the other, for the chooser. Nothing moves before `parade` or after its end. */
import type { SkinSheet } from "../bindings";
import { drawn, sheetOf } from "./drawing/renderer";
import { type Act, Player, type Stage } from "./timeline";

const ACTS: readonly Act[] = ["wave", "happy", "thinking", "talking", "waiting", "surprised", "sad", "asleep"];
const EACH_MS = 1600;

/** One of our own bodies does one thing, and then what it does at rest. Returns what ends it. */
export function perform(root: HTMLElement, body: string, act: Act, still: boolean): () => void {
  const worn = drawn(root, body);
  const player = new Player(worn, worn.timing);
  player.hold(still);
  player.react(act);
  return () => player.stop();
}

/** `skin`: a sheet, or the id of one of our own bodies. Returns what ends it. */
export function parade(root: HTMLElement, skin: SkinSheet | string, still: boolean): () => void {
  const worn = typeof skin === "string" ? drawn(root, skin) : sheetOf(root, skin, () => undefined);
  const show: Stage["show"] = (act, frame, wear) => {
    root.dataset["act"] = act;
    worn.show(act, frame, wear);
  };
  const player = new Player({ show, look: () => false }, worn.timing);
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

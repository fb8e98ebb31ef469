/**
 * A skin in the Codex pet format, and a player over a stage that records what it shows, with fixed random numbers.
 */
import type { SkinSheet } from "../../bindings";
import { ownTiming } from "../../pet/bodies";
import type { Wear } from "../../pet/creature";
import { type Act, Player, type PlayerOptions, type Stage } from "../../pet/timeline";

export const animation = (name: string, frames: number[], milliseconds = frames.map(() => 120)) => ({
  name,
  frames,
  milliseconds,
});

export const SHEET: SkinSheet = {
  skin: "cat",
  stamp: "1",
  image: "data:image/png;base64,",
  frame_width: 192,
  frame_height: 208,
  columns: 8,
  animations: [
    animation("idle", [0, 1, 2]),
    animation("jumping", [32, 33]),
    animation("failed", [40, 41]),
    animation("running", [56, 57]),
    animation("running-left", [16]),
  ],
  looks: [],
  pixelated: false,
};

interface Shown {
  act: Act;
  frame: number;
  wear: Wear;
}

/** Return the same sequence of numbers from 0 to 1 every time. */
export function dice(seed = 7): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

export function player(timing = ownTiming, options: PlayerOptions = {}) {
  const shown: Shown[] = [];
  const glances: number[] = [];
  const stage: Stage = {
    show: (act, frame, wear) => void shown.push({ act, frame, wear }),
    look: (direction) => {
      glances.push(direction);
      return true;
    },
  };
  const around = { random: dice(), hour: () => 14 };
  return { player: new Player(stage, timing, { around, ...options }), shown, glances };
}

export const acts = (shown: Shown[]) => new Set(shown.map(({ act }) => act));

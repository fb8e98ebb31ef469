/** A player over a stage that only notes what it is asked to show, with the same dice in every run. */
import { ownTiming } from "../../pet/bodies";
import type { Wear } from "../../pet/creature";
import { type Act, Player, type PlayerOptions, type Stage } from "../../pet/timeline";

export interface Shown {
  act: Act;
  frame: number;
  wear: Wear;
}

/** Always the same sequence of numbers from 0 to 1. */
export function dice(seed = 7): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

export function player(timing = ownTiming, options: PlayerOptions = {}) {
  const shown: Shown[] = [];
  const looked: number[] = [];
  const stage: Stage = {
    show: (act, frame, wear) => void shown.push({ act, frame, wear }),
    look: (direction) => {
      looked.push(direction);
      return true;
    },
  };
  const around = { random: dice(), hour: () => 14 };
  return { player: new Player(stage, timing, { around, ...options }), shown, looked };
}

export const acts = (shown: Shown[]) => new Set(shown.map(({ act }) => act));

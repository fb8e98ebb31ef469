/**
 * The range of turns to draw in a long conversation. Turns outside it keep their measured or estimated height. Pure
 * arithmetic; the list itself is in messages.tsx.
 */
import type { Turn } from "./conversation";

export interface Range {
  from: number;
  /** exclusive */
  to: number;
}

/** CSS pixels drawn above and below what is in sight, */
const SPARE = 1200;
/** redrawn when less than this is left, */
const LEAST = 500;
/** or when this much has accumulated. */
const MOST = 4 * SPARE;
const LINE = 25;
/** Measured heights of dropped turns are forgotten beyond this number. */
const DROPPED = 500;

export class Heights {
  readonly #known = new Map<string, number>();
  #turns: readonly Turn[] = [];
  #offsets = new Float64Array(1);
  #stale = true;

  set(turn: string, height: number): void {
    if (this.#known.get(turn) === height) return;
    this.#known.set(turn, height);
    this.#stale = true;
  }

  /** Return the top of the turn at `index`; for `turns.length`, the bottom of the list. */
  offset(turns: readonly Turn[], index: number): number {
    this.#measure(turns);
    return this.#offsets[Math.min(index, turns.length)] ?? 0;
  }

  /** Return the range to draw while `top` to `top + height` is in sight. */
  around(turns: readonly Turn[], top: number, height: number, spare = SPARE): Range {
    this.#measure(turns);
    const from = this.#at(top - spare);
    return { from, to: Math.min(turns.length, this.#at(top + height + spare) + 1) };
  }

  /** Whether `range` still covers what is in sight, without excess. */
  fits(turns: readonly Turn[], range: Range, top: number, height: number): boolean {
    const least = this.around(turns, top, height, LEAST);
    const most = this.around(turns, top, height, MOST);
    return (
      range.from <= least.from &&
      range.to >= least.to &&
      range.from >= most.from &&
      range.to <= Math.min(most.to, turns.length)
    );
  }

  #measure(turns: readonly Turn[]): void {
    if (!this.#stale && this.#turns === turns) return;
    if (this.#known.size > turns.length + DROPPED) this.#forgetDropped(turns);
    const offsets = new Float64Array(turns.length + 1);
    for (const [index, turn] of turns.entries()) {
      offsets[index + 1] = (offsets[index] ?? 0) + (this.#known.get(turn.turn) ?? guess(turn));
    }
    this.#offsets = offsets;
    this.#turns = turns;
    this.#stale = false;
  }

  #forgetDropped(turns: readonly Turn[]): void {
    const heights = turns.map(({ turn }) => [turn, this.#known.get(turn)] as const);
    this.#known.clear();
    for (const [turn, height] of heights) if (height !== undefined) this.#known.set(turn, height);
  }

  /** Return the number of turns whose height is kept. */
  get size(): number {
    return this.#known.size;
  }

  /** Return the index of the last turn that begins at or above `y`. */
  #at(y: number): number {
    let low = 0;
    let high = Math.max(0, this.#turns.length - 1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#offsets[middle] ?? 0) <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function guess(turn: Turn): number {
  const characters = turn.rounds.reduce((sum, round) => sum + round.text.length, 0);
  return 130 + LINE * (Math.ceil(turn.text.length / 60) + Math.ceil(characters / 60)) + 34 * turn.tools.length;
}

/** How the pet answers a poke: never twice the same in a row, and the tenth of a row is a joke. */
import type { Act } from "./acts";

const ANSWERS: readonly Act[] = ["poked", "giggle", "shy", "leap", "huff", "sneeze"];
const JOKE: Act = "faint";
const JOKE_AT = 10;
/** Pokes with longer pauses are no row. On the monotonic clock. */
const ROW_MS = 5000;

export class Pokes {
  #count = 0;
  #at = Number.NEGATIVE_INFINITY;
  #last: Act | null = null;

  answer(now: number, random: () => number, has: (act: Act) => boolean): Act {
    this.#count = now - this.#at <= ROW_MS ? this.#count + 1 : 1;
    this.#at = now;
    if (this.#count === JOKE_AT && has(JOKE)) {
      this.#count = 0;
      this.#last = JOKE;
      return JOKE;
    }
    const open = ANSWERS.filter((act) => act !== this.#last && has(act));
    this.#last = open[Math.floor(random() * open.length)] ?? "poked";
    return this.#last;
  }
}

/** The window moves by itself: after a throw, and on the way to a corner. Steps by timer; the shell keeps it on screen. */

export interface Vector {
  x: number;
  y: number;
}

export type Trail = readonly (Vector & { at: number })[];

/** Slower than this, in pixels a millisecond, the pet is set down rather than thrown. */
const THROWN = 0.55;
const FASTEST = 2.2;
/** A hand that pauses before it lets go does not throw. */
const LET_GO_MS = 60;
/** What a hand did longer ago says nothing about how it lets go. */
const SWING_MS = 200;
const STEP_MS = 32;
const FRICTION = 0.86;
const ENDS = 0.03;
/** Pixels a millisecond on foot, and the longest time a way may take. */
const WALKS = 0.45;
const LONGEST_MS = 1800;

/** The speed at which a hand let go, in pixels a millisecond; null if that is no throw. */
export function speedOf(trail: Trail, now: number): Vector | null {
  const last = trail.at(-1);
  const first = trail.find((each) => last && last.at - each.at <= SWING_MS);
  if (!first || !last || last.at <= first.at || now - last.at > LET_GO_MS) return null;
  const time = last.at - first.at;
  const [x, y] = [(last.x - first.x) / time, (last.y - first.y) / time];
  const speed = Math.hypot(x, y);
  if (speed < THROWN) return null;
  const most = Math.min(1, FASTEST / speed);
  return { x: x * most, y: y * most };
}

export class Slide {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #at: Vector = { x: 0, y: 0 };
  readonly #move: (dx: number, dy: number, done: boolean) => Promise<unknown>;

  /** `move`: from where the pet was when the move began. */
  constructor(move: (dx: number, dy: number, done: boolean) => Promise<unknown>) {
    this.#move = move;
  }

  get moving(): boolean {
    return this.#timer !== undefined;
  }

  /** Goes on from `from` with `speed`, slower and slower. */
  throw(from: Vector, speed: Vector, ended: () => void): void {
    this.stop();
    let { x: vx, y: vy } = speed;
    this.#at = from;
    this.#next(() => {
      this.#at = { x: this.#at.x + vx * STEP_MS, y: this.#at.y + vy * STEP_MS };
      vx *= FRICTION;
      vy *= FRICTION;
      return Math.hypot(vx, vy) < ENDS;
    }, ended);
  }

  /** To a place, with even steps. */
  walk(dx: number, dy: number, ended: () => void): void {
    this.stop();
    const time = Math.min(LONGEST_MS, Math.hypot(dx, dy) / WALKS);
    const steps = Math.max(1, Math.round(time / STEP_MS));
    let step = 0;
    this.#at = { x: 0, y: 0 };
    this.#next(() => {
      step += 1;
      const part = step / steps;
      const eased = part * part * (3 - 2 * part);
      this.#at = { x: dx * eased, y: dy * eased };
      return step >= steps;
    }, ended);
  }

  /** Ends where it is. */
  stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#move(this.#at.x, this.#at.y, true);
  }

  #next(advance: () => boolean, ended: () => void): void {
    this.#timer = setTimeout(() => {
      const last = advance();
      const sent = this.#move(this.#at.x, this.#at.y, last);
      if (last) {
        this.#timer = undefined;
        ended();
        return;
      }
      const timer = this.#timer;
      const go = () => {
        if (this.#timer === timer) this.#next(advance, ended); // else it was stopped meanwhile
      };
      sent.then(go, go);
    }, STEP_MS);
  }
}

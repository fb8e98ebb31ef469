/** The pointer on the pet's page: drags and clicks, gaze direction, hovering, and the slide after a throw. */

/** Pixels; a smaller move is a click. */
export const THRESHOLD = 8;

interface Press {
  start(x: number, y: number): void;
  /** Whether this is a drag by now. */
  move(x: number, y: number): boolean;
  /**
   * End the press. Returns whether it was a drag, after which the click does not count. `rests`: the pet stays where
   * it was dropped.
   */
  end(x: number, y: number, rests?: boolean): boolean;
}

/** Track a drag. `send` gets one move at a time, the newest, once the one before is done. */
export function trackPress(send: (dx: number, dy: number, done: boolean) => Promise<unknown>): Press {
  let from: { x: number; y: number } | null = null;
  let dragging = false;
  let busy = false;
  let waiting: [number, number, boolean] | null = null;

  function post(dx: number, dy: number, done: boolean): void {
    if (busy) {
      waiting = [dx, dy, done];
      return;
    }
    busy = true;
    const settle = () => {
      busy = false;
      const next = waiting;
      waiting = null;
      if (next) post(...next);
    };
    send(dx, dy, done).then(settle, settle);
  }

  return {
    start(x, y) {
      from = { x, y };
      dragging = false;
    },
    move(x, y) {
      if (!from) return false;
      const [dx, dy] = [x - from.x, y - from.y];
      dragging ||= Math.hypot(dx, dy) >= THRESHOLD;
      if (dragging) post(dx, dy, false);
      return dragging;
    },
    end(x, y, rests = true) {
      if (!from) return false;
      const [dx, dy] = [x - from.x, y - from.y];
      from = null;
      if (dragging && rests) post(dx, dy, true);
      else waiting = null;
      return dragging;
    },
  };
}

/** The face's centre from the top, and the radius around it without direction, as shares of the picture's height. */
export const FACE = 0.58;
export const DEAD_ZONE = 0.16;
/** Milliseconds after which a resting pointer is no longer followed, so that idle life goes on. */
const RESTS_AFTER = 1500;

/** Return the direction, 0 to 15 clockwise from up; null near the face. */
export function directionOf(dx: number, dy: number, dead: number): number | null {
  if (Math.hypot(dx, dy) < dead) return null;
  return (Math.round((Math.atan2(dx, -dy) * 8) / Math.PI) + 16) % 16;
}

export function watchPointer(root: HTMLElement, look: (direction: number | null) => void): void {
  let rests: ReturnType<typeof setTimeout> | undefined;
  const ahead = () => {
    clearTimeout(rests);
    look(null);
  };
  root.addEventListener("pointermove", (event) => {
    if (event.buttons) return;
    const { left, top, width, height } = root.getBoundingClientRect();
    look(directionOf(event.clientX - left - width / 2, event.clientY - top - height * FACE, height * DEAD_ZONE));
    clearTimeout(rests);
    rests = setTimeout(ahead, RESTS_AFTER);
  });
  root.addEventListener("pointerleave", ahead);
  root.addEventListener("pointerdown", ahead);
}

/** Milliseconds after which a pointer on the pet may be about to open the chat. */
export const ARRIVED_MS = 80;

/** Call `react` once the pointer rests on the pet, each time it comes. */
export function watchArrival(root: HTMLElement, react: () => void): void {
  let resting: ReturnType<typeof setTimeout> | undefined;
  root.addEventListener("pointerenter", () => {
    clearTimeout(resting);
    resting = setTimeout(react, ARRIVED_MS);
  });
  root.addEventListener("pointerleave", () => clearTimeout(resting));
}

/** Milliseconds before fading: a pointer that only crosses does not fade the pet. */
export const REST_MS = 450;

interface Hover {
  /** whether the owner enabled it */
  allow(on: boolean): void;
}

/** Call `fade` on enter and leave. After a press the pet stays as it is until the pointer comes again. */
export function watchHover(root: HTMLElement, fade: (faded: boolean) => void): Hover {
  let allowed = false;
  let faded = false;
  let resting: ReturnType<typeof setTimeout> | undefined;

  function set(next: boolean): void {
    clearTimeout(resting);
    if (next === faded) return;
    faded = next;
    fade(faded);
  }

  root.addEventListener("pointerenter", (event) => {
    if (!allowed || event.pointerType !== "mouse" || event.buttons !== 0) return;
    clearTimeout(resting);
    resting = setTimeout(() => set(true), REST_MS);
  });
  root.addEventListener("pointerdown", () => set(false));
  root.addEventListener("pointerleave", () => set(false));
  document.addEventListener("visibilitychange", () => set(false));

  return {
    allow(on) {
      allowed = on;
      if (!on) set(false);
    },
  };
}

interface Vector {
  x: number;
  y: number;
}

export type Trail = readonly (Vector & { at: number })[];

/** Pixels per millisecond below which the pet is set down, not thrown. */
const THROWN = 0.55;
const FASTEST = 2.2;
/** Milliseconds of a pause before the release after which there is no throw. */
const LET_GO_MS = 60;
/** Milliseconds of the trail that count for the release. */
const SWING_MS = 200;
const STEP_MS = 32;
const FRICTION = 0.86;
const ENDS = 0.03;
/** Pixels per millisecond on foot, and the longest duration. */
const WALKS = 0.45;
const LONGEST_MS = 1800;

/** Pixels per square millisecond: a fall over a whole screen takes under a second. */
const GRAVITY = 0.0032;

/** Return the release speed in pixels per millisecond; null if it is no throw. */
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

  /** `move`: gets the offset from the start of the slide. */
  constructor(move: (dx: number, dy: number, done: boolean) => Promise<unknown>) {
    this.#move = move;
  }

  get moving(): boolean {
    return this.#timer !== undefined;
  }

  /** Slide from `from` with `speed`, decelerating. */
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

  /** Walk to a place, with even steps. `step`: called before each with the offsets from the start before and after it. */
  walk(dx: number, dy: number, ended: () => void, step?: (from: number, to: number) => void): void {
    this.stop();
    const time = Math.min(LONGEST_MS, Math.hypot(dx, dy) / WALKS);
    const steps = Math.max(1, Math.round(time / STEP_MS));
    let count = 0;
    this.#at = { x: 0, y: 0 };
    this.#next(() => {
      count += 1;
      const part = count / steps;
      const eased = part * part * (3 - 2 * part);
      step?.(this.#at.x, dx * eased);
      this.#at = { x: dx * eased, y: dy * eased };
      return count >= steps;
    }, ended);
  }

  /** Fall straight down, faster and faster. */
  fall(dy: number, ended: () => void): void {
    this.stop();
    const time = Math.sqrt((2 * Math.abs(dy)) / GRAVITY);
    const steps = Math.max(1, Math.round(time / STEP_MS));
    let step = 0;
    this.#at = { x: 0, y: 0 };
    this.#next(() => {
      step += 1;
      this.#at = { x: 0, y: dy * (step / steps) ** 2 };
      return step >= steps;
    }, ended);
  }

  /** End where the pet is. */
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

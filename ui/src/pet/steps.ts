/**
 * When the pet moves: stepped frames by one timer, and only while there is something to see (PRODUCT §8.2).
 * After the last step no timer is left. With reduced motion there never is one.
 */
import type { Mood } from "../bindings";

export interface Step {
  /** frame to show, and whether the eyes are shut */
  frame: number;
  blink: boolean;
  /** until the next step */
  ms: number;
}

const step = (frame: number, ms: number, blink = false): Step => ({ frame, ms, blink });
const repeat = (steps: Step[], times: number) => Array.from({ length: times }, () => steps).flat();

/** Breathing and three blinks, 30 seconds in all, then rest. */
const IDLE = repeat(
  [step(0, 1900), step(1, 1900), step(0, 1900), step(1, 1900), step(0, 1300), step(0, 150, true), step(0, 950)],
  3,
);
const HOP = [step(1, 110), step(2, 110), step(3, 150), step(2, 110), step(4, 140)];

/** `for ever`: as long as the mood lasts, which the core ends. */
const PLANS: Record<Mood, { steps: Step[]; forEver: boolean }> = {
  neutral: { steps: IDLE, forEver: false },
  happy: { steps: repeat(HOP, 3), forEver: false },
  sad: { steps: [step(0, 2500), step(0, 170, true)], forEver: false },
  surprised: { steps: repeat([step(1, 160), step(0, 160)], 2), forEver: false },
  thinking: { steps: [step(0, 420), step(1, 420), step(2, 840)], forEver: true },
  talking: { steps: [step(1, 160), step(0, 140), step(3, 180), step(2, 220)], forEver: true },
  waiting: { steps: repeat([step(1, 280), step(0, 280)], 6), forEver: false },
  asleep: { steps: [], forEver: false },
  error: { steps: repeat([step(1, 90), step(2, 90)], 3), forEver: false },
};

/** These pass by themselves, so that a lost event leaves no face frozen. */
const PASSING: ReadonlySet<Mood> = new Set(["happy", "sad", "surprised", "error"]);
const PASSES_AFTER = 30_000;

export interface Stage {
  show(mood: Mood, frame: number, blink: boolean): void;
}

export class Player {
  #mood: Mood = "neutral";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ends: ReturnType<typeof setTimeout> | undefined;
  #still = false;
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get mood(): Mood {
    return this.#mood;
  }

  /** Whether any timer runs. */
  get moving(): boolean {
    return this.#timer !== undefined;
  }

  play(mood: Mood): void {
    this.#mood = mood;
    clearTimeout(this.#ends);
    this.#ends = PASSING.has(mood) ? setTimeout(() => this.play("neutral"), PASSES_AFTER) : undefined;
    this.#run(0);
  }

  /** Hidden, or reduced motion: a still picture. */
  hold(still: boolean): void {
    if (still === this.#still) return;
    this.#still = still;
    this.#run(0);
  }

  #run(index: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { steps, forEver } = PLANS[this.#mood];
    const next = this.#still ? undefined : (steps[index] ?? (forEver ? steps[0] : undefined));
    if (!next) {
      this.#stage.show(this.#mood, 0, false);
      return;
    }
    this.#stage.show(this.#mood, next.frame, next.blink);
    this.#timer = setTimeout(() => this.#run(index >= steps.length ? 1 : index + 1), next.ms);
  }
}

/**
 * When the pet moves: stepped frames by one timer, and only while there is something to see.
 * After the last step no timer is left. With reduced motion there never is one but the end of a reaction.
 */
import type { Mood } from "../bindings";

/** What a skin can be asked to show. Those it has no pictures for, it shows by another (see sprite_map.ts). */
export type Act =
  | "idle"
  | "wave"
  | "happy"
  | "sad"
  | "surprised"
  | "thinking"
  | "talking"
  | "waiting"
  | "ready"
  | "asleep"
  | "failed"
  | "listening"
  | "remembered"
  | "given"
  | "poked"
  | "carried"
  | "carried-left"
  | "carried-right"
  | "dropped"
  | "off";

/** How long each frame of an act stays. Null: the skin has no such act. */
export type Timing = (act: Act) => readonly number[] | null;

export interface Stage {
  show(act: Act, frame: number): void;
  /** 0 to 15 clockwise from up. False: the skin has no such pictures. */
  look(direction: number): boolean;
}

const ACT_OF: Record<Mood, Act> = {
  neutral: "idle",
  happy: "happy",
  sad: "sad",
  surprised: "surprised",
  thinking: "thinking",
  talking: "talking",
  waiting: "waiting",
  asleep: "asleep",
  error: "failed",
  listening: "listening",
  remembered: "remembered",
  ready: "ready",
};

/** These pass by themselves, so that a lost event leaves no face frozen. */
const PASSING: ReadonlySet<Mood> = new Set(["happy", "sad", "surprised", "error"]);
const PASSES_AFTER = 30_000;

/** What is shown as long as it lasts, which the core or a hand ends. */
const LASTING: ReadonlySet<Act> = new Set(["thinking", "talking", "carried", "carried-left", "carried-right"]);
/** The others: this often, then rest on a frame that says what they are. */
const TIMES: Partial<Record<Act, number>> = {
  sad: 1,
  surprised: 1,
  wave: 2,
  dropped: 1,
  poked: 1,
  remembered: 1,
  given: 1,
};
const OFTEN = 3;
const REST_ON_LAST: ReadonlySet<Act> = new Set(["happy", "failed", "sad", "surprised", "ready", "listening"]);
/** Of a skin that was not drawn for resting faces: these give way to idle, as the format has it. */
const SETTLES: ReadonlySet<Act> = new Set(["happy", "failed", "sad", "surprised"]);

/** Idle at most one frame a second, and at rest after this. */
const REST_AFTER = 30_000;
const SLOWEST = 1000;
const BLINK_MS = 180;
const FASTEST = 40;

interface Step {
  frame: number;
  ms: number;
}

export class Player {
  #mood: Mood = "neutral";
  #reaction: Act | null = null;
  #looking: number | null = null;
  #off = false;
  #still = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ends: ReturnType<typeof setTimeout> | undefined;
  readonly #stage: Stage;
  #timing: Timing;
  #settles = false;

  constructor(stage: Stage, timing: Timing) {
    this.#stage = stage;
    this.#timing = timing;
  }

  get mood(): Mood {
    return this.#mood;
  }

  /** What is shown now. */
  get act(): Act {
    if (this.#reaction) return this.#reaction;
    const act = ACT_OF[this.#mood];
    return this.#off && (act === "idle" || act === "asleep") ? "off" : act;
  }

  /** Whether any frame will follow by itself. */
  get moving(): boolean {
    return this.#timer !== undefined;
  }

  /** Another skin: the same mood in its pictures. `settles`: its moods are gestures, after which it is idle. */
  wear(timing: Timing, settles: boolean): void {
    this.#timing = timing;
    this.#settles = settles;
    this.#begin();
  }

  /** What the core says the pet feels or does. `remembered` is an event, not a state. */
  play(mood: Mood): void {
    if (mood === "remembered") {
      this.react("remembered");
      return;
    }
    this.#mood = mood;
    clearTimeout(this.#ends);
    this.#ends = PASSING.has(mood) ? setTimeout(() => this.play("neutral"), PASSES_AFTER) : undefined;
    if (!this.#reaction) this.#begin();
  }

  /** Something that happens to the pet: shown once at once, then the mood again; null ends it. */
  react(act: Act | null): void {
    this.#reaction = act;
    this.#begin();
  }

  /** The brain is paused: the resting look is another. */
  pause(off: boolean): void {
    if (off === this.#off) return;
    this.#off = off;
    if (!this.#reaction) this.#begin();
  }

  /** Where the pointer is. Only a pet at rest looks; a pointer that rests lets it look ahead again. */
  look(direction: number | null): void {
    if (direction === this.#looking) return;
    this.#looking = direction;
    if (this.act === "idle" && !this.#still) this.#begin();
  }

  /** Hidden, or reduced motion: a still picture. */
  hold(still: boolean): void {
    if (still === this.#still) return;
    this.#still = still;
    this.#begin();
  }

  /** For good: no timer is left. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#ends);
    this.#timer = undefined;
  }

  #begin(): void {
    const act = this.act;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (act === "idle" && !this.#still && this.#looking !== null && this.#stage.look(this.#looking)) return;
    this.#run(act, this.#still ? [] : plan(act, this.#timing(act)), 0);
  }

  #run(act: Act, steps: Step[], index: number): void {
    const next = steps[index] ?? (LASTING.has(act) ? steps[0] : undefined);
    if (next) {
      this.#stage.show(act, next.frame);
      this.#timer = setTimeout(() => this.#run(act, steps, index >= steps.length ? 1 : index + 1), next.ms);
      return;
    }
    this.#timer = undefined;
    if (this.#reaction === act && !this.#still) {
      this.react(null);
      return;
    }
    if (this.#settles && SETTLES.has(act) && !this.#still) {
      this.#run("idle", plan("idle", this.#timing("idle")), 0);
      return;
    }
    this.#stage.show(act, resting(act, this.#timing(act) ?? [0], this.#still));
    // A still picture of what happened has to end too.
    if (this.#reaction === act && !LASTING.has(act)) this.#timer = setTimeout(() => this.react(null), SLOWEST * 1.5);
  }
}

/** The frame an act ends on: idle on its first, which is the resting pose. A still picture tells what it stands for. */
function resting(act: Act, timing: readonly number[], still: boolean): number {
  if (act === "idle" || act === "off") return 0;
  if (still && LASTING.has(act)) return Math.floor(timing.length / 2);
  return still || act === "asleep" || REST_ON_LAST.has(act) ? timing.length - 1 : 0;
}

/**
 * The steps of an act until it rests. Idle: calm breaths, a blink at the end of each, for half a minute. What has one
 * picture or none doesn't move at all.
 */
export function plan(act: Act, timing: readonly number[] | null): Step[] {
  const once = (timing ?? []).map((ms, frame) => ({ frame, ms: Math.max(ms, FASTEST) }));
  if (LASTING.has(act) && once.length < 2) return [];
  if (act === "idle" || act === "off" || act === "asleep") return calm(once);
  if (LASTING.has(act)) return once;
  return Array.from({ length: TIMES[act] ?? OFTEN }, () => once).flat();
}

/** No frame but a blink is shorter than a second. */
function calm(once: Step[]): Step[] {
  const slow = once.map(({ frame, ms }) => ({ frame, ms: ms <= BLINK_MS ? ms : Math.max(ms, SLOWEST) }));
  if (slow.length < 2) return [];
  const round = slow.reduce((sum, { ms }) => sum + ms, 0);
  return Array.from({ length: Math.max(1, Math.round(REST_AFTER / round)) }, () => slow).flat();
}

/**
 * The pet's idle life: breath, glances, twitches of a nap, and reactions to pokes (never the same twice in a row; the tenth is a
 * joke).
 */
import type { PetLife } from "../bindings";
import { type Act, once, type Step, type Timing, WAYS, type Way } from "./acts";

const ANSWERS: readonly Act[] = ["poked", "giggle", "shy", "leap", "huff", "sneeze"];
const JOKE: Act = "faint";
const JOKE_AT = 10;
/** Milliseconds between pokes of one row, on the monotonic clock. */
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

export interface Surroundings {
  /** 0 to 1 */
  random: () => number;
  /** 0 to 23, local time */
  hour: () => number;
}

const here: Surroundings = { random: Math.random, hour: () => new Date().getHours() };

/** Ranges in milliseconds, shortest and longest. */
const PAUSE = [2200, 4400] as const;
const BLINK_AFTER = [2000, 7000] as const;
const GLANCE_AFTER = [8000, 19_000] as const;
const GLANCE_HOLDS = [900, 2200] as const;
const FIDGET_AFTER = [12_000, 26_000] as const;
const TWITCH_AFTER = [22_000, 50_000] as const;
const STIR_AFTER = [180_000, 420_000] as const;
const LINGER = [4000, 8000] as const;
const AFTERGLOW = 180_000;
const LONG_WORK = 60_000;
/** Frames of a sheet's idle row shorter than this are blinks and keep their time. */
const SHORT = 180;
const SLOWEST = 1000;

/** What the life together brings, as the core says. */
export type Together = Pick<PetLife, "weather" | "ways">;

type Weights = Partial<Record<Act, number>>;
const FIDGETS: Weights = {
  flick: 5,
  sway: 4,
  shift: 4,
  wag: 3,
  hum: 2,
  scratch: 2,
  peek: 3,
  sniff: 2,
  hop: 1,
  stretch: 1,
  yawn: 0.3,
};
const GLAD: Weights = { wag: 6, hum: 6, hop: 3 };
const BLUE: Weights = { wag: 0.2, hum: 0, hop: 0, sway: 6 };

const NEAR: Weights = { ...BLUE, dance: 0, soap: 0, nod: 5, lean: 6 };
const OF_WAYS: Readonly<Record<Way, number>> = { nod: 4, lean: 3, dance: 2, treasure: 2, soap: 2 };

export type Glow = "glad" | "blue" | null;

export class Life {
  readonly #around: Surroundings;
  #blink: number;
  #glance: number;
  #fidget: number;
  #twitch: number;
  #stir: number;
  #quiet = 0;
  #work = 0;
  #glow: Glow = null;
  #glows = 0;
  #last: Act | null = null;
  #together: Together = { weather: "", ways: [] };

  constructor(around: Surroundings = here) {
    this.#around = around;
    this.#blink = this.#between(BLINK_AFTER);
    this.#glance = this.#between(GLANCE_AFTER);
    this.#fidget = this.#between(FIDGET_AFTER);
    this.#twitch = this.#between(TWITCH_AFTER);
    this.#stir = this.#between(STIR_AFTER);
  }

  /** Faces left behind by passing moods for a few minutes. */
  get glow(): Glow {
    return this.#glow;
  }

  set glow(glow: Glow) {
    this.#glow = glow;
    this.#glows = 0;
  }

  set together(together: Together) {
    this.#together = together;
  }

  /** Note an event: the pet gets drowsy only after a long quiet. */
  stirred(): void {
    this.#quiet = 0;
  }

  /** Return the next steps of an awake, idle pet; none for a skin with one picture and no looks. */
  awake(timing: Timing, looks: boolean): Step[] {
    const steps = timing("breath") ? this.#breath(timing) : this.#sheet(timing);
    if (steps.length === 0) return steps;
    if (this.#glance <= 0 && looks) {
      this.#glance = this.#between(GLANCE_AFTER);
      steps.push({ act: "idle", frame: 0, ms: this.#between(GLANCE_HOLDS), glance: true });
    }
    if (this.#fidget <= 0) {
      this.#fidget = this.#between(FIDGET_AFTER) * (this.#glow === "blue" ? 2 : 1);
      const fidget = this.#choose(timing);
      if (fidget) steps.push(...once(fidget, timing));
    }
    this.#spend(steps);
    return steps;
  }

  /** Return the next steps of a nap: breath, sometimes a twitch, rarely half an eye. */
  asleep(timing: Timing): Step[] {
    const steps = once("asleep", timing);
    if (steps.length < 2) return [];
    const due = steps.reduce((sum, { ms }) => sum + ms, 0);
    this.#twitch -= due;
    this.#stir -= due;
    if (this.#stir <= 0) {
      this.#stir = this.#between(STIR_AFTER);
      steps.push(...once("stir", timing));
    } else if (this.#twitch <= 0) {
      this.#twitch = this.#between(TWITCH_AFTER);
      steps.push(...once("twitch", timing));
    }
    return steps;
  }

  /** Return the steps of a lasting mood: its resting frame for a while, then its frames again. */
  lingering(act: Act, frame: number, timing: Timing): Step[] {
    const steps = once(act, timing);
    return steps.length < 2 ? [] : [{ act, frame, ms: this.#between(LINGER) }, ...steps];
  }

  /** Return the steps of a lasting act; long thinking shows effort now and then. */
  lasting(act: Act, timing: Timing): Step[] {
    const steps = once(act, timing);
    if (steps.length < 2) return [];
    if (act !== "thinking") return steps;
    const before = this.#work;
    for (const { ms } of steps) this.#work += ms;
    const due = Math.floor(this.#work / LONG_WORK) > Math.floor(before / LONG_WORK);
    return due ? [...steps, ...once("toil", timing)] : steps;
  }

  /** Whether the work that just ended was long enough for a stretch; restarts the count. */
  worked(): boolean {
    const long = this.#work >= LONG_WORK;
    this.#work = 0;
    return long;
  }

  get #late(): boolean {
    const hour = this.#around.hour();
    return hour >= 21 || hour < 6;
  }

  #breath(timing: Timing): Step[] {
    const [rest, ...breath] = once("breath", timing);
    if (!rest) return [];
    const pause = this.#between(PAUSE);
    const steps: Step[] = [];
    this.#blink -= pause + breath.reduce((sum, { ms }) => sum + ms, 0);
    if (this.#blink > 0) steps.push({ ...rest, ms: pause });
    else {
      this.#blink = this.#between(BLINK_AFTER);
      const blink = once("blink", timing);
      steps.push({ ...rest, ms: pause }, ...blink); // then the next breath: each frame costs
      if (this.#around.random() < 0.2) steps.push({ ...rest, ms: 160 }, ...blink);
    }
    if (this.#late && this.#quiet > 120_000 && this.#around.random() < 0.15) steps.push(...once("drowsy", timing));
    return [...steps, ...breath];
  }

  /** Return a sheet's own idle row, slowed, with varying pauses on its first frame. */
  #sheet(timing: Timing): Step[] {
    const frames = once("idle", timing);
    if (frames.length < 2) return [];
    const slow = frames.map((step) => ({ ...step, ms: step.ms <= SHORT ? step.ms : Math.max(step.ms, SLOWEST) }));
    return slow.map((step, at) => (at === 0 ? { ...step, ms: step.ms + this.#between(PAUSE) } : step));
  }

  #choose(timing: Timing): Act | null {
    const hour = this.#around.hour();
    const weights: Weights = { ...FIDGETS };
    const { weather, ways } = this.#together;
    for (const way of WAYS) if (ways.includes(way)) weights[way] = OF_WAYS[way];
    const glow = this.#glow ?? (weather === "bright" ? "glad" : null);
    Object.assign(weights, glow === "glad" ? GLAD : glow === "blue" ? BLUE : {});
    if (weather === "near")
      for (const act of Object.keys(NEAR) as Act[]) if (act in weights) weights[act] = NEAR[act] ?? 0;
    if (this.#late) Object.assign(weights, { yawn: 7, hop: 0, stretch: 2 });
    else if (hour < 10) Object.assign(weights, { stretch: 5, yawn: 2 });
    const open = Object.entries(weights).filter(([act]) => act !== this.#last && timing(act as Act));
    let left = this.#around.random() * open.reduce((sum, [, weight]) => sum + weight, 0);
    const choice = open.find(([, weight]) => {
      left -= weight;
      return left < 0;
    });
    this.#last = (choice?.[0] as Act | undefined) ?? null;
    return this.#last;
  }

  #spend(steps: Step[]): void {
    const spent = steps.reduce((sum, { ms }) => sum + ms, 0);
    this.#glance -= spent;
    this.#fidget -= spent;
    this.#quiet += spent;
    this.#glows += spent;
    if (this.#glow && this.#glows >= AFTERGLOW) this.#glow = null;
  }

  #between([least, most]: readonly [number, number]): number {
    return Math.round(least + (most - least) * this.#around.random());
  }
}

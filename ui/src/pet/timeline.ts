/**
 * The pet's player: stepped frames by one timer while the pet is visible. With reduced motion, or hidden, the only
 * timer is the end of a reaction.
 */

import type { Mood } from "../bindings";
import { ACT_OF, type Act, LASTING, performed, restingFrame, type Step, type Timing } from "./acts";
import type { Wear } from "./creature";
import { type Glow, Life, Pokes, type Surroundings, type Together } from "./life";

export type { Act, Timing } from "./acts";

export interface Stage {
  show(act: Act, frame: number, wear: Wear): void;
  /** 0 to 15 clockwise from up. False: the skin has no such pictures. */
  look(direction: number, wear: Wear): boolean;
}

export interface PlayerOptions {
  around?: Surroundings;
  /** Return the pointer's direction, 0 to 15 clockwise from up; null if unknown. Called at a glance only. */
  pointer?: () => Promise<number | null>;
}

/** Moods that pass by themselves, so that a lost event leaves no face frozen. They leave a glow behind. */
const PASSING: ReadonlyMap<Mood, Glow> = new Map([
  ["happy", "glad"],
  ["sad", "blue"],
  ["surprised", null],
  ["error", "blue"],
]);
const PASSES_AFTER = 30_000;
const GLOWS: Readonly<Record<NonNullable<Glow>, string>> = { glad: "curve", blue: "small" };
/** Acts that give way to idle in skins without resting faces, as their format says. */
const SETTLES: ReadonlySet<Act> = new Set(["happy", "failed", "sad", "surprised"]);
/** Long acts that the pet begins by itself; a mood ends them. */
const GIVES_WAY: ReadonlySet<Act> = new Set(["sit", "spy-left", "spy-right"]);
/** Milliseconds for which a still picture shows a reaction. */
const STILL_MS = 1500;

export class Player {
  #mood: Mood = "neutral";
  #reaction: Act | null = null;
  #looking: number | null = null;
  #follows = false;
  #state: Wear = {};
  #still = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ends: ReturnType<typeof setTimeout> | undefined;
  /** Id of the current run of steps, for late callbacks. */
  #run = 0;
  readonly #stage: Stage;
  readonly #life: Life;
  readonly #pokes = new Pokes();
  readonly #around: Surroundings | undefined;
  readonly #pointer: () => Promise<number | null>;
  #timing: Timing;
  #settles = false;

  constructor(stage: Stage, timing: Timing, options: PlayerOptions = {}) {
    this.#stage = stage;
    this.#timing = timing;
    this.#around = options.around;
    this.#life = new Life(options.around);
    this.#pointer = options.pointer ?? (() => Promise.resolve(null));
  }

  get mood(): Mood {
    return this.#mood;
  }

  /** The act shown now. */
  get act(): Act {
    return this.#reaction ?? (this.#follows ? "idle" : ACT_OF[this.#mood]);
  }

  /** Whether it is awake with nothing to do. */
  get idle(): boolean {
    return this.#mood === "neutral" && this.#reaction === null;
  }

  /** Whether any frame will follow by itself. */
  get moving(): boolean {
    return this.#timer !== undefined;
  }

  /** Change the skin, keeping the mood. `settles`: its moods are gestures, after which it is idle. */
  wear(timing: Timing, settles: boolean): void {
    this.#timing = timing;
    this.#settles = settles;
    this.#begin();
  }

  /** Set the mood the core reports. `remembered` is an event, not a state. */
  play(mood: Mood): void {
    if (mood === "remembered") {
      this.react("remembered");
      return;
    }
    const before = this.#mood;
    this.#mood = mood;
    clearTimeout(this.#ends);
    if (this.#reaction && GIVES_WAY.has(this.#reaction) && mood !== "neutral") this.#reaction = null;
    this.#ends = PASSING.has(mood) ? setTimeout(() => this.play("neutral"), PASSES_AFTER) : undefined;
    if (mood !== "asleep") this.#life.stirred();
    if (mood === "neutral" && PASSING.has(before)) this.#life.glow = PASSING.get(before) ?? null;
    else if (PASSING.has(mood)) this.#life.glow = null;
    if (this.#reaction) return;
    if (mood === "neutral" && before === "neutral" && this.moving) return; // its breath goes on
    if (mood === "asleep" && before !== "asleep" && this.#has("doze")) this.react("doze");
    else if ((mood === "neutral" || mood === "ready") && this.#life.worked() && this.#has("stretch"))
      this.react("stretch");
    else this.#begin();
  }

  /** Show a reaction once, at once, then the mood again; null ends it. */
  react(act: Act | null): void {
    this.#reaction = act;
    if (act !== "doze") this.#life.stirred();
    this.#begin();
  }

  /** React to a poke. */
  poke(now = performance.now()): void {
    if (this.#mood === "asleep") this.#mood = "neutral";
    const random = this.#around?.random ?? Math.random;
    this.react(this.#pokes.answer(now, random, (act) => this.#has(act) || act === "poked"));
  }

  /** End a nap, before the core does: the pointer came. Return whether there was one. */
  wake(): boolean {
    if (this.#mood !== "asleep" || (this.#reaction && this.#reaction !== "doze")) return false;
    this.play("neutral");
    if (this.#has("wake")) this.react("wake");
    else this.react(null);
    return true;
  }

  /** Set the state shown on every pose. */
  state(state: Wear): void {
    if (same(state, this.#state)) return;
    this.#state = state;
    if (!this.#reaction) this.#begin();
  }

  /** Set what the life together brings to its idle life. */
  live(together: Together): void {
    this.#life.together = together;
  }

  /** Set the pointer's direction. Only a pet at rest looks at it; a resting pointer lets it look ahead again. */
  look(direction: number | null): void {
    if (direction === this.#looking) return;
    this.#looking = direction;
    if (this.act === "idle" && !this.#still) this.#begin();
  }

  /** Look in a direction whatever the mood, such as at what called it; null ahead. `on` false: no longer. */
  follow(on: boolean, direction: number | null = null): void {
    if (on === this.#follows && direction === this.#looking) return;
    this.#follows = on;
    this.#looking = direction;
    if (!this.#reaction && !this.#still) this.#begin();
  }

  /** Stop animating (hidden, or reduced motion), or resume. */
  hold(still: boolean): void {
    if (still === this.#still) return;
    this.#still = still;
    this.#begin();
  }

  /** Stop for good: no timer is left. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#ends);
    this.#timer = undefined;
    this.#run++;
  }

  get #wears(): Wear {
    const glow = this.#life.glow;
    return glow ? { ...this.#state, mouth: GLOWS[glow] } : this.#state;
  }

  #has(act: Act): boolean {
    return this.#timing(act) !== null;
  }

  #begin(): void {
    const act = this.act;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#run++;
    if (this.#still) this.#rest(act);
    else if (act === "idle" && this.#looking !== null && this.#stage.look(this.#looking, this.#wears)) return;
    else this.#step(act, act === "idle" || act === "asleep" ? [] : performed(act, this.#timing), 0);
  }

  #step(act: Act, steps: Step[], index: number): void {
    const next = steps[index];
    if (!next) {
      this.#ended(act);
      return;
    }
    if (next.glance) this.#glance();
    else this.#stage.show(next.act, next.frame, this.#wears);
    this.#timer = setTimeout(() => this.#step(act, steps, index + 1), next.ms);
  }

  /** After the last step: repeat, or go on to the next act. */
  #ended(act: Act): void {
    this.#timer = undefined;
    if (this.#reaction === act && !LASTING.has(act)) {
      if (this.#timing(act)) this.react(null);
      else this.#rest(act);
      return;
    }
    const more = this.#more(act);
    if (more.length > 0) this.#step(act, more, 0);
    else this.#rest(act);
  }

  #more(act: Act): Step[] {
    if (act === "idle") return this.#life.awake(this.#timing, true);
    if (act === "asleep") return this.#life.asleep(this.#timing);
    if (LASTING.has(act)) return this.#life.lasting(act, this.#timing);
    if (this.#settles && SETTLES.has(act)) return this.#life.awake(this.#timing, false);
    return this.#life.lingering(act, restingFrame(act, this.#timing, false), this.#timing);
  }

  /** Show a still picture; a reaction only for a while. */
  #rest(act: Act): void {
    this.#stage.show(act, restingFrame(act, this.#timing, this.#still), this.#wears);
    if (this.#reaction === act && !LASTING.has(act)) this.#timer = setTimeout(() => this.react(null), STILL_MS);
  }

  /** Glance at the pointer if its direction is known, else anywhere. */
  #glance(): void {
    const run = this.#run;
    const anywhere = Math.floor((this.#around?.random ?? Math.random)() * 16);
    const at = (direction: number | null) => {
      if (run === this.#run) this.#stage.look(direction ?? anywhere, this.#wears);
    };
    this.#pointer().then(at, () => at(null));
  }
}

function same(one: Wear, other: Wear): boolean {
  return (["bud", "drowsy", "hush", "holds", "wears", "near", "leans"] as const).every(
    (each) => one[each] === other[each],
  );
}

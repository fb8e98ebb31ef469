/** Acts of the pet, and the acts for the core's moods. Data only. */
import type { Mood } from "../bindings";

/** Acts of every skin. One without pictures for an act shows another (see renderer.ts). */
export type CommonAct =
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
  | "dropped";

/** Acts that come with acquaintance: pet/memory/data/occasions.json says when. */
export const WAYS = ["nod", "lean", "dance", "treasure", "soap"] as const;
export type Way = (typeof WAYS)[number];

/** Acts that only our own bodies have; other skins skip them. */
export type OwnAct =
  | "breath"
  | "blink"
  | "drowsy"
  | "flick"
  | "sway"
  | "shift"
  | "wag"
  | "hum"
  | "scratch"
  | "peek"
  | "spy-left"
  | "spy-right"
  | "sit"
  | "sniff"
  | "hop"
  | "stretch"
  | "yawn"
  | "doze"
  | "twitch"
  | "stir"
  | "wake"
  | Way
  | "toil"
  | "giggle"
  | "shy"
  | "leap"
  | "huff"
  | "sneeze"
  | "faint"
  | "walk-left"
  | "walk-right"
  | "thrown-left"
  | "thrown-right"
  | "landed";

export type Act = CommonAct | OwnAct;

/** Milliseconds of each frame of an act; null: the skin lacks it. */
export type Timing = (act: Act) => readonly number[] | null;

/** A frame of an act for `ms` milliseconds. `glance`: a look at the pointer or anywhere instead. */
export interface Step {
  act: Act;
  frame: number;
  ms: number;
  glance?: boolean;
}

export const ACT_OF: Readonly<Record<Mood, Act>> = {
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

/** Acts shown until the core or a hand ends them. */
export const LASTING: ReadonlySet<Act> = new Set([
  "thinking",
  "talking",
  "listening",
  "carried",
  "carried-left",
  "carried-right",
  "walk-left",
  "walk-right",
  "thrown-left",
  "thrown-right",
]);

/** Repetitions of an act that ends; by default three. */
const TIMES: Partial<Record<Act, number>> = { sad: 1, surprised: 1, wave: 2, remembered: 1, given: 1, sit: 2 };
const MOOD_ACTS: ReadonlySet<Act> = new Set(Object.values(ACT_OF));

/** Acts that rest on their last frame; the others rest on their first. */
const REST_ON_LAST: ReadonlySet<Act> = new Set(["happy", "failed", "sad", "surprised", "ready", "asleep"]);

const FASTEST = 40;

/** Return all frames of an act once, or none if the skin lacks it. */
export function once(act: Act, timing: Timing): Step[] {
  return (timing(act) ?? []).map((ms, frame) => ({ act, frame, ms: Math.max(ms, FASTEST) }));
}

/** Return the frames of an act until it rests or repeats. */
export function performed(act: Act, timing: Timing): Step[] {
  const steps = once(act, timing);
  if (LASTING.has(act) || !MOOD_ACTS.has(act))
    return LASTING.has(act) && steps.length < 2 ? [] : repeat(steps, TIMES[act] ?? 1);
  return repeat(steps, TIMES[act] ?? 3);
}

/** Return the frame on which an act rests; for a still picture, its only one. */
export function restingFrame(act: Act, timing: Timing, still: boolean): number {
  const count = timing(act)?.length ?? 1;
  if (act === "idle") return 0;
  if (still && LASTING.has(act)) return Math.floor(count / 2);
  return still || REST_ON_LAST.has(act) ? count - 1 : 0;
}

function repeat(steps: Step[], times: number): Step[] {
  return Array.from({ length: times }, () => steps).flat();
}

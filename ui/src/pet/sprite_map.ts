/** Which animation of a Codex pet shows what: nine rows for our twenty acts. Pure. */
import type { SkinAnimation, SkinSheet } from "../bindings";
import type { Act, Timing } from "./timeline";

/** In order of liking; the first the skin has. The last resort is idle. */
const SHOWN_BY: Record<Act, readonly string[]> = {
  idle: ["idle"],
  wave: ["waving"],
  happy: ["happy", "jumping"],
  sad: ["sad", "failed"],
  surprised: ["surprised", "waving"],
  thinking: ["thinking", "running"],
  talking: ["talking", "running"],
  waiting: ["waiting"],
  ready: ["review", "waiting"],
  asleep: ["asleep"],
  failed: ["failed"],
  listening: ["listening", "review"],
  remembered: ["remembered", "jumping"],
  given: ["given", "jumping"],
  poked: ["poked", "jumping"],
  carried: ["carried", "dragged", "jumping"],
  "carried-left": ["running-left", "carried", "dragged"],
  "carried-right": ["running-right", "carried", "dragged"],
  dropped: ["dropped", "jumping"],
  off: ["off"],
};

function animationFor(sheet: SkinSheet, act: Act): SkinAnimation | null {
  for (const name of SHOWN_BY[act]) {
    const found = sheet.animations.find((animation) => animation.name === name);
    if (found) return found;
  }
  return null;
}

/** The cells of an act, in order. An act without pictures holds the first frame of idle. */
export function framesFor(sheet: SkinSheet, act: Act): readonly number[] {
  const own = animationFor(sheet, act);
  if (own) return own.frames;
  const idle = animationFor(sheet, "idle");
  return idle ? idle.frames.slice(0, 1) : [0];
}

export function sheetTiming(sheet: SkinSheet): Timing {
  return (act) => animationFor(sheet, act)?.milliseconds ?? null;
}

/** Which animation of a Codex pet shows what: nine rows for our acts. Pure. */
import type { SkinAnimation, SkinSheet } from "../../bindings";
import type { Act, CommonAct, OwnAct, Timing } from "../acts";

/** In order of liking; the first the skin has. The last resort is idle. */
const SHOWN_BY: Readonly<Record<CommonAct, readonly string[]>> = {
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
};

/** Acts of our own bodies that another skin can still show something for. */
const INSTEAD: Partial<Record<OwnAct, readonly string[]>> = {
  "walk-left": ["running-left"],
  "walk-right": ["running-right"],
  "thrown-left": ["running-left"],
  "thrown-right": ["running-right"],
  landed: ["dropped", "jumping"],
};

function animationFor(sheet: SkinSheet, act: Act): SkinAnimation | null {
  const names = act in SHOWN_BY ? SHOWN_BY[act as CommonAct] : (INSTEAD[act as OwnAct] ?? []);
  for (const name of names) {
    const found = sheet.animations.find((animation) => animation.name === name);
    if (found) return found;
  }
  return null;
}

/** The cells of an act, in order. An act without pictures holds the first frame of idle. `bud`: with memory off a
 * skin that has an `off` animation rests in that. */
export function framesFor(sheet: SkinSheet, act: Act, bud = false): readonly number[] {
  const off = bud && act === "idle" ? sheet.animations.find((animation) => animation.name === "off") : undefined;
  const own = off ?? animationFor(sheet, act);
  if (own) return own.frames;
  const idle = animationFor(sheet, "idle");
  return idle ? idle.frames.slice(0, 1) : [0];
}

export function sheetTiming(sheet: SkinSheet): Timing {
  return (act) => animationFor(sheet, act)?.milliseconds ?? null;
}

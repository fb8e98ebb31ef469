/** The shipped bodies: their drawings, assembled once on demand. */
import biscuit from "@assets/bodies/biscuit.svg?raw";
import poses from "@assets/bodies/frames.json";
import inkwell from "@assets/bodies/inkwell.svg?raw";
import moss from "@assets/bodies/moss.svg?raw";
import parts from "@assets/bodies/parts.svg?raw";
import soulpet from "@assets/bodies/soulpet.svg?raw";
import vesper from "@assets/bodies/vesper.svg?raw";
import type { Act } from "./acts";
import { assemble, besides, type Pose, type Wear } from "./creature";

const SOURCES: Readonly<Record<string, string>> = { soulpet, biscuit, inkwell, vesper, moss };
const POSES = poses as unknown as Readonly<Record<string, readonly Pose[]>>;

/** Mirrored acts are not drawn twice; a body breathes in idle. */
const DRAWN_AS: Partial<Record<Act, string>> = {
  "carried-left": "carried-right",
  "walk-right": "walk",
  "walk-left": "walk",
  "spy-right": "spy",
  "spy-left": "spy",
  "thrown-right": "thrown",
  "thrown-left": "thrown",
};
const MIRRORED: ReadonlySet<Act> = new Set(["carried-left", "walk-left", "thrown-left", "spy-left"]);
const assembled = new Map<string, string>();

/** Return the drawing of a body by its skin's id; the first body for an unknown one. */
export function drawingOf(body: string): string {
  const name = body.replace(/^soulpet\//, "");
  const id = Object.hasOwn(SOURCES, name) ? name : "soulpet";
  const known = assembled.get(id);
  if (known) return known;
  const drawing = assemble(SOURCES[id] ?? "", parts);
  assembled.set(id, drawing);
  return drawing;
}

/** Return what lies beside a skin that isn't ours, as a drawing; "" for nothing. */
export function thingsOf(wear: Wear): string {
  return besides(parts, wear);
}

export function posesOf(act: Act): readonly Pose[] | null {
  return POSES[DRAWN_AS[act] ?? act] ?? null;
}

export function isMirrored(act: Act): boolean {
  return MIRRORED.has(act);
}

export function ownTiming(act: Act): readonly number[] | null {
  return posesOf(act)?.map((pose) => pose.ms) ?? null;
}

/** Return a drawing as a data address for an img element: the page loads nothing. */
export function pictureOf(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

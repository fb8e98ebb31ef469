/** The bodies that ship: their drawings, put together once when asked for. */
import biscuit from "@assets/bodies/biscuit.svg?raw";
import poses from "@assets/bodies/frames.json";
import inkwell from "@assets/bodies/inkwell.svg?raw";
import moss from "@assets/bodies/moss.svg?raw";
import parts from "@assets/bodies/parts.svg?raw";
import soulpet from "@assets/bodies/soulpet.svg?raw";
import vesper from "@assets/bodies/vesper.svg?raw";
import type { Act } from "./acts";
import { assemble, compose, type Pose } from "./creature";

const SOURCES: Readonly<Record<string, string>> = { soulpet, biscuit, inkwell, vesper, moss };
const POSES = poses as unknown as Readonly<Record<string, readonly Pose[]>>;

/** Mirrored acts are not drawn twice; idle is the act a body breathes in. */
const DRAWN_AS: Partial<Record<Act, string>> = {
  "carried-left": "carried-right",
  "walk-right": "walk",
  "walk-left": "walk",
  "thrown-right": "thrown",
  "thrown-left": "thrown",
};
const MIRRORED: ReadonlySet<Act> = new Set(["carried-left", "walk-left", "thrown-left"]);
const assembled = new Map<string, string>();

/** The drawing of a body by the id of its skin; of an unknown one the first. */
export function drawingOf(body: string): string {
  const name = body.replace(/^soulpet\//, "");
  const id = Object.hasOwn(SOURCES, name) ? name : "soulpet";
  const known = assembled.get(id);
  if (known) return known;
  const drawing = assemble(SOURCES[id] ?? "", parts);
  assembled.set(id, drawing);
  return drawing;
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

/** A picture's address, for an img element. The page loads nothing. */
export function pictureOf(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/** A body at rest. */
export function portraitOf(body: string): string {
  return pictureOf(compose(drawingOf(body), { ms: 0 }));
}

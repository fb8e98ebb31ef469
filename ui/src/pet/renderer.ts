/** Draws the pet: our own bodies as SVG, skins from a sprite sheet. */
import type { SkinAnimation, SkinSheet } from "../bindings";
import type { Act, CommonAct, OwnAct, Timing } from "./acts";
import { drawingOf, isMirrored, ownTiming, pictureOf, posesOf, thingsOf } from "./bodies";
import { compose, looking, type Pose, type Wear } from "./creature";
import type { Stage } from "./timeline";

/** Substitutes of each act, best first; the last resort is idle. */
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

/** Our own acts for which another skin has a substitute. */
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
    const match = sheet.animations.find((animation) => animation.name === name);
    if (match) return match;
  }
  return null;
}

/**
 * Return the cells of an act, in order; the first frame of idle for an act without pictures. `bud`: with memory off,
 * a skin with an `off` animation rests in that.
 */
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

/** A stage with the timing of its skin. */
export interface Worn extends Stage {
  timing: Timing;
  settles: boolean;
}

/** Acts for which a still picture can be moved. */
const MOVES: ReadonlySet<Act> = new Set<Act>([
  "breath",
  "sway",
  "shift",
  "hop",
  "stretch",
  "giggle",
  "leap",
  "walk-left",
  "walk-right",
  "thrown-left",
  "thrown-right",
  "landed",
]);
const ROOM = 0.88;

/** Bytes of rendered pictures kept, the most recent ones. */
const KEPT_BYTES = 4_000_000;

/** The box to fill with the canvas: an element, or something that takes pictures of its size. */
export type Box = Pick<HTMLElement, "clientWidth" | "clientHeight" | "replaceChildren">;
export type Painted = (canvas: HTMLCanvasElement) => void;

/** Draw one of our own bodies. The previous picture stays until the next is ready. `painted` is called after each. */
export function drawn(root: Box, body = "", painted?: Painted): Worn {
  const drawing = drawingOf(body);
  const surface = surfaceOf(root, painted);
  const ready = new Map<string, HTMLCanvasElement>();
  let wanted = "";

  function put(key: string, pose: Pose, wear: Wear, mirrored: boolean): void {
    const { width, height } = surface.fit();
    const worn = [wear.bud, wear.drowsy, wear.hush, wear.mouth, wear.holds, wear.wears, wear.near, wear.leans];
    const name = `${key} ${width} ${worn.join()}`;
    wanted = name;
    const known = ready.get(name);
    if (known) {
      ready.delete(name);
      ready.set(name, known); // most recent
      surface.paint(known, mirrored);
      return;
    }
    const image = new Image();
    image.onload = () => {
      const picture = rasterised(image, width, height);
      image.removeAttribute("src"); // drops its drawing now: for the collection of garbage it is a small object
      if (!picture) return;
      const most = Math.max(12, Math.floor(KEPT_BYTES / (4 * width * height)));
      for (const [oldest, former] of ready) {
        if (ready.size < most) break;
        ready.delete(oldest);
        former.width = former.height = 0; // frees its bytes now, not with the next collection of garbage
      }
      ready.set(name, picture);
      if (wanted === name) surface.paint(picture, mirrored);
    };
    image.src = pictureOf(
      compose(drawing, pose, wear).replace(/ width="192" height="208"/, ` width="${width}" height="${height}"`),
    );
  }

  return {
    timing: ownTiming,
    settles: false,
    show(act, frame, wear) {
      const pose = posesOf(act)?.[frame] ?? posesOf("idle")?.[0];
      if (pose) put(`${act} ${frame}`, pose, wear, isMirrored(act));
    },
    look(direction, wear) {
      put(`look ${direction}`, looking(direction), wear, false);
      return true;
    },
  };
}

/** Draw any other skin, once its picture is decoded; `failed` is called if it can't be, `painted` after each frame. */
export function sheetOf(root: Box, sheet: SkinSheet, failed: () => void, painted?: Painted): Worn {
  const surface = surfaceOf(root, painted);
  const image = new Image();
  let wanted = framesFor(sheet, "idle")[0] ?? 0;
  let pose: Pose | null = null;
  const things = new Image(); // what lies beside it
  let lying = "";

  function paint(): void {
    if (!image.complete || !image.naturalWidth) return;
    const { frame_width: width, frame_height: height, columns, pixelated } = sheet;
    const cell = { x: (wanted % columns) * width, y: Math.floor(wanted / columns) * height, width, height };
    const beside = lying && things.complete && things.naturalWidth ? things : null;
    surface.paintCell(image, cell, pixelated, pose ?? (still ? { ms: 0 } : null), still ? ROOM : 1, beside);
  }

  function show(cell: number, wear: Wear): void {
    wanted = cell;
    const drawing = thingsOf(wear);
    if (drawing !== lying) {
      lying = drawing;
      if (drawing) things.src = pictureOf(drawing);
    }
    paint();
  }

  image.addEventListener("load", paint);
  things.addEventListener("load", paint);
  image.addEventListener("error", failed);
  image.src = sheet.image;
  const own = sheetTiming(sheet);
  // A skin of still pictures, such as a card's portrait, is animated by the movements of our own bodies; one that only
  // has no walk walks in their small hops.
  const still = framesFor(sheet, "idle").length < 2;
  const hops = (act: Act) => !still && own(act) === null && (act === "walk-left" || act === "walk-right");
  const moved = (act: Act) =>
    hops(act) || (still && framesFor(sheet, act).length < 2 && (own(act) !== null || MOVES.has(act)));
  return {
    timing: (act) => (moved(act) ? ownTiming(act) : own(act)),
    settles: true,
    show: (act, frame, wear) => {
      const frames = framesFor(sheet, act, wear.bud);
      pose = moved(act) ? (posesOf(act)?.[frame] ?? null) : null;
      if (pose && isMirrored(act)) pose = { ...pose, x: -(pose.x ?? 0), turn: -(pose.turn ?? 0) };
      show(frames[frame % frames.length] ?? frames[0] ?? 0, wear);
    },
    look(direction, wear) {
      const cell = sheet.looks[direction];
      if (cell === undefined) return false;
      pose = null;
      show(cell, wear);
      return true;
    },
  };
}

interface Cell {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Surface {
  /** Return the resolution of the root's box in device pixels. */
  fit(): { width: number; height: number };
  paint(picture: HTMLCanvasElement, mirrored: boolean): void;
  /** `pose`: movement of the whole figure, scaled by `size`; `beside`: drawn over its box, unmoved. */
  paintCell(
    image: HTMLImageElement,
    cell: Cell,
    pixelated: boolean,
    pose: Pose | null,
    size: number,
    beside: HTMLImageElement | null,
  ): void;
}

/** Return a canvas that fills the root; its first picture replaces what was shown. */
function surfaceOf(root: Box, painted?: Painted): Surface {
  const canvas = document.createElement("canvas");

  function size(): { width: number; height: number } {
    const scale = devicePixelRatio || 1;
    return { width: Math.round(root.clientWidth * scale), height: Math.round(root.clientHeight * scale) };
  }

  function cleared(): CanvasRenderingContext2D | null {
    if (!canvas.isConnected) root.replaceChildren(canvas);
    const { width, height } = size();
    const context = canvas.getContext("2d");
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    } else context?.clearRect(0, 0, width, height);
    return context;
  }

  return {
    fit() {
      const { width, height } = size();
      const scale = Math.min(width / 192, height / 208) || 1;
      return { width: Math.round(192 * scale), height: Math.round(208 * scale) };
    },
    paint(picture, mirrored) {
      const context = cleared();
      if (!context) return;
      const [x, y] = [Math.round((canvas.width - picture.width) / 2), canvas.height - picture.height];
      if (mirrored) context.setTransform(-1, 0, 0, 1, canvas.width, 0);
      context.drawImage(picture, x, y);
      if (mirrored) context.setTransform(1, 0, 0, 1, 0, 0);
      painted?.(canvas);
    },
    paintCell(image, { x, y, width, height }, pixelated, pose, size, beside) {
      const context = cleared();
      if (!context) return;
      const fit = Math.min(canvas.width / width, canvas.height / height);
      context.imageSmoothingEnabled = !pixelated || fit < 1;
      context.imageSmoothingQuality = "high";
      const [w, h] = [width * fit, height * fit];
      const [left, top] = [(canvas.width - w) / 2, canvas.height - h];
      if (pose) move(context, pose, size, canvas);
      context.drawImage(image, x, y, width, height, left, top, w, h);
      context.setTransform(1, 0, 0, 1, 0, 0);
      const unit = Math.min(canvas.width / 192, canvas.height / 208);
      const [across, down] = [192 * unit, 208 * unit];
      if (beside) context.drawImage(beside, (canvas.width - across) / 2, canvas.height - down, across, down);
      painted?.(canvas);
    },
  };
}

/** Draw the figure in a pose; one of still pictures is smaller, with room to leap. */
function move(
  context: CanvasRenderingContext2D,
  pose: Pose,
  size: number,
  { width, height }: HTMLCanvasElement,
): void {
  const unit = height / 208;
  const [x, y] = [(pose.x ?? 0) * unit, (pose.y ?? 0) * unit];
  context.translate(width / 2 + x, height + y);
  context.scale(size, size);
  if (pose.hung) context.translate(0, -height);
  context.rotate(((pose.turn ?? 0) * Math.PI) / 180);
  if (pose.hung) context.translate(0, height);
  context.scale(pose.sx ?? 1, pose.sy ?? 1);
  context.translate(-width / 2, -height);
}

function rasterised(image: HTMLImageElement, width: number, height: number): HTMLCanvasElement | null {
  const picture = document.createElement("canvas");
  picture.width = width;
  picture.height = height;
  const context = picture.getContext("2d");
  if (!context) return null;
  context.drawImage(image, 0, 0, width, height);
  return picture;
}

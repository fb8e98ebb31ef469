/** Draws: the pet's own character as a vector, crisp in any size, or the cells of a sprite sheet on a canvas. */

import drawing from "@assets/pet/creature.svg?raw";
import poses from "@assets/pet/frames.json";
import type { SkinSheet } from "../bindings";
import { draw, looking, type Pose } from "./creature";
import { framesFor, sheetTiming } from "./sprite_map";
import type { Act, Stage, Timing } from "./timeline";

/** A stage, and how long the frames of its skin stay. */
export interface Worn extends Stage {
  timing: Timing;
  settles: boolean;
}

const POSES = poses as unknown as Record<string, Pose[]>;

/** Mirrored acts are not drawn twice. */
const MIRRORED: Partial<Record<Act, string>> = { "carried-left": "carried-right" };

export function ownTiming(act: Act): readonly number[] | null {
  return POSES[MIRRORED[act] ?? act]?.map((pose) => pose.ms) ?? null;
}

/** The own character. The drawing is put in once; a frame changes only what differs. */
export function drawn(root: HTMLElement): Worn {
  const art = document.importNode(new DOMParser().parseFromString(drawing, "image/svg+xml").documentElement, true);
  art.removeAttribute("width");
  art.removeAttribute("height");
  root.replaceChildren(art);
  const moving = [...art.querySelectorAll<SVGElement>("[data-part]")];
  const kinds = [...art.querySelectorAll<SVGElement>("[data-is]")];

  function put(pose: Pose, mirrored: boolean): void {
    const { moved, shown } = draw(pose);
    for (const part of moving) part.setAttribute("transform", moved[part.dataset["part"] ?? ""] ?? "");
    for (const kind of kinds) {
      const [part = "", name] = (kind.dataset["is"] ?? "").split(":");
      if (shown[part] === name) kind.removeAttribute("display");
      else kind.setAttribute("display", "none");
    }
    art.style.transform = mirrored ? "scaleX(-1)" : "";
  }

  return {
    timing: ownTiming,
    settles: false,
    show(act, frame) {
      const name = MIRRORED[act] ?? act;
      const pose = POSES[name]?.[frame] ?? POSES["idle"]?.[0];
      if (pose) put(pose, name !== act);
    },
    look(direction) {
      put(looking(direction), false);
      return true;
    },
  };
}

/** Any other skin. Nothing is shown until its picture is decoded; `failed` if it can't be. */
export function sheetOf(root: HTMLElement, sheet: SkinSheet, failed: () => void): Worn {
  const canvas = document.createElement("canvas");
  const image = new Image();
  let wanted = framesFor(sheet, "idle")[0] ?? 0;

  function paint(): void {
    if (!image.complete || !image.naturalWidth) return;
    if (!canvas.isConnected) root.replaceChildren(canvas); // the skin before stays until this one is there
    const scale = devicePixelRatio || 1;
    const { clientWidth, clientHeight } = root;
    canvas.width = Math.round(clientWidth * scale);
    canvas.height = Math.round(clientHeight * scale);
    const context = canvas.getContext("2d");
    if (!context) return;
    const { frame_width: width, frame_height: height } = sheet;
    const fit = Math.min(canvas.width / width, canvas.height / height);
    context.imageSmoothingEnabled = !sheet.pixelated || fit < 1;
    context.imageSmoothingQuality = "high";
    const [x, y] = [(wanted % sheet.columns) * width, Math.floor(wanted / sheet.columns) * height];
    const [w, h] = [width * fit, height * fit];
    context.drawImage(image, x, y, width, height, (canvas.width - w) / 2, canvas.height - h, w, h);
  }

  function show(cell: number): void {
    wanted = cell;
    paint();
  }

  image.addEventListener("load", paint);
  image.addEventListener("error", failed);
  image.src = sheet.image;
  return {
    timing: sheetTiming(sheet),
    settles: true,
    show: (act, frame) => {
      const frames = framesFor(sheet, act);
      show(frames[frame] ?? frames[0] ?? 0);
    },
    look(direction) {
      const cell = sheet.looks[direction];
      if (cell === undefined) return false;
      show(cell);
      return true;
    },
  };
}

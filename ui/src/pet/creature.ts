/**
 * Poses of bodies: transforms and kinds of their parts. Pure text processing, used by the pages and by the build of
 * the sprite sheets.
 */

/** A pose of frames.json. Absent fields keep the resting pose's value. */
export interface Pose {
  ms: number;
  /** the whole figure: moved, stretched from the ground, rotated around the ground or (hung) around the head */
  x?: number;
  y?: number;
  sx?: number;
  sy?: number;
  turn?: number;
  hung?: boolean;
  /** lying on its side: moved up to stay in the picture */
  lies?: boolean;
  /** face and gaze, from -1 to 1 */
  look?: [number, number];
  /** degrees: left and right ear (positive lifts), sprout, tail */
  ears?: [number, number];
  sprout?: number;
  tail?: number;
  wave?: number;
  feet?: [number, number];
  /** upward shift of a sign */
  bob?: number;
  /** part → kind; "" hides */
  is?: Record<string, string>;
}

/** State shown on every pose. */
export interface Wear {
  /** memory is off or paused: the sprout closes to a bud */
  bud?: boolean;
  /** everything is paused: the eyes are half shut */
  drowsy?: boolean;
  /** do not disturb: headphones */
  hush?: boolean;
  /** a reminder is due: a note in its paws */
  holds?: boolean;
  /** what belongs to the day, "" for nothing: on its head, or a lantern in its paw */
  wears?: string;
  /** a hard day: it sits closer */
  near?: boolean;
  /** asleep beside another pet: leaning to it, -1 for the left */
  leans?: number;
  /** the face left behind by a passing mood */
  mouth?: string;
}

const RESTING: Readonly<Record<string, string>> = {
  feet: "stand",
  eyes: "open",
  mouth: "smile",
  "arm-left": "down",
  "arm-right": "down",
  stem: "tall",
  leaf: "rest",
};

const HEAD = [96, 60];
const GROUND = [96, 194];
/** Margin around the figure for lifted ears and leaps. */
const SMALLER = "translate(9.6 19.4) scale(0.9)";
const LEANING = { x: 6, turn: 5 };
const NEAR = "translate(4.8 9.7) scale(0.95)";

/** Return the kind shown of each part. */
export function shownKinds(pose: Pose, wear: Wear = {}): Record<string, string> {
  const shown: Record<string, string> = { ...RESTING, ...pose.is };
  if (wear.mouth && shown["mouth"] === "smile" && shown["eyes"] === "open") shown["mouth"] = wear.mouth;
  if (wear.bud && shown["leaf"] !== "droop") shown["leaf"] = "bud";
  if (wear.drowsy && shown["eyes"] === "open") shown["eyes"] = "half";
  if (wear.hush) shown["hush"] = "on";
  if (wear.wears && wear.wears !== "lantern") shown["wears"] = wear.wears;
  const free = !shown["carries"] && !shown["gift"] && shown["feet"] !== "hang" && shown["raised"] !== "both";
  if (wear.wears === "lantern" && free && shown["arm-right"] === "down") shown["carries"] = "lantern";
  if (wear.holds && free) {
    shown["holds"] = "note";
    if (shown["arm-left"] === "down") shown["arm-left"] = "tummy";
    if (shown["arm-right"] === "down" && !shown["carries"]) shown["arm-right"] = "tummy";
  }
  return shown;
}

/** Return the transform of one part. `pivot` and `gain` are the body's. */
function transformOf(part: string, pose: Pose, pivot: string, gain: number, { near, leans = 0 }: Wear): string {
  const { y = 0, sx = 1, sy = 1, feet = [0, 0], ears = [0, 0], look = [0, 0] } = pose;
  const [lookX, lookY] = look;
  const [x, turn] = [(pose.x ?? 0) + leans * LEANING.x, (pose.turn ?? 0) + leans * LEANING.turn];
  switch (part) {
    case "figure": {
      const [px, py] = pose.hung ? HEAD : GROUND;
      return `translate(${x} ${y}) ${near ? NEAR : SMALLER} rotate(${turn} ${px} ${py}) translate(${px} ${py}) scale(${sx} ${sy}) translate(-${px} -${py})`;
    }
    case "shadow":
      if (pose.lies) return "translate(96 196) scale(1.35 1) translate(-96 -196)";
      return `translate(${round(96 + x * 0.6)} 196) scale(${round(Math.max(0.45, 1 - Math.max(0, -y) / 60) * sx)}) translate(-96 -196)`;
    case "face":
      return `translate(${round(lookX * 9)} ${round(lookY * 7)})`;
    case "eyes":
      return `translate(${round(lookX * 2.5)} ${round(lookY * 2)})`;
    case "ear-left":
      return `rotate(${round(ears[0] * gain)} ${pivot})`;
    case "ear-right":
      return `rotate(${round(-ears[1] * gain)} ${pivot})`;
    case "tail":
      return `rotate(${round((pose.tail ?? 0) * gain)} ${pivot})`;
    case "sprout":
      return `rotate(${round((pose.sprout ?? 0) - lookX * 5)} 96 62)`;
    case "raised-right":
      return `rotate(${(pose.wave ?? 0) - 12} 146 152)`;
    case "foot-left":
      return `translate(0 ${feet[0]})`;
    case "foot-right":
      return `translate(0 ${feet[1]})`;
    case "sign":
      return `translate(0 ${-(pose.bob ?? 0)})`;
    default:
      return "";
  }
}

/** Return a body's drawing with the shared parts, in the body's colours. */
export function assemble(body: string, parts: string): string {
  const colour = (name: string) => new RegExp(` data-${name}="([^"]+)"`).exec(body)?.[1] ?? "#000";
  const painted = parts
    .replaceAll('"INK"', `"${colour("ink")}"`)
    .replaceAll('"BROW"', `"${colour("brow")}"`)
    .replaceAll('"LINE"', `"${colour("line")}"`)
    .replaceAll('"PAW"', `"${colour("paw")}"`);
  const shared = new Map(
    [...painted.matchAll(/^<g id="([^"]+)">\n([\s\S]*?)^<\/g>/gm)].map(([, id = "", art = ""]) => [id, art]),
  );
  return body
    .replace(/ data-(ink|brow|line|paw)="[^"]*"/g, "")
    .replace(/<!--[\s\S]*?-->\s*/g, "")
    .replace(/<use href="#([^"]+)"\/>/g, (_all, id: string) => shared.get(id) ?? "")
    .replace(/\n\s*/g, "\n");
}

/** Return the drawing in a pose, as text. Hidden parts keep display="none". */
export function compose(drawing: string, pose: Pose, wear: Wear = {}): string {
  const shown = shownKinds(pose, wear);
  return drawing
    .replace(/ data-part="([^"]+)"([^>]*?)(\/?)>/g, (_all, part: string, rest: string, end: string) => {
      const own = / transform="([^"]*)"/.exec(rest);
      const pivot = / data-pivot="([^"]*)"/.exec(rest);
      const gain = / data-gain="([^"]*)"/.exec(rest);
      const moved = transformOf(part, pose, pivot?.[1] ?? "96 130", Number(gain?.[1] ?? 1), wear);
      const transform = [moved, own?.[1] ?? ""].join(" ").trim();
      const kept = rest.replace(/ (?:transform|data-pivot|data-gain)="[^"]*"/g, "");
      return `${kept}${transform ? ` transform="${transform}"` : ""}${end}>`;
    })
    .replace(/ data-is="([^":]+):([^"]+)"/g, (_all, part: string, kinds: string) =>
      kinds.split(" ").includes(shown[part] ?? "") ? "" : ' display="none"',
    );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Return the pose that looks in one of 16 directions, clockwise from up. */
export function looking(direction: number): Pose {
  const angle = (direction * Math.PI) / 8;
  return { ms: 0, look: [round(Math.sin(angle)), round(-Math.cos(angle))], ears: [2, 2] };
}

/** A note on the right, and on the left what belongs to the day. */
const THINGS = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 192 208" width="192" height="208" data-paw="#fff">
<g stroke-linecap="round" stroke-linejoin="round">
<g transform="translate(72 18) scale(0.92)"><use href="#holds"/></g>
<g transform="translate(-110 112) scale(0.98)"><use href="#wears"/></g>
<g transform="translate(-136 32)"><use href="#carries"/></g></g></svg>`;

/** Return what lies beside a skin that isn't ours, as a drawing; "" for nothing. */
export function besides(parts: string, wear: Wear): string {
  return wear.holds || wear.wears ? compose(assemble(THINGS, parts), { ms: 0 }, wear) : "";
}

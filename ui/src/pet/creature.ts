/**
 * Puts a pose on the drawing: which parts are turned and moved, and which of their kinds are shown.
 * Pure, and used by the page and by the build of the sprite sheet alike.
 */

/** A pose of frames.json; what it doesn't say is as in the resting pose. */
export interface Pose {
  ms: number;
  /** the whole figure: moved, stretched from the ground, turned around the ground or (hung) around the head */
  x?: number;
  y?: number;
  sx?: number;
  sy?: number;
  turn?: number;
  hung?: boolean;
  /** face and gaze, from -1 to 1 */
  look?: [number, number];
  /** degrees: left and right ear (positive lifts), sprout */
  ears?: [number, number];
  sprout?: number;
  wave?: number;
  feet?: [number, number];
  /** of a sign: moved up */
  bob?: number;
  /** part → kind; "" hides */
  is?: Record<string, string>;
}

export interface Drawn {
  /** part → transform */
  moved: Record<string, string>;
  /** part → the kind that is shown */
  shown: Record<string, string>;
}

const RESTING: Record<string, string> = {
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
/** Room around the figure for lifted ears and leaps. */
const SMALLER = "translate(9.6 19.4) scale(0.9)";

export function draw(pose: Pose): Drawn {
  const { x = 0, y = 0, sx = 1, sy = 1, turn = 0, feet = [0, 0], ears = [0, 0], look = [0, 0] } = pose;
  const [pivotX, pivotY] = pose.hung ? HEAD : GROUND;
  const [lookX, lookY] = look;
  const lift = Math.max(0, -y);
  const moved: Record<string, string> = {
    figure: `translate(${x} ${y}) ${SMALLER} rotate(${turn} ${pivotX} ${pivotY}) translate(${pivotX} ${pivotY}) scale(${sx} ${sy}) translate(-${pivotX} -${pivotY})`,
    shadow: `translate(${96 + x * 0.6} 196) scale(${round(Math.max(0.45, 1 - lift / 60) * sx)}) translate(-96 -196)`,
    face: `translate(${round(lookX * 9)} ${round(lookY * 7)})`,
    eyes: `translate(${round(lookX * 2.5)} ${round(lookY * 2)})`,
    "ear-left": `rotate(${ears[0]} 66 70)`,
    "ear-right": `rotate(${-ears[1]} 126 70)`,
    sprout: `rotate(${(pose.sprout ?? 0) - lookX * 5} 96 62)`,
    "raised-right": `rotate(${(pose.wave ?? 0) - 12} 146 152)`,
    "foot-left": `translate(0 ${feet[0]})`,
    "foot-right": `translate(0 ${feet[1]})`,
    sign: `translate(0 ${-(pose.bob ?? 0)})`,
  };
  return { moved, shown: { ...RESTING, ...pose.is } };
}

/** The drawing in this pose, as text: what is not shown is left hidden in it. */
export function compose(drawing: string, pose: Pose): string {
  const { moved, shown } = draw(pose);
  return drawing
    .replace(/<!--[\s\S]*?-->\s*/, "")
    .replace(/ data-part="([^"]+)"([^>]*?)(\/?)>/g, (_all, part: string, rest: string, end: string) => {
      const own = / transform="([^"]*)"/.exec(rest);
      const transform = [moved[part] ?? "", own?.[1] ?? ""].join(" ").trim();
      return `${rest.replace(own?.[0] ?? "", "")}${transform ? ` transform="${transform}"` : ""}${end}>`;
    })
    .replace(/ data-is="([^":]+):([^"]+)"/g, (_all, part: string, kind: string) =>
      shown[part] === kind ? "" : ' display="none"',
    );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** The pose that looks in one of 16 directions, clockwise from up. */
export function looking(direction: number): Pose {
  const angle = (direction * Math.PI) / 8;
  return { ms: 0, look: [round(Math.sin(angle)), round(-Math.cos(angle))], ears: [2, 2] };
}

/** Pictures and films of the pet, with its bubble: drawn here from its own drawings, on nothing. */
import type { KeepsakeFrame, KeepsakeWish, SkinSheet } from "../bindings";
import { type Act, once, type Step, type Timing } from "./acts";
import type { Wear } from "./creature";
import { type Box, drawn, sheetOf, type Worn } from "./renderer";

/** What the pet shows now. `does`: the act that it is in; `sheet`: of an imported skin. */
export interface Moment {
  does: Act;
  act: Act;
  frame: number;
  wear: Wear;
  body: string;
  sheet: SkinSheet | null;
}

const WIDTH = 384;
const HEIGHT = 416;
const FILM_MS = 3_000;
const MOST_FRAMES = 40;
/** What an idle pet does in a film. */
const SCENE: readonly Act[] = ["wave", "happy", "breath"];

const EDGE = 12;
const PADDING = 20;
const LINE = 27;
const TAIL = 14;
/** Pixels of the free room above the pet that the bubble takes. */
const OVERLAP = 44;
const MOST_LINES = 6;
const FONT = `600 20px Nunito, system-ui, sans-serif`;

/** Return the steps of a film: of what it does, or for an idle one of a small scene; a single step at least. */
export function filmed(act: Act, frame: number, timing: Timing): Step[] {
  const scene = (act === "idle" ? SCENE : [act]).flatMap((each) => once(each, timing));
  if (scene.length === 0) return [{ act, frame, ms: FILM_MS }];
  const steps: Step[] = [];
  let left = FILM_MS;
  for (let index = 0; left > 0 && steps.length < MOST_FRAMES; index++) {
    const step = scene[index % scene.length] as Step;
    steps.push({ ...step, ms: Math.round(Math.min(step.ms, left)) });
    left -= step.ms;
  }
  return steps;
}

/** Break a text into lines, at blanks where there are some; what is beyond the most ends in an ellipsis. */
export function linesOf(text: string, fits: (line: string) => boolean, most = MOST_LINES): string[] {
  const lines: string[] = [];
  let line = "";
  const parts = text.match(/\n|[^\S\n]+|[\u2e80-\uffef]|[^\s\u2e80-\uffef]+/gu) ?? [];
  const begin = (next: string) => {
    lines.push(line.trimEnd());
    line = next.trimStart();
  };
  for (const part of parts) {
    if (part === "\n") begin("");
    else if (fits(line + part) || !part.trim()) line += part;
    else {
      if (line) begin("");
      for (const letter of part) {
        if (fits(line + letter) || !line) line += letter;
        else begin(letter);
      }
    }
    if (lines.length > most) break;
  }
  begin("");
  return lines.length > most ? [...lines.slice(0, most - 1), `${lines[most - 1]}…`] : lines;
}

/** Return the frames. Rejects if the skin can't be drawn. */
export async function draw(moment: Moment, wish: KeepsakeWish): Promise<KeepsakeFrame[]> {
  const picture = document.createElement("canvas");
  const context = picture.getContext("2d");
  if (!context) throw new Error("no canvas");
  context.font = FONT;
  const room = WIDTH - 2 * (EDGE + PADDING);
  const lines = wish.words ? linesOf(wish.words, (line) => context.measureText(line).width <= room) : wish.lines;
  const bubble = heightOf(lines);
  const above = Math.max(0, bubble - OVERLAP);
  picture.width = WIDTH;
  picture.height = HEIGHT + above;
  const frames: KeepsakeFrame[] = [];
  const { worn, show } = actor(moment);
  const steps = wish.film ? filmed(moment.does, moment.frame, worn.timing) : [{ ...moment, ms: 0 }];
  for (const { act, frame, ms } of steps) {
    const canvas = await show(act, frame);
    context.clearRect(0, 0, picture.width, picture.height);
    context.drawImage(canvas, 0, above, WIDTH, HEIGHT);
    if (bubble) speak(context, lines, bubble);
    frames.push({ image: picture.toDataURL("image/png").replace(/^[^,]*,/, ""), milliseconds: ms });
  }
  return frames;
}

/** Return the skin, drawn apart from the page, and a function that draws one frame and resolves to its canvas. */
function actor({ body, sheet, wear }: Moment) {
  let done: (canvas: HTMLCanvasElement) => void = () => undefined;
  let fail: (reason: Error) => void = () => undefined;
  const scale = devicePixelRatio || 1;
  const box: Box = { clientWidth: WIDTH / scale, clientHeight: HEIGHT / scale, replaceChildren: () => undefined };
  const painted = (canvas: HTMLCanvasElement) => done(canvas);
  const worn: Worn = sheet
    ? sheetOf(box, sheet, () => fail(new Error("no picture")), painted)
    : drawn(box, body, painted);
  const show = (act: Act, frame: number) =>
    new Promise<HTMLCanvasElement>((resolve, reject) => {
      [done, fail] = [resolve, reject];
      worn.show(act, frame, wear);
    });
  return { worn, show };
}

function heightOf(lines: string[] | number): number {
  const count = typeof lines === "number" ? lines : lines.length;
  return count === 0 ? 0 : EDGE + 2 * PADDING + count * LINE + TAIL;
}

/** Draw the bubble: its words, or a bar for each line of them. */
function speak(context: CanvasRenderingContext2D, lines: string[] | number, height: number): void {
  const bottom = height - TAIL;
  context.fillStyle = "#fffdf9";
  context.strokeStyle = "#d9cbb8";
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(EDGE, EDGE, WIDTH - 2 * EDGE, bottom - EDGE, 20);
  context.moveTo(WIDTH / 2 - TAIL, bottom);
  context.lineTo(WIDTH / 2, height);
  context.lineTo(WIDTH / 2 + TAIL, bottom);
  context.stroke();
  context.fill();
  const [left, top] = [EDGE + PADDING, EDGE + PADDING];
  context.font = FONT;
  context.textBaseline = "middle";
  if (typeof lines === "number") {
    context.fillStyle = "#e6dccd";
    for (let index = 0; index < lines; index++) {
      const width = (WIDTH - 2 * left) * (index === lines - 1 ? 0.6 : 1);
      context.beginPath();
      context.roundRect(left, top + index * LINE + LINE / 2 - 5, width, 10, 5);
      context.fill();
    }
    return;
  }
  context.fillStyle = "#3b2f25";
  for (const [index, line] of lines.entries()) context.fillText(line, left, top + index * LINE + LINE / 2);
}

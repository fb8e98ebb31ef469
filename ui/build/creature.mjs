/**
 * Builds the pet's own sprite sheet from the drawing and its poses: a Codex pet, version 2.
 * Owns which pose stands in which cell. Nothing of it is kept in the repository.
 *
 *   node build/creature.mjs FOLDER               spritesheet.png
 *   node build/creature.mjs FOLDER --every       each pose as a picture of its own, for looking at
 *   node build/creature.mjs FOLDER --gallery     creature.svg: what it can look like, on light and dark
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { compose, looking } from "../src/pet/creature.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const assets = join(root, "..", "assets", "pet");
const drawing = readFileSync(join(assets, "creature.svg"), "utf8");
const poses = JSON.parse(readFileSync(join(assets, "frames.json"), "utf8"));
const [WIDTH, HEIGHT, COLUMNS] = [192, 208, 8];

/** Rows 0 to 8 of the format, by our names; the mirrored one is drawn by mirroring. */
const ROWS = ["idle", "carried-right", "carried-left", "wave", "happy", "failed", "waiting", "thinking", "ready"];

export async function start() {
  await initWasm(readFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));
}

/** One picture of a size that is a multiple of the cell, as PNG. */
export function picture(svg, zoom = 1) {
  return new Resvg(svg, { fitTo: { mode: "zoom", value: zoom } }).render().asPng();
}

/** All 88 cells as one drawing: their parts have the same names in each, so each is a picture inside it. */
export function sheet() {
  const cells = [];
  for (const [row, name] of ROWS.entries()) {
    const mirrored = name === "carried-left";
    const all = poses[mirrored ? "carried-right" : name];
    for (const [column, pose] of all.entries()) cells.push(cell(pose, column, row, mirrored));
  }
  for (let index = 0; index < 16; index++) cells.push(cell(looking(index), index % COLUMNS, 9 + (index >> 3), false));
  const size = `width="${WIDTH * COLUMNS}" height="${HEIGHT * 11}"`;
  const [defs] = /<defs>[\s\S]*<\/defs>/.exec(drawing);
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${defs}${cells.join("")}</svg>`;
}

/** A pose of each act, half of them on a light ground and half on a dark one. */
export function gallery() {
  const acts = Object.entries(poses).map(([, all]) => all[Math.floor(all.length / 2)]);
  acts.push(looking(6));
  const half = Math.ceil(acts.length / 2);
  const columns = Math.ceil(half / 2);
  const cells = acts.map((pose, index) => {
    const [side, place] = [Math.floor(index / half), index % half];
    return cell(pose, side * columns + (place % columns), Math.floor(place / columns), false);
  });
  const [width, height] = [WIDTH * columns, HEIGHT * 2];
  const [defs] = /<defs>[\s\S]*<\/defs>/.exec(drawing);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width * 2} ${height}">${defs}
<rect width="${width}" height="${height}" fill="#f4f0ea"/><rect x="${width}" width="${width}" height="${height}" fill="#22242e"/>
${cells.join("\n")}
</svg>
`;
}

/** Without what is not shown: elements with display="none" and all in them. */
function visible(svg) {
  let hidden = 0;
  const kept = svg.split(/(<[^>]+>)/).filter((piece) => {
    if (!piece.startsWith("<")) return hidden === 0;
    const [opens, closes] = [!piece.startsWith("</") && !piece.endsWith("/>"), piece.startsWith("</")];
    const hides = hidden > 0 || piece.includes('display="none"');
    if (hides && opens) hidden += 1;
    else if (hides && closes) hidden -= 1;
    return !hides;
  });
  return kept.join("").replace(/\n\s*(?=\n)/g, "");
}

function cell(pose, column, row, mirrored) {
  const body = visible(compose(drawing, pose))
    .replace(/<svg[^>]*>/, "")
    .replace(/<\/svg>\s*$/, "")
    .replace(/<defs>[\s\S]*<\/defs>/, "");
  const flip = mirrored ? ` transform="translate(${WIDTH} 0) scale(-1 1)"` : "";
  return `<svg x="${column * WIDTH}" y="${row * HEIGHT}" width="${WIDTH}" height="${HEIGHT}"><g${flip}>${body}</g></svg>`;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? ".");
  mkdirSync(folder, { recursive: true });
  await start();
  if (process.argv.includes("--gallery")) writeFileSync(join(folder, "creature.svg"), gallery());
  else if (process.argv.includes("--every")) {
    for (const [name, all] of Object.entries(poses))
      for (const [index, pose] of all.entries())
        writeFileSync(join(folder, `${name}-${index}.png`), picture(compose(drawing, pose), 2));
    for (let index = 0; index < 16; index++)
      writeFileSync(join(folder, `look-${index}.png`), picture(compose(drawing, looking(index)), 2));
  } else writeFileSync(join(folder, "spritesheet.png"), picture(sheet()));
}

/**
 * Build the sprite sheets of our own bodies from their drawings and poses: Codex pets, version 2.
 * Owns which pose stands in which cell. Nothing of it is kept in the repository but the pictures of the documentation.
 *
 *   node build/creature.mjs FOLDER               a folder per body with spritesheet.png and pet.json; the first in FOLDER
 *   node build/creature.mjs FOLDER --every       each pose of each body as a picture of its own, for looking at
 *   node build/creature.mjs FOLDER --gallery     bodies.svg and a file per body: what it can look like, light and dark
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { assemble, compose, looking } from "../src/pet/creature.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const assets = join(root, "..", "assets", "bodies");
const read = (name) => readFileSync(join(assets, name), "utf8");
const poses = JSON.parse(read("frames.json"));
/** The first is the fallback, and its sheet is in the folder itself. */
export const BODIES = ["soulpet", "biscuit", "inkwell", "vesper", "moss"];
const [WIDTH, HEIGHT, COLUMNS] = [192, 208, 8];

/** Rows 0 to 8 of the format, by our names; mirrored ones are drawn by mirroring. */
const ROWS = ["idle", "carried-right", "carried-left", "wave", "happy", "failed", "waiting", "thinking", "ready"];
/** Poses shown in the documentation. */
const SHOWN = [
  ["breath", 0],
  ["wave", 1],
  ["happy", 2],
  ["talking", 2],
  ["thinking", 2],
  ["listening", 1],
  ["waiting", 3],
  ["ready", 2],
  ["remembered", 2],
  ["surprised", 0],
  ["sad", 1],
  ["failed", 3],
  ["asleep", 1],
  ["given", 2],
  ["carried", 0],
  ["poked", 2],
  ["stretch", 2],
  ["yawn", 2],
  ["hum", 1],
  ["scratch", 2],
  ["shy", 1],
  ["huff", 1],
  ["leap", 2],
  ["faint", 6],
]; // prettier-ignore

export async function start() {
  await initWasm(readFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));
}

/** Render one picture, of a multiple of the cell's size, as PNG. */
export function picture(svg, zoom = 1) {
  return new Resvg(svg, { fitTo: { mode: "zoom", value: zoom } }).render().asPng();
}

export function drawing(body) {
  return assemble(read(`${body}.svg`), read("parts.svg"));
}

/** Return all 88 cells as one drawing: nested pictures, since parts have the same names in each. */
export function sheet(body) {
  const art = drawing(body);
  const cells = [];
  for (const [row, name] of ROWS.entries()) {
    const mirrored = name === "carried-left";
    const all = poses[mirrored ? "carried-right" : name];
    for (const [column, pose] of all.entries()) cells.push(cell(art, pose, column, row, { mirrored }));
  }
  for (let index = 0; index < 16; index++)
    cells.push(cell(art, looking(index), index % COLUMNS, 9 + (index >> 3), {}));
  const size = `width="${WIDTH * COLUMNS}" height="${HEIGHT * 11}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${defsOf(art)}${cells.join("")}</svg>`;
}

/** Write every body's sheet where the program reads it. */
export function writeSkins(folder) {
  for (const body of BODIES) {
    const at = body === BODIES[0] ? folder : join(folder, body);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "spritesheet.png"), picture(sheet(body)));
    copyFileSync(join(assets, `${body}.json`), join(at, "pet.json"));
  }
}

/** Return the documentation's pictures by file name. */
export function galleries() {
  const files = { "bodies.svg": family() };
  for (const body of BODIES) files[`body-${body}.svg`] = gallery(body);
  return files;
}

/** Return one body in its acts, the left half on a light ground, the right half on a dark one. */
function gallery(body) {
  const art = drawing(body);
  const columns = 8;
  const cells = SHOWN.map(([act, frame], index) =>
    cell(art, poses[act][frame], index % columns, Math.floor(index / columns), {}),
  );
  const [width, height] = [WIDTH * columns, HEIGHT * Math.ceil(SHOWN.length / columns)];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${defsOf(art)}
<rect width="${width / 2}" height="${height}" fill="#f4f0ea"/><rect x="${width / 2}" width="${width / 2}" height="${height}" fill="#22242e"/>
${cells.join("\n")}
</svg>
`;
}

/** Return all bodies side by side, with the gradients' names made unique. */
function family() {
  const cells = BODIES.map((body, column) => {
    const art = drawing(body);
    const own = `${defsOf(art)}${cell(art, poses["breath"][0], column, 0, {})}`;
    return own.replace(/id="(\w+)"/g, `id="$1${column}"`).replace(/url\(#(\w+)\)/g, `url(#$1${column})`);
  });
  const width = WIDTH * BODIES.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${HEIGHT}">
<rect width="${width}" height="${HEIGHT}" rx="24" fill="#f4f0ea"/>
${cells.join("\n")}
</svg>
`;
}

function defsOf(art) {
  return /<defs>[\s\S]*<\/defs>/.exec(art)[0];
}

/** Remove elements with display="none". */
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

function cell(art, pose, column, row, { mirrored = false }) {
  const body = visible(compose(art, pose))
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
  if (process.argv.includes("--gallery"))
    for (const [name, svg] of Object.entries(galleries())) writeFileSync(join(folder, name), svg);
  else if (process.argv.includes("--every")) {
    for (const body of BODIES) {
      const art = drawing(body);
      for (const [name, all] of Object.entries(poses))
        for (const [index, pose] of all.entries())
          writeFileSync(join(folder, `${body}-${name}-${index}.png`), picture(compose(art, pose), 2));
      for (let index = 0; index < 16; index++)
        writeFileSync(join(folder, `${body}-look-${index}.png`), picture(compose(art, looking(index)), 2));
    }
  } else writeSkins(folder);
}

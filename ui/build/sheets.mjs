/**
 * Render each SVG file under a folder as a PNG beside it, and remove it.
 *
 *   node build/sheets.mjs FOLDER
 */
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

await initWasm(readFileSync(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));
for (const drawing of globSync(`${process.argv[2]}/**/*.svg`)) {
  writeFileSync(drawing.replace(/svg$/, "png"), new Resvg(readFileSync(drawing, "utf8")).render().asPng());
  rmSync(drawing);
}

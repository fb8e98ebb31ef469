/** The licences of the pages' dependencies, as one text. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Return every package the pages are built from, transitive ones included; no tools. */
export function licences(root) {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path !== "" && !entry.dev && !entry.optional)
    .map(([path, entry]) => about(join(root, path), path.replace(/^.*node_modules\//, ""), entry))
    .join(`\n\n${"=".repeat(80)}\n\n`);
}

function about(folder, name, { version, license }) {
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}`.trim();
}

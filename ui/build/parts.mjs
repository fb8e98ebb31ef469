/**
 * Parts of a page that are seldom needed: bundles of their own, which the page holds as text and runs when a function
 * of theirs is first called. A part shares modules with its page of which there must be one only.
 */
import { fileURLToPath } from "node:url";

const TEXTS = fileURLToPath(new URL("../src/texts.ts", import.meta.url));
const SHARED = ["preact", "preact/hooks", "preact/jsx-runtime", TEXTS];
const SHARED_AS = "__soulpetShared";
const PART = "__soulpetPart";

/** Plugin for the page's bundle: a part's module only has functions that run the part. `parts`: files by name. */
export function withoutParts(parts) {
  const names = new Map(Object.entries(parts).map(([name, file]) => [file, name]));
  return {
    name: "without-parts",
    enforce: "pre",
    transform(code, id) {
      const name = names.get(id);
      if (name === undefined) return null;
      const functions = [...code.matchAll(/^export function (\w+)/gm)].map(([, each]) => each);
      return { code: stub(name, functions), moduleType: "js", map: null };
    },
  };
}

function stub(name, functions) {
  return `${SHARED.map((id, at) => `import * as shared${at} from ${JSON.stringify(id)};`).join("\n")}
let part;
function run() {
  window.${SHARED_AS} = [${SHARED.map((_, at) => `shared${at}`)}];
  const script = document.createElement("script");
  script.textContent = document.getElementById(${JSON.stringify(name)}).textContent;
  document.head.append(script);
  part = window.${PART};
  return part;
}
${functions.map((each) => `export const ${each} = (...given) => (part ?? run()).${each}(...given);`).join("\n")}
`;
}

/** Options of the bundler for a part. */
export const asPart = {
  external: SHARED,
  preserveEntrySignatures: "strict",
  output: { name: PART, globals: Object.fromEntries(SHARED.map((id, at) => [id, `${SHARED_AS}[${at}]`])) },
};

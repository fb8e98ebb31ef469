/**
 * Build each page as ONE file: scripts and styles inside, and a content security policy that lets this one script
 * run and loads nothing. Throws for a page that would load anything. Also writes the licences of the pages' dependencies.
 *
 *   node build/pages.mjs [folder]      default: ../pet/_ui
 */
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { inlineScript } from "./inline.ts";
import { licences } from "./licences.mjs";
import { asPart, withoutParts } from "./parts.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = resolve(process.argv[2] ?? join(root, "..", "pet", "_ui"));
const pages = [
  {
    name: "chat",
    entry: "src/main.tsx",
    later: { math: "src/math/main.ts" },
    parts: { editor: "src/settings/editor/code_editor.tsx", colours: "src/markdown/highlight.tsx" },
    limit: 2_100_000,
  },
];
const entryTag = /<script type="module" src="[^"]*"><\/script>\n?/;

/** Keep the smallest font format, which all current web views read. */
const oneFormat = {
  name: "one-font-format",
  enforce: "pre",
  transform(code, id) {
    if (!/katex.*\.css/.test(id)) return null;
    return code.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\(["'](?:woff|truetype)["']\)/g, "");
  },
};

/**
 * Of the catalogues whose keys `texts.ts` names the page holds all texts; of the others the errors, and the words in
 * place of what was forgotten. Of an extra's what the terminal says is left out, and all but errors, tools and rows of
 * the settings where it has no page.
 */
const named = readFileSync(join(root, "src/texts.ts"), "utf8").matchAll(/"@texts\/en\/(\w+)\.json"/g);
const WHOLE = new RegExp(`/(?:${[...named].map(([, name]) => name).join("|")})\\.json$`);
const EXTRA = /\/extras\/(\w+)\/texts\/\w+\.json$/;
const onlyShown = {
  name: "only-shown",
  enforce: "pre",
  transform(code, id) {
    const extra = EXTRA.exec(id)?.[1];
    if (!extra && (!/\/i18n\/\w+\/\w+\.json$/.test(id) || WHOLE.test(id))) return null;
    const own = extra && existsSync(join(root, "src/extras", extra));
    const kept = own
      ? /^(?!cli\.|settings\.about\.)/
      : extra
        ? /^(?:error|ui|settings\.row)\./
        : /^(?:error\.|forget\.marker$)/;
    return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(code)).filter(([key]) => kept.test(key))));
  },
};

mkdirSync(out, { recursive: true });
for (const page of pages) {
  const parts = Object.fromEntries(Object.entries(page.parts ?? {}).map(([id, file]) => [id, join(root, file)]));
  const { script, style } = await bundle(page.entry, [withoutParts(parts)]);
  const later = { ...(await laterScripts(page.later ?? {})), ...(await laterScripts(parts, asPart)) };
  const template = readFileSync(join(root, `${page.name}.html`), "utf8");
  if (!entryTag.test(template)) throw new Error(`${page.name}.html has no script to replace`);
  // What has to run before the first paint: the theme, since the page is drawn while its long script is still read.
  const early = [...template.matchAll(/<script>(.*)<\/script>/g)].map(([, code]) => code);
  const html = template
    .replace(
      "<head>",
      () =>
        `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy([...early, script, ...Object.values(later)])}">`,
    )
    .replace(entryTag, "")
    .replace("</head>", () => `<style>${style}</style>\n</head>`)
    .replace("</body>", () => `${waiting(later)}<script>${script}</script>\n</body>`);
  const size = Buffer.byteLength(html);
  if (size > page.limit) throw new Error(`${page.name}.html has ${size} bytes; ${page.limit} are allowed`);
  writeFileSync(join(out, `${page.name}.html`), html);
  console.log(`${page.name}.html  ${Math.round(size / 1024)} KB`);
}

// The font as a file, for bubble and menus, which the desktop's toolkit draws.
mkdirSync(join(out, "fonts"), { recursive: true });
const letters = "node_modules/@fontsource-variable/nunito/files/nunito-latin-wght-normal.woff2";
copyFileSync(join(root, letters), join(out, "fonts", "nunito.woff2"));

writeFileSync(join(out, "licences.txt"), `${licences(root)}\n`);

/** Build scripts that the page holds as text and runs on demand; the policy allows them too. */
async function laterScripts(entries, options) {
  const scripts = {};
  for (const [id, entry] of Object.entries(entries)) {
    const { script, style } = await bundle(entry, [], options);
    if (style) throw new Error(`${entry} has styles of its own`);
    scripts[id] = script;
  }
  return scripts;
}

function waiting(scripts) {
  return Object.entries(scripts)
    .map(([id, script]) => `<script type="text/plain" id="${id}">${script}</script>\n`)
    .join("");
}

async function bundle(entry, plugins = [], { output, ...options } = {}) {
  const [result] = [
    await build({
      root,
      configFile: join(root, "vite.config.ts"),
      logLevel: "warn",
      plugins: [oneFormat, onlyShown, ...plugins],
      json: { stringify: true },
      build: {
        write: false,
        target: "chrome110",
        modulePreload: false,
        cssCodeSplit: false,
        assetsInlineLimit: 10_000_000,
        rolldownOptions: {
          input: resolve(root, entry),
          ...options,
          output: { format: "iife", codeSplitting: false, ...output },
        },
      },
    }),
  ].flat();
  const scripts = result.output.filter((file) => file.type === "chunk");
  const styles = result.output.filter((file) => file.type === "asset" && file.fileName.endsWith(".css"));
  const others = result.output.length - scripts.length - styles.length;
  if (scripts.length !== 1 || others !== 0) throw new Error(`${entry} does not build to one script`);
  return {
    script: inlineScript(scripts[0].code.trim()),
    style: styles
      .map((file) => String(file.source).trim())
      .join("\n")
      .replace(/<(?=\/style)/gi, "\\3C "),
  };
}

function policy(scripts) {
  const hashes = scripts.map((script) => `'sha256-${createHash("sha256").update(script, "utf8").digest("base64")}'`);
  return [
    "default-src 'none'",
    // 'unsafe-eval' only because the injection of pywebview needs it.
    `script-src ${hashes.join(" ")} 'unsafe-eval'`,
    "style-src 'unsafe-inline'",
    "font-src data:",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Syntax colours: highlight.js's token tree becomes elements, never HTML text. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import type { ComponentChild } from "preact";

export const LANGUAGES = {
  bash,
  c,
  css,
  diff,
  go,
  ini,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, grammar] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, grammar);

/** Characters; longer code stays plain, so that typing stays fast. */
const MOST = 20_000;
/** Depth of the token tree; deeper code (templates in templates) stays plain. */
const DEEPEST = 40;

interface Piece {
  scope?: string;
  children: (Piece | string)[];
}

/** Return the highlighted code, or the code as it is on failure. Never throws. */
export function highlight(code: string, language: string): ComponentChild {
  if (code.length > MOST || !hljs.getLanguage(language)) return code;
  const tree = treeOf(code, language);
  return tree && says(tree, code) ? tree.children.map(draw) : code;
}

function treeOf(code: string, language: string): Piece | null {
  try {
    const result = hljs.highlight(code, { language, ignoreIllegals: true });
    // The tree is not in the types, but the public emitter interface exposes it.
    return (result._emitter as unknown as { rootNode: Piece }).rootNode;
  } catch {
    return null; // an error in a grammar: plain code
  }
}

/** Whether the tree holds exactly this code, not too deep. A grammar that fails inside another drops text. */
function says(tree: Piece, code: string): boolean {
  const open: { piece: Piece | string; depth: number }[] = [{ piece: tree, depth: 0 }];
  let at = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const { piece, depth } = next;
    if (depth > DEEPEST) return false;
    if (typeof piece === "string") {
      if (!code.startsWith(piece, at)) return false;
      at += piece.length;
    } else {
      for (const child of piece.children.toReversed()) open.push({ piece: child, depth: depth + 1 });
    }
  }
  return at === code.length;
}

function draw(piece: Piece | string): ComponentChild {
  if (typeof piece === "string") return piece;
  const inside = piece.children.map(draw);
  const name = (piece.scope ?? "").split(".")[0];
  return name ? <span class={`hl-${name}`}>{inside}</span> : inside;
}

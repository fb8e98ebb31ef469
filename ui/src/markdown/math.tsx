/**
 * Formulas in a reply: `$…$`, `\(…\)`, `$$…$$` and `\[…\]`. What sets them is loaded with the first one; until then,
 * and where it is no formula after all, the text stands as it was written.
 */
import { signal } from "@preact/signals";
import type { TokenizerAndRendererExtension, Tokens } from "marked";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { memo } from "../components/memo";
import { t } from "../texts";

export interface MathToken extends Tokens.Generic {
  type: "math";
  tex: string;
  display: boolean;
}

/** Longer is no formula, and setting it would take too long. Its end is looked for no further: each sign may begin one. */
const MOST = 3000;
/** Elements in elements; deeper is no formula, as laying it out recurses. A continued fraction of 20 levels has 145. */
const DEEPEST = 300;
/** Braces in braces; setting many takes seconds. */
const DEEPEST_BRACES = 60;
/** What covers, moves, paints boxes or redefines: a formula needs none of it, and an imitation of the program does. */
const MOVES =
  /\\(?:(?:(?:math)?[rlc]lap|smash|raisebox|vcenter|rule|[cf]?f?colorbox|fbox|html(?:Id|Class|Style|Data)|href|url|includegraphics|(?:new|renew|provide)command|[gex]?def|let|futurelet|global|long|arraystretch|every[a-z]+)(?![A-Za-z])|(?:m?kern|[hm]skip)\s*[^\s\d.])/;
/** A length below zero draws over what stands there. */
const BACKWARDS = /[[{]\s*-\s*[\d.,]+\s*(?:em|ex|pt|mm|cm|in|bp|pc|dd|cc|nd|nc|sp|mu|px)\s*[\]}]/;
const NARROWING = /\\(?:!|neg(?:thin|med|thick)space)/g;
const MOST_NARROWING = 12;
const NEAR = 2000;
const INLINE = [
  { begin: /^\$\$(?!\$)((?:\\.|[^\\$]){1,3000}?)\$\$/, display: true },
  { begin: /^\\\[((?:[^\\]|\\(?!\])){1,3000}?)\\\]/, display: true },
  { begin: /^\\\(((?:[^\\]|\\(?!\))){1,3000}?)\\\)/, display: false },
  // As prices are: no blank inside, no digit behind. "$5 and $10" is money.
  { begin: /^\$(?![\s$])((?:\\.|[^\\$\n]){0,3000}?(?:\\.|[^\\$\s]))\$(?![\d$])/, display: false },
];
const BLOCK = /^ {0,3}(?:\$\$([\s\S]{1,3000}?)\$\$|\\\[([\s\S]{1,3000}?)\\\])[ \t]*(?:\n|$)/;

function token(raw: string, tex: string, display: boolean): MathToken | undefined {
  return tex.trim() && tex.length <= MOST ? { type: "math", raw, tex: tex.trim(), display } : undefined;
}

export const MATH: TokenizerAndRendererExtension[] = [
  {
    name: "math",
    level: "inline",
    // Asked at every token: searching the whole rest each time would be quadratic. A text may be cut anywhere.
    start: (text) => {
      const near = text.slice(0, NEAR);
      const at = near.search(/\$|\\[([]/);
      if (at >= 0) return at;
      if (text.length <= NEAR) return undefined;
      const space = near.lastIndexOf(" ");
      return space > 0 ? space : NEAR;
    },
    tokenizer(text) {
      for (const { begin, display } of INLINE) {
        const found = begin.exec(text);
        if (found) return token(found[0], found[1] ?? "", display);
      }
      return undefined;
    },
  },
  {
    name: "math",
    level: "block",
    // Where a line begins; the text may begin within one.
    start: (text) => {
      const at = text.search(/\n {0,3}(?:\$\$|\\\[)/);
      return at < 0 ? undefined : at + 1;
    },
    tokenizer(text) {
      const found = BLOCK.exec(text);
      return found ? token(found[0], found[1] ?? found[2] ?? "", true) : undefined;
    },
  },
];

const setter = signal<Window["__soulpetMath"]>(undefined);
let asked = false;

async function load(): Promise<void> {
  if (asked) return;
  asked = true;
  const held = document.getElementById("math");
  if (held) {
    // The page's policy lets exactly this text run.
    const script = document.createElement("script");
    script.textContent = held.textContent;
    document.head.append(script);
    held.remove();
  } else if (import.meta.env.DEV) {
    await import("../math/main");
  }
  setter.value = window.__soulpetMath;
}

/** Whether a formula keeps to its own place. Another one is shown as it was written. */
export function stays(tex: string): boolean {
  return !MOVES.test(tex) && !BACKWARDS.test(tex) && (tex.match(NARROWING)?.length ?? 0) <= MOST_NARROWING;
}

/** The formula as MathML; null where none is set, or not yet: with the first one that is drawn comes what sets them. */
export function mathOf(tex: string): Element | null {
  const into = document.createElement("span");
  const set = stays(tex) && braces(tex) <= DEEPEST_BRACES && setter.value?.(tex, into, false);
  const math = set ? into.querySelector("math") : null;
  return math && depth(math) <= DEEPEST ? math : null;
}

function braces(tex: string): number {
  let now = 0;
  let deepest = 0;
  for (const sign of tex) {
    if (sign === "{") now += 1;
    if (sign === "}") now -= 1;
    deepest = Math.max(deepest, now);
  }
  return deepest;
}

/** Elements in elements, counted without recursion. */
function depth(of: Element): number {
  const walker = document.createTreeWalker(of, NodeFilter.SHOW_ELEMENT);
  let now = 0;
  let deepest = 0;
  while (true) {
    if (walker.firstChild()) {
      now += 1;
      deepest = Math.max(deepest, now);
      continue;
    }
    while (!walker.nextSibling()) {
      if (!walker.parentNode()) return deepest;
      now -= 1;
    }
  }
}

export const Formula = memo(({ token }: { token: MathToken }) => {
  const { tex, display, raw } = token;
  const set = setter.value;
  const [refused, setRefused] = useState(false);
  const place = useRef<HTMLElement | null>(null);
  useEffect(() => void load(), []);
  useLayoutEffect(() => {
    const into = place.current;
    if (!set || !into) return;
    if (stays(tex) && braces(tex) <= DEEPEST_BRACES && set(tex, into, display) && depth(into) <= DEEPEST)
      return setRefused(false);
    into.replaceChildren();
    setRefused(true);
  }, [set, tex, display]);

  if (!set || refused) return <code class="no-formula">{raw.trim()}</code>;
  if (!display) return <span class="formula" ref={place} key="set" />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms; a region would be a landmark for each
    <div
      class="formula display"
      ref={(element) => {
        place.current = element;
      }}
      key="set"
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide formula must be scrollable by keyboard
      tabIndex={0}
      aria-label={t("ui.md.formula")}
    />
  );
});

/** Formulas: recognised in Markdown, typeset by KaTeX (loaded with the first one), and as words for screen readers. */
import { signal } from "@preact/signals";
import type { TokenizerAndRendererExtension, Tokens } from "marked";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { memo } from "../components/boundary";
import { SCROLLS } from "../components/controls";
import { t } from "../texts";

export interface MathToken extends Tokens.Generic {
  type: "math";
  tex: string;
  display: boolean;
}

/**
 * Characters of a formula: longer ones are text, and their end is not searched further, since each sign may begin
 * one.
 */
const MOST = 3000;
/** Depth of elements, since layout recurses. A continued fraction of 20 levels has 145. */
const DEEPEST = 300;
/** Depth of braces, since typesetting many takes seconds. */
const DEEPEST_BRACES = 60;
/** Commands that cover, move, paint or redefine: formulas need none of them, imitations of the program do. */
const MOVES =
  /\\(?:(?:(?:math)?[rlc]lap|smash|raisebox|vcenter|rule|[cf]?f?colorbox|fbox|html(?:Id|Class|Style|Data)|href|url|includegraphics|(?:new|renew|provide)command|[gex]?def|let|futurelet|global|long|arraystretch|every[a-z]+)(?![A-Za-z])|(?:m?kern|[hm]skip)\s*[^\s\d.])/;
/** Negative lengths draw over other content. */
const BACKWARDS = /[[{]\s*-\s*[\d.,]+\s*(?:em|ex|pt|mm|cm|in|bp|pc|dd|cc|nd|nc|sp|mu|px)\s*[\]}]/;
const NARROWING = /\\(?:!|neg(?:thin|med|thick)space)/g;
const MOST_NARROWING = 12;
const NEAR = 2000;
const INLINE = [
  { begin: /^\$\$(?!\$)((?:\\.|[^\\$]){1,3000}?)\$\$/, display: true },
  { begin: /^\\\[((?:[^\\]|\\(?!\])){1,3000}?)\\\]/, display: true },
  { begin: /^\\\(((?:[^\\]|\\(?!\))){1,3000}?)\\\)/, display: false },
  // Inline formulas have no blank inside the signs and no digit after: "$5 and $10" is money.
  { begin: /^\$(?![\s$])((?:\\.|[^\\$\n]){0,3000}?(?:\\.|[^\\$\s]))\$(?![\d$])/, display: false },
];
const BLOCK = /^ {0,3}(?:\$\$([\s\S]{1,3000}?)\$\$|\\\[([\s\S]{1,3000}?)\\\])[ \t]*(?:\n|$)/;

const NUMBER = String.raw`\d[\d.,]*`;
/** Amounts with their signs before and after ("$20, 30$ or 40$"): two numbers, or a number, words and a number. */
const MONEY = new RegExp(
  String.raw`^${NUMBER}(?=.*[\d.,]$)(?:\s*[,;，、~–-]\s+|[，、~–-]|.*(?:\s\p{L}{2,}|[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]).*)${NUMBER}$`,
  "u",
);

function token(raw: string, tex: string, display: boolean): MathToken | undefined {
  return tex.trim() && tex.length <= MOST ? { type: "math", raw, tex: tex.trim(), display } : undefined;
}

export const MATH: TokenizerAndRendererExtension[] = [
  {
    name: "math",
    level: "inline",
    // Called for every token: searching the whole rest would be quadratic. A text may be cut anywhere.
    start: (text) => {
      const near = text.slice(0, NEAR);
      const at = near.search(/\$|\\[([]/);
      if (at >= 0) return at;
      if (text.length <= NEAR) return undefined;
      const space = near.lastIndexOf(" ");
      return space > 0 ? space : NEAR;
    },
    tokenizer(text, tokens) {
      // "20$": the sign belongs to the number before it.
      if (text.startsWith("$") && /\d$/.test(tokens.at(-1)?.raw ?? "")) return undefined;
      for (const { begin, display } of INLINE) {
        const match = begin.exec(text);
        if (match) return MONEY.test(match[1] ?? "") ? undefined : token(match[0], match[1] ?? "", display);
      }
      return undefined;
    },
  },
  {
    name: "math",
    level: "block",
    // Starts of lines; the text may start within one.
    start: (text) => {
      const at = text.search(/\n {0,3}(?:\$\$|\\\[)/);
      return at < 0 ? undefined : at + 1;
    },
    tokenizer(text) {
      const match = BLOCK.exec(text);
      return match ? token(match[0], match[1] ?? match[2] ?? "", true) : undefined;
    },
  },
];

const setter = signal<Window["__soulpetMath"]>(undefined);
let requested = false;

async function load(): Promise<void> {
  if (requested) return;
  requested = true;
  const held = document.getElementById("math");
  if (held) {
    // The page's policy allows exactly this script.
    const script = document.createElement("script");
    script.textContent = held.textContent;
    document.head.append(script);
    held.remove();
  } else if (import.meta.env.DEV) {
    await import("../math/main");
  }
  setter.value = window.__soulpetMath;
}

/** Whether a formula stays within its own box; another is shown as written. */
export function keepsItsBox(tex: string): boolean {
  return !MOVES.test(tex) && !BACKWARDS.test(tex) && (tex.match(NARROWING)?.length ?? 0) <= MOST_NARROWING;
}

/** Return the formula as MathML, or null if it is not one or KaTeX is not loaded yet; the first call loads it. */
function mathOf(tex: string): Element | null {
  const into = document.createElement("span");
  const set = keepsItsBox(tex) && braces(tex) <= DEEPEST_BRACES && setter.value?.(tex, into, false);
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

/** Return the depth of elements, without recursion. */
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
    if (keepsItsBox(tex) && braces(tex) <= DEEPEST_BRACES && set(tex, into, display) && depth(into) <= DEEPEST)
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
      {...SCROLLS}
      aria-label={t("ui.md.formula")}
    />
  );
});

const RAISED = signs("0123456789+−-=()niabcdeghjklmoprstuvwxyzT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ");
const LOWERED = signs("0123456789+−-=()aeijknoprstuvxhlm", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑᵢⱼₖₙₒₚᵣₛₜᵤᵥₓₕₗₘ");
const SHIFTED = new Set([...RAISED.values(), ...LOWERED.values()]);
const ROOTS: Record<string, string> = { "3": "∛", "4": "∜" };
/** Operators spoken with spaces around. */
const BETWEEN = /^[-+−=±∓<>≤≥≠≈≡∼∝→⇒⇔↔∈∉⊂⊆∪∩∧∨·⋅×÷:]$/u;
/** Invisible operators: application, multiplication, separator. */
const UNSAID = /[\u2061-\u2064\u200b]/g;

/** Return the TeX where no MathML exists. */
export function spokenFormula(tex: string): string {
  const math = mathOf(tex);
  return math ? spoken(math).replace(/\s+/g, " ").trim() : tex;
}

function spoken(node: Element): string {
  const [first = "", second = "", third = ""] = [...node.children].map(spoken);
  switch (node.localName) {
    case "mi":
    case "mn":
    case "mtext":
      return node.textContent ?? "";
    case "mo":
      return (node.textContent ?? "").replace(UNSAID, " ");
    case "mfrac":
      return node.getAttribute("linethickness") === "0px" ? `${first}, ${second}` : `${term(first)}/${whole(second)}`;
    case "msqrt":
      return `√${whole(row(node))}`;
    case "mroot":
      return (ROOTS[second] ?? `${shifted(second, RAISED, "")}√`) + whole(first);
    case "msup":
      return first + shifted(second, RAISED, "^");
    case "msub":
      return first + shifted(second, LOWERED, "_");
    case "msubsup":
    case "munderover":
      return first + shifted(second, LOWERED, "_") + shifted(third, RAISED, "^");
    case "munder":
      return first + shifted(second, LOWERED, "_");
    case "mover":
      return node.getAttribute("accent") === "true" ? first + second : first + shifted(second, RAISED, "^");
    case "mtable":
      return [...node.children].map(spoken).join("; ");
    case "mtr":
      return [...node.children].map(spoken).join(" ");
    case "mspace":
      return " ";
    case "annotation":
    case "mphantom":
      return "";
    default:
      return row(node);
  }
}

function row(node: Element): string {
  let out = "";
  for (const child of node.children) {
    const words = spoken(child);
    // A sign at the beginning belongs to the next part.
    const between = child.localName === "mo" && BETWEEN.test(words) && out !== "" && !/[([{=,]\s*$/.test(out);
    const sum = /^m(?:sub|sup|under|over)/.test(child.localName) && child.firstElementChild?.localName === "mo";
    out += between ? ` ${words} ` : sum || /^[,;]$/.test(words) ? `${words} ` : words;
  }
  return out.trim();
}

function shifted(words: string, to: ReadonlyMap<string, string>, mark: string): string {
  const close = words.replace(/\s/g, "");
  if (close === "∘" || close === "°") return "°";
  if (/^[′*'∗]+$/.test(close)) return close;
  const each = [...close].map((sign) => to.get(sign));
  return each.includes(undefined) ? mark + whole(words) : each.join("");
}

/** Parenthesise a term of several parts. */
function whole(words: string): string {
  const single = /^[\d.,]+$/.test(words) || [...words].slice(1).every((sign) => SHIFTED.has(sign));
  return single ? words : `(${words})`;
}

/** A product needs no parentheses. */
function term(words: string): string {
  return /[-+−±∓ ]/.test(words.replace(/\([^()]*\)/g, "")) ? `(${words})` : words;
}

function signs(from: string, to: string): ReadonlyMap<string, string> {
  const into = [...to];
  return new Map([...from].map((sign, at) => [sign, into[at] ?? ""]));
}

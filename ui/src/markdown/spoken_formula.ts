/**
 * A formula for who hears a whole reply at once: the parts that MathML tells, as plain characters in one line. The core
 * does the same for bubbles and titles, from TeX (pet/text/plain_formula.py). Pure but for the setting of the formula.
 */
import { mathOf } from "./math";

const RAISED = signs("0123456789+−-=()niabcdeghjklmoprstuvwxyzT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ");
const LOWERED = signs("0123456789+−-=()aeijknoprstuvxhlm", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑᵢⱼₖₙₒₚᵣₛₜᵤᵥₓₕₗₘ");
const SHIFTED = new Set([...RAISED.values(), ...LOWERED.values()]);
const ROOTS: Record<string, string> = { "3": "∛", "4": "∜" };
/** What stands between two things, and has room around it. */
const BETWEEN = /^[-+−=±∓<>≤≥≠≈≡∼∝→⇒⇔↔∈∉⊂⊆∪∩∧∨·⋅×÷:]$/u;
/** Applied to, times, joined: said by nobody. */
const UNSAID = /[\u2061-\u2064\u200b]/g;

/** As it was written, where nothing sets it. */
export function spokenFormula(tex: string): string {
  const math = mathOf(tex);
  return math ? said(math).replace(/\s+/g, " ").trim() : tex;
}

function said(node: Element): string {
  const [first = "", second = "", third = ""] = [...node.children].map(said);
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
      return [...node.children].map(said).join("; ");
    case "mtr":
      return [...node.children].map(said).join(" ");
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
    const words = said(child);
    // A sign at the beginning is that of what follows.
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

/** A thing of several parts stands in brackets. */
function whole(words: string): string {
  const single = /^[\d.,]+$/.test(words) || [...words].slice(1).every((sign) => SHIFTED.has(sign));
  return single ? words : `(${words})`;
}

/** A product needs none. */
function term(words: string): string {
  return /[-+−±∓ ]/.test(words.replace(/\([^()]*\)/g, "")) ? `(${words})` : words;
}

function signs(from: string, to: string): ReadonlyMap<string, string> {
  const into = [...to];
  return new Map([...from].map((sign, at) => [sign, into[at] ?? ""]));
}

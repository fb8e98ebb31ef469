/**
 * Words marked where they stand on the page, without a change to its elements; kept up while the page changes. The
 * match that is looked at is marked apart, its folded part opened, and brought into sight below the field.
 */
import { type Match, PARTS, placesOf } from "./find_matches";

const EVERY = "found";
const HERE = "found-here";
/** Beside the match that is looked at, in pixels: the field above it, and some of what comes after. */
const ABOVE = 76;
const BELOW = 40;

/** Returns what takes the marks away. Where the web view can't mark, it only brings into sight. */
export function markWords(frame: Element | null, words: readonly string[], here: Match | null): () => void {
  const list = frame?.querySelector(".messages-content");
  if (!list || words.length === 0) return () => undefined;
  const marks = typeof Highlight === "undefined" ? null : CSS.highlights;
  let asked = 0;
  let shown = false;
  const mark = () => {
    asked = 0;
    const current = here && rangeOf(list, words, here);
    marks?.set(EVERY, new Highlight(...ranges(list, words)));
    marks?.set(HERE, new Highlight(...(current ? [current] : [])));
    if (!current || shown) return;
    shown = true;
    reveal(current);
  };
  const soon = () => {
    asked ||= requestAnimationFrame(mark);
  };
  mark();
  const watch = new MutationObserver(soon);
  watch.observe(list, { childList: true, characterData: true, subtree: true });
  return () => {
    watch.disconnect();
    cancelAnimationFrame(asked);
    marks?.delete(EVERY);
    marks?.delete(HERE);
  };
}

function rangeOf(list: Element, words: readonly string[], { turn, nth }: Match): Range | undefined {
  const slot = list.querySelector(`[data-slot="${CSS.escape(turn)}"]`);
  return slot ? ranges(slot, words)[nth] : undefined;
}

function ranges(within: Element, words: readonly string[]): Range[] {
  return [...within.querySelectorAll(PARTS)].flatMap((part) => rangesIn(part, words));
}

/** Also across the elements that a word's parts are in: bold, links, code. */
function rangesIn(part: Element, words: readonly string[]): Range[] {
  const nodes: { node: Text; from: number }[] = [];
  let text = "";
  let block: Element | null = null;
  const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode() as Text | null; node !== null; node = walk.nextNode() as Text | null) {
    const its = node.parentElement?.closest("p, li, td, th, pre, h1, h2, h3, h4, h5, h6, blockquote") ?? null;
    if (text !== "" && its !== block) text += "\n";
    block = its;
    nodes.push({ node, from: text.length });
    text += node.data;
  }
  return placesOf(text.toLowerCase(), words).flatMap(([from, to]) => {
    const start = nodes.findLast((each) => each.from <= from);
    const end = nodes.findLast((each) => each.from < to);
    if (!start || !end) return [];
    const range = new Range();
    range.setStart(start.node, Math.min(from - start.from, start.node.length));
    range.setEnd(end.node, Math.min(to - end.from, end.node.length));
    return [range];
  });
}

function reveal(range: Range): void {
  const element = range.startContainer.parentElement;
  for (let folded = element?.closest("details:not([open])"); folded; folded = folded.closest("details:not([open])")) {
    (folded as HTMLDetailsElement).open = true;
  }
  const box = element?.closest(".messages");
  if (!box || typeof range.getBoundingClientRect !== "function") return;
  const [at, frame] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
  const over = at.top - (frame.top + ABOVE);
  const under = at.bottom - (frame.bottom - BELOW);
  if (over < 0) box.scrollTop += over;
  else if (under > 0) box.scrollTop += Math.min(under, over);
}

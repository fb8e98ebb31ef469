/**
 * One of the pet's files as its Markdown means it: lines end where they end in the chat, save those that only an editor
 * wrapped; comments are notes, links ask the core.
 * Draws what stands in the file and nothing else; the file is untrusted, as every text here.
 */
import { useMemo } from "preact/hooks";
import { Markdown } from "../../markdown/markdown";
import { useStore } from "../../state/context";

export function FileText({ text, label }: { text: string; label: string }) {
  const store = useStore();
  const shown = useMemo(() => withNotes(unwrapped(text)), [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must be scrollable by keyboard
    <section class="file-text" tabIndex={0} aria-label={label}>
      <Markdown text={shown} onLink={(url) => void store.notices.attempt(() => store.commands.openLink({ url }))} />
    </section>
  );
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** A line as wide as this goes on in the next: an editor broke it, not its writer. */
const WRAPPED = 76;
const WIDE = /[\u2e80-\uffee]/;
const MARKUP = /^\s*(?:[-*+>#|<]|\d+[.)]\s|$)/;

/** Wide lines joined with what follows in their paragraph, outside of code. Pure. */
export function unwrapped(text: string): string {
  const made: string[] = [];
  let fence = "";
  let open = false;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    const last = made.at(-1);
    const joins = open && fence === "" && mark === undefined && !MARKUP.test(line) && last !== undefined;
    if (mark !== undefined && (fence === "" || mark.startsWith(fence))) fence = fence === "" ? mark : "";
    if (joins) made[made.length - 1] = last + (WIDE.test(last.slice(-1) + line[0]) ? "" : " ") + line.trimStart();
    else made.push(line);
    open = !/^\s*[#|<]/.test(made.at(-1) ?? "") && columns(line) >= WRAPPED && !/ {2}$|\\$/.test(line);
  }
  return made.join("\n");
}

function columns(line: string): number {
  return [...line].reduce((sum, sign) => sum + (WIDE.test(sign) ? 2 : 1), 0);
}

/** A comment that stands alone becomes a quotation, so that it is read too: the pet reads it. Pure. */
export function withNotes(text: string): string {
  if (!text.includes("<!--")) return text;
  const made: string[] = [];
  let fence = "";
  let inside = false;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (!inside && mark !== undefined && (fence === "" || mark.startsWith(fence))) fence = fence === "" ? mark : "";
    if (fence !== "" || (!inside && !/^ {0,3}<!--/.test(line))) {
      made.push(line);
      continue;
    }
    const ends = line.trimEnd().endsWith("-->");
    const words = line.replace(inside ? "" : /^ {0,3}<!--\s?/, "").replace(/\s*-->\s*$/, "");
    made.push(`> ${words}`);
    if (ends) made.push("");
    inside = !ends;
  }
  return made.join("\n");
}

/**
 * A file's Markdown as shown in the preview: line breaks as in the chat, except those of editors' wrapping; comments
 * are notes; links go to the core. The file is untrusted.
 */
import { useMemo } from "preact/hooks";
import { SCROLLS } from "../../components/controls";
import { Markdown } from "../../markdown/markdown";
import { useStore } from "../../state/context";

export function FileText({ text, label }: { text: string; label: string }) {
  const store = useStore();
  const shown = useMemo(() => withNotes(unwrapped(text)), [text]);
  return (
    <section class="file-text" {...SCROLLS} aria-label={label}>
      <Markdown text={shown} onLink={(url) => void store.notices.attempt(() => store.commands.openLink({ url }))} />
    </section>
  );
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Columns from which a line counts as wrapped by an editor. */
const WRAPPED = 76;
const WIDE = /[\u2e80-\uffee]/;
const MARKUP = /^\s*(?:[-*+>#|<]|\d+[.)]\s|$)/;

/** Join wrapped lines within their paragraph, outside of code. Pure. */
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

/** Turn comments on lines of their own into quotes, which are shown: the pet reads them too. Pure. */
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

/** The text editor (CodeMirror): Markdown of one file, line direction by its first letter, and updates that keep the cursor. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension, RangeSetBuilder } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { GFM, parser } from "@lezer/markdown";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { cutMarks } from "./cut_marks";

interface LineChange {
  /** in the old text, in UTF-16 code units */
  from: number;
  to: number;
  insert: string;
}

/** Cells of the comparison; above it, everything between the common start and end is one change. */
const MOST_CELLS = 1_000_000;

export function lineChanges(old: string, next: string): LineChange[] {
  const [a, b] = [withEnds(old), withEnds(next)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const start = lengthOf(a.slice(0, head));
  const [mine, theirs] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  if (mine.length * theirs.length > MOST_CELLS) {
    return [{ from: start, to: start + lengthOf(mine), insert: theirs.join("") }];
  }
  return between(mine, theirs, start);
}

/** Compare by the longest common subsequence of lines. */
function between(a: string[], b: string[], start: number): LineChange[] {
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const cell = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  const changes: LineChange[] = [];
  let [i, j, at] = [0, 0, start];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      at += (a[i] ?? "").length;
      i += 1;
      j += 1;
      continue;
    }
    const change: LineChange = { from: at, to: at, insert: "" };
    while ((i < a.length || j < b.length) && !(i < a.length && j < b.length && a[i] === b[j])) {
      if (j < b.length && (i === a.length || cell(i, j + 1) >= cell(i + 1, j))) {
        change.insert += b[j];
        j += 1;
      } else {
        change.to += (a[i] ?? "").length;
        i += 1;
      }
    }
    at = change.to;
    changes.push(change);
  }
  return changes;
}

function withEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function lengthOf(lines: string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

const auto = Decoration.line({ attributes: { dir: "auto" } });

class Directions {
  lines: DecorationSet;

  constructor(view: EditorView) {
    this.lines = inSight(view);
  }

  update(update: ViewUpdate): void {
    if (update.docChanged || update.viewportChanged) this.lines = inSight(update.view);
  }
}

function inSight(view: EditorView): DecorationSet {
  const made = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at);
      made.add(line.from, line.from, auto);
      at = line.to + 1;
    }
  }
  return made.finish();
}

function lineDirection(): Extension {
  return [
    EditorView.perLineTextDirection.of(true),
    ViewPlugin.fromClass(Directions, { decorations: (plugin) => plugin.lines }),
  ];
}

const colours = HighlightStyle.define([
  { tag: tags.heading, class: "tok-heading" },
  { tag: tags.strong, class: "tok-strong" },
  { tag: tags.emphasis, class: "tok-em" },
  { tag: tags.strikethrough, class: "tok-del" },
  { tag: [tags.link, tags.url], class: "tok-link" },
  { tag: tags.monospace, class: "tok-code" },
  { tag: [tags.processingInstruction, tags.contentSeparator], class: "tok-mark" },
  { tag: tags.quote, class: "tok-quote" },
  { tag: tags.comment, class: "tok-mark" },
]);
const markdown = new Language(defineLanguageFacet(), parser.configure([GFM]), [], "markdown");
/** Marks a change that came from outside the editor. */
const fromOutside = Annotation.define<boolean>();

const cut = new Compartment();

interface Props {
  value: string;
  label: string;
  /** characters that go into a prompt; 0: unlimited */
  limit: number;
  onChange: (text: string) => void;
  onSave: () => void;
  /** lines to scroll to, 1-based and inclusive; null once shown */
  at?: { start_line: number; end_line: number } | null;
  onShown?: () => void;
}

export function CodeEditor({ value, label, limit, onChange, onSave, at = null, onShown }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const calls = useRef({ onChange, onSave });
  calls.current = { onChange, onSave };

  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const run = () => {
      calls.current.onSave();
      return true;
    };
    const editor = new EditorView({
      parent,
      state: EditorState.create({
        doc: value,
        extensions: [
          history(),
          search({ top: true }),
          highlightSelectionMatches(),
          highlightActiveLine(),
          highlightSpecialChars(),
          EditorView.lineWrapping,
          lineDirection(),
          cut.of(cutMarks(limit)),
          markdown,
          syntaxHighlighting(colours),
          keymap.of([
            { key: "Mod-s", preventDefault: true, run },
            ...searchKeymap,
            ...historyKeymap,
            ...defaultKeymap,
          ]),
          EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            const outside = update.transactions.some((each) => each.annotation(fromOutside));
            if (update.docChanged && !outside) calls.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, [label]);

  useEffect(() => {
    view.current?.dispatch({ effects: cut.reconfigure(cutMarks(limit)) });
  }, [limit]);

  // Before the next key: an effect after painting would undo typing since.
  useLayoutEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const now = editor.state.doc.toString();
    if (now === value) return;
    // Saved, merged or changed elsewhere: keep cursor and scroll position.
    editor.dispatch({
      changes: lineChanges(now, value),
      effects: editor.scrollSnapshot(),
      annotations: fromOutside.of(true),
    });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !at) return;
    const { doc } = editor.state;
    const line = (wanted: number) => doc.line(Math.min(Math.max(1, wanted), doc.lines));
    const [from, to] = [line(at.start_line).from, line(Math.max(at.start_line, at.end_line)).to];
    editor.dispatch({
      selection: { anchor: from, head: to },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
    editor.focus();
    onShown?.();
  }, [at]);

  return <div class="code-editor" ref={place} />;
}

/** CodeMirror with Markdown colours. Refuses to swallow Tab, which leaves the editor, and to hide hidden characters. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, highlightSpecialChars, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { GFM, parser } from "@lezer/markdown";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { lineChanges } from "./line_changes";
import { lineDirection } from "./line_direction";
import { cutMarks } from "./truncation_marks";

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
  /** how many characters go into a prompt; 0: no such limit */
  limit: number;
  onChange: (text: string) => void;
  onSave: () => void;
  /** lines to bring into sight, 1-based and inclusive, until they were shown */
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

  // Before the next key can come: an effect after the painting would take back what was typed since.
  useLayoutEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const now = editor.state.doc.toString();
    if (now === value) return;
    // Saved, joined with another's change, or changed elsewhere: who reads or writes stays where they are.
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

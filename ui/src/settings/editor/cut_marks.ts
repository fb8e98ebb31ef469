/** Marks in the editor of what a prompt leaves out. */
import { type EditorState, type Extension, Facet, RangeSetBuilder, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter, WidgetType } from "@codemirror/view";
import { number, t } from "../../texts";
import { type Cut, sized } from "./truncation";

/** Characters that go into a prompt; 0: all. */
const limitOf = Facet.define<number, number>({ combine: (given) => given[0] ?? 0 });

function cutOf(state: EditorState): Cut | null {
  const limit = state.facet(limitOf);
  // A text has at least half as many characters as UTF-16 units.
  return limit > 0 && state.doc.length > limit ? sized(state.doc.toString(), limit).cut : null;
}

const cutField = StateField.define<Cut | null>({
  create: cutOf,
  update: (cut, change) => (change.docChanged || change.reconfigured ? cutOf(change.state) : cut),
  provide: (field) => EditorView.decorations.from(field, marks),
});

function marks(cut: Cut | null): DecorationSet {
  if (!cut || cut.from === cut.to) return Decoration.none;
  const made = new RangeSetBuilder<Decoration>();
  made.add(cut.from, cut.from, Decoration.widget({ widget: new Sign(cut.characters), side: -1 }));
  made.add(cut.from, cut.to, Decoration.mark({ class: "cm-cut" }));
  return made.finish();
}

class Sign extends WidgetType {
  constructor(private readonly characters: number) {
    super();
  }
  override eq(other: Sign): boolean {
    return other.characters === this.characters;
  }
  override toDOM(): HTMLElement {
    const sign = document.createElement("span");
    sign.className = "cm-cut-sign";
    sign.textContent = t("ui.file.cut_here", { count: number(this.characters) });
    return sign;
  }
}

class Bar extends GutterMarker {
  constructor(private readonly where: string) {
    super();
  }
  override elementClass = "";
  override eq(other: Bar): boolean {
    return other.where === this.where;
  }
  override toDOM(): HTMLElement {
    const bar = document.createElement("div");
    bar.className = `cm-cut-bar ${this.where}`;
    if (this.where !== "middle")
      bar.dataset["tip"] = t(this.where === "first" ? "ui.file.cut_head" : "ui.file.cut_tail");
    return bar;
  }
}

const FIRST = new Bar("first");
const MIDDLE = new Bar("middle");
const LAST = new Bar("last");

const bars = gutter({
  class: "cm-cut-gutter",
  lineMarker: (view, line) => {
    const cut = view.state.field(cutField);
    if (!cut || line.to < cut.from || line.from >= cut.to) return null;
    if (line.from <= cut.from) return FIRST;
    return line.to >= cut.to - 1 ? LAST : MIDDLE;
  },
  lineMarkerChange: (update) => update.startState.field(cutField) !== update.state.field(cutField),
});

export function cutMarks(limit: number): Extension {
  return [limitOf.of(limit), cutField, bars];
}

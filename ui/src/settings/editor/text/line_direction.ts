/** Each line of the editor runs as its own first letter says: Arabic and Hebrew from right to left. */
import type { Extension } from "@codemirror/state";
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

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

export function lineDirection(): Extension {
  return [
    EditorView.perLineTextDirection.of(true),
    ViewPlugin.fromClass(Directions, { decorations: (plugin) => plugin.lines }),
  ];
}

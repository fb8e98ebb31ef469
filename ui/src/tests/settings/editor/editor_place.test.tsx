import { EditorView } from "@codemirror/view";
import { describe, expect, it } from "vitest";
import { lineChanges } from "../../../settings/editor/code_editor";
import { button, find, type Mounted, mountApp, settle } from "../../render";

function applied(old: string, next: string): string {
  return lineChanges(old, next)
    .toReversed()
    .reduce((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), old);
}

describe("the changes between two texts", () => {
  it.each([
    ["", ""],
    ["", "a"],
    ["a", ""],
    ["a\nb\nc", "a\nx\nc"],
    ["a\nb\nc\n", "0\na\nb\nc\nd\n"],
    ["a\nb\nc", "c\nb\na"],
    ["a\n\nb\n", "\na\nb\n\n"],
    ["一\n二\n", "二\n三\n一\n"],
  ])("lead from %j to %j", (old, next) => {
    expect(applied(old, next)).toBe(next);
  });

  it("leave common lines alone", () => {
    expect(lineChanges("a\nb\nc\n", "0\na\nb\nd\n")).toEqual([
      { from: 0, to: 0, insert: "0\n" },
      { from: 4, to: 6, insert: "d\n" },
    ]);
  });
});

describe("the editor", () => {
  const text = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");

  async function open(): Promise<{ page: Mounted; editor: EditorView }> {
    const page = await mountApp((core) => core.files.set("SOUL.md", text));
    await settle(() => page.store.openFile("SOUL.md"));
    const editor = EditorView.findFromDOM(find(page.root, ".cm-editor"));
    if (!editor) throw new Error("no editor");
    return { page, editor };
  }

  const marked = ({ state }: EditorView) => state.sliceDoc(state.selection.main.from, state.selection.main.to);

  it("keeps its cursor and selection on Save, also when the save was joined with another's change", async () => {
    const { page, editor } = await open();
    const from = text.indexOf("line 20");
    await settle(() =>
      editor.dispatch({ changes: { from, insert: "My " }, selection: { anchor: from, head: from + 10 } }),
    );
    expect(marked(editor)).toBe("My line 20");
    await settle(() => button(page.root, "Save").click());
    expect(marked(editor)).toBe("My line 20");
    page.core.files.set("SOUL.md", `from elsewhere\n${editor.state.doc.toString()}\nand below`);
    await settle(() =>
      page.core.emit({ type: "workspace_changed", file: "SOUL.md", version: "v9", author: "pet", lost: null }),
    );
    expect(editor.state.doc.line(1).text).toBe("from elsewhere");
    expect(marked(editor)).toBe("My line 20");
  });
});

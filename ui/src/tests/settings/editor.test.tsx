/** The editor: truncation, preview, changes, conflicts, versions, templates, and opening at lines. */
import { EditorView } from "@codemirror/view";
import { describe, expect, it } from "vitest";
import type { FileView } from "../../bindings";
import { lineChanges } from "../../settings/editor/code_editor";
import { unwrapped, withNotes } from "../../settings/editor/file_text";
import { sized } from "../../settings/editor/truncation";
import type { FakeCore } from "../core/core";
import { version } from "../core/records";
import cuts from "../cuts.json";
import { button, find, type Mounted, mountApp, mountSettings, settle } from "../render";

const open = (prepare?: (core: FakeCore) => void) => mountSettings("SOUL.md", prepare);

function editor(page: Mounted): EditorView {
  const view = EditorView.findFromDOM(find(page.root, ".cm-editor"));
  if (!view) throw new Error("no editor");
  return view;
}

async function write(page: Mounted, text: string): Promise<void> {
  const view = editor(page);
  await settle(() => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }));
}

function answering(view: Partial<FileView>): (core: FakeCore) => void {
  return (core) => {
    core.handlers.read_file = ({ file }) => ({ ...core.fileView(file), ...view });
  };
}

describe("what a prompt leaves out", () => {
  it.each(cuts)("is where the core cuts: $piece up to $limit", ({ piece, times, limit, head, tail, cut }) => {
    const text = piece.repeat(times);
    const changes = sized(text, limit);
    expect(changes.characters).toBe([...text].length);
    if (cut === 0) return expect(changes.cut).toBeNull();
    const { from, to, characters } = changes.cut ?? { from: 0, to: 0, characters: 0 };
    expect([[...text.slice(0, from)].length, [...text.slice(to)].length, characters]).toEqual([head, tail, cut]);
  });

  it("is marked in the editor and beside it, and told by the meter", async () => {
    const page = await open((core) => core.files.set("SOUL.md", "line\n".repeat(4100)));
    expect(find(page.root, ".meter").textContent).toContain("20,500 of 20,000 characters");
    expect(find(page.root, ".meter").textContent).toContain("2,500 are not sent");
    expect(page.root.querySelectorAll(".cut-bar > span")).toHaveLength(3);
    const view = editor(page);
    await settle(() => view.dispatch({ selection: { anchor: 14_000 }, scrollIntoView: true }));
    await write(page, "x".repeat(300));
    expect(page.root.querySelector(".cut-bar")).toBeNull();
    expect(page.root.querySelector(".cm-cut")).toBeNull();
  });

  it("follows the limit of the settings", async () => {
    const page = await open((core) => {
      core.files.set("SOUL.md", "word ".repeat(100));
      answering({ limit: 300 })(core);
    });
    expect(find(page.root, ".cm-cut-sign").textContent).toBe("320 characters not sent: too long");
    expect(page.root.querySelector(".cm-cut-bar")).not.toBeNull();
  });
});

describe("the preview", () => {
  it.each([
    ["short\nlines", "short\nlines"],
    [`${"a ".repeat(40)}x\nand on`, `${"a ".repeat(40)}x and on`],
    [`${"中".repeat(40)}\n文`, `${"中".repeat(40)}文`],
    [`${"a".repeat(90)}\n- item`, `${"a".repeat(90)}\n- item`],
    [`# ${"a".repeat(90)}\ntext`, `# ${"a".repeat(90)}\ntext`],
    [`\`\`\`\n${"a".repeat(90)}\nb\n\`\`\``, `\`\`\`\n${"a".repeat(90)}\nb\n\`\`\``],
    [`- ${"a".repeat(90)}\n  b\n\nc`, `- ${"a".repeat(90)} b\n\nc`],
  ])("joins only lines that an editor wrapped: %j", (text, shown) => {
    expect(unwrapped(text)).toBe(shown);
  });

  it("shows the file as it means, and runs nothing of it", async () => {
    const page = await open((core) =>
      core.files.set(
        "SOUL.md",
        "# Soul\n\nOne line\nand the same.\n\n<!-- a note\nof mine -->\n\n<img src=x onerror='window.hurt=1'>\n\n" +
          "![far](https://example.org/a.png) [site](https://example.org) [bad](javascript:alert(1))\n",
      ),
    );
    await settle(() => button(page.root, "Preview").click());
    const shown = find(page.root, ".file-text");
    expect(shown.querySelector("[role=heading]")?.textContent).toBe("Soul");
    expect(shown.querySelector("p br")).not.toBeNull();
    expect(shown.querySelector("blockquote")?.textContent).toContain("a note");
    expect(shown.querySelector("img, script, iframe, [onerror]")).toBeNull();
    expect(shown.textContent).toContain("<img src=x onerror='window.hurt=1'>");
    const links = [...shown.querySelectorAll("a")].filter((link) => link.textContent === "site");
    await settle(() => links[0]?.click());
    expect(page.core.called("open_link")).toEqual([{ url: "https://example.org/" }]);
    expect([...shown.querySelectorAll("a")].some((link) => link.href.startsWith("javascript"))).toBe(false);
  });

  it("is of what is typed, not of what is saved", async () => {
    const page = await open();
    await write(page, "# Not saved yet\n");
    await settle(() => button(page.root, "Preview").click());
    expect(find(page.root, ".file-text").textContent).toContain("Not saved yet");
  });

  it("leaves comments in code alone", () => {
    const code = "```html\n<!-- stays -->\n```\n";
    expect(withNotes(code)).toBe(code);
    expect(withNotes("<!-- goes -->\ntext")).toBe("> goes\n\ntext");
    expect(withNotes("a <!-- inside --> b")).toBe("a <!-- inside --> b");
  });
});

describe("the editor", () => {
  it("discards what was typed, and only then is clean", async () => {
    const page = await open();
    const before = editor(page).state.doc.toString();
    expect(page.root.querySelector(".file-head .unsaved")).toBeNull();
    await write(page, "changed");
    expect(page.root.querySelector(".file-head .unsaved")).not.toBeNull();
    await settle(() => button(page.root, "Discard").click());
    expect(editor(page).state.doc.toString()).toBe(before);
    expect(page.core.called("write_file")).toEqual([]);
    expect(page.root.querySelector(".file-head .unsaved")).toBeNull();
  });

  it("tells of hidden characters, one or many", async () => {
    const one = await open(answering({ hidden_characters: 1 }));
    expect(find(one.root, ".hidden-badge").textContent).toBe("1 hidden character");
    const many = await open(answering({ hidden_characters: 4 }));
    expect(find(many.root, ".hidden-badge").textContent).toBe("4 hidden characters");
  });

  it("gives each line the direction of its own words", async () => {
    const page = await open((core) => core.files.set("SOUL.md", "# Soul\nمرحبا\n"));
    expect([...page.root.querySelectorAll(".cm-line")].every((line) => line.getAttribute("dir") === "auto")).toBe(
      true,
    );
    expect(editor(page).state.facet(EditorView.perLineTextDirection)).toBe(true);
  });

  it.each([
    ["file_not_utf8", "can't be read, so it was left alone"],
    ["file_too_large", "is too large"],
    ["file_unreadable", "can't be read"],
  ])("of a file that is broken (%s) says so and offers only its versions", async (problem, words) => {
    const page = await open(answering({ state: "broken", problem, text: "" }));
    expect(find(page.root, ".file-editor .fault").textContent).toContain(words);
    expect(page.root.querySelector(".cm-editor, .meter")).toBeNull();
    const offered = [...page.root.querySelectorAll(".file-editor .file-head .quiet-button, .file-foot button")].map(
      (each) => each.textContent,
    );
    expect(offered).toEqual(["Versions"]);
  });

  it("holds a file of a megabyte", async () => {
    const page = await open((core) => core.files.set("SOUL.md", "A line of text, and more.\n".repeat(40_000)));
    expect(editor(page).state.doc.length).toBe(1_040_000);
    expect(page.root.querySelectorAll(".cm-line").length).toBeLessThan(500);
    expect(find(page.root, ".meter").textContent).toContain("1,040,000");
  });
});

describe("a conflict", () => {
  it("follows the other writer while it is open", async () => {
    const page = await open();
    await write(page, "mine");
    const changed = async (text: string) => {
      page.core.files.set("SOUL.md", text);
      await settle(() =>
        page.core.emit({
          type: "workspace_changed",
          file: "SOUL.md",
          version: `v:${text}`,
          author: "pet",
          lost: null,
        }),
      );
    };
    await changed("first");
    expect(find(page.root, ".conflict .diff-lines").textContent).toContain("first");
    await changed("second");
    expect(find(page.root, ".conflict .diff-lines").textContent).toContain("second");
    expect(find(page.root, ".conflict .diff-lines").textContent).not.toContain("first");
    await write(page, "mine and more");
    expect(find(page.root, ".conflict .diff-lines").textContent).toContain("mine and more");
    await settle(() => button(page.root, "Use the file").click());
    expect(editor(page).state.doc.toString()).toBe("second");
  });

  it("tells when the difference can't be shown, and can still be settled", async () => {
    const page = await open();
    await write(page, "mine");
    page.core.fail("diff_texts", { code: "write_failed", args: { file: "x", reason: "EIO" }, retryable: true });
    page.core.files.set("SOUL.md", "theirs");
    await settle(() =>
      page.core.emit({ type: "workspace_changed", file: "SOUL.md", version: "v:theirs", author: "pet", lost: null }),
    );
    expect(find(page.root, ".conflict .fault").textContent).toContain("EIO");
    await settle(() => button(find(page.root, ".conflict"), "Retry").click());
    expect(find(page.root, ".conflict .diff-lines").textContent).toContain("theirs");
  });
});

describe("versions", () => {
  it("stand beside each other where there is room, below where there is none", async () => {
    const page = await open();
    await settle(() => button(page.root, "Versions").click());
    await settle(() => page.root.querySelectorAll<HTMLElement>(".version")[1]?.click());
    const beside = button(page.root, "Side by side");
    const wide = beside.getAttribute("aria-pressed") === "true";
    expect(page.root.querySelector(wide ? ".side-by-side" : "dialog .diff")).not.toBeNull();
    await settle(() => beside.click());
    expect(page.root.querySelector(wide ? "dialog .diff" : ".side-by-side")).not.toBeNull();
  });

  it("that say the same as the file now are no change: they say so, and the list opens on the last one", async () => {
    const same = { ...version("SOUL.md", "v2", "system", false), version: "v:now", backup: true };
    const page = await open((core) => {
      const now = { ...version("SOUL.md", "v3", "owner", true), version: "v:now" };
      core.handlers.list_versions = () => ({ versions: [now, same, version("SOUL.md", "v1", "pet", false)] });
    });
    await settle(() => button(page.root, "Versions").click());
    expect(page.core.called("diff_versions")).toEqual([{ file: "SOUL.md", old: "v1" }]);
    await settle(() => page.root.querySelectorAll<HTMLElement>(".version")[1]?.click());
    expect(find(page.root, ".version-view").textContent).toBe("This is the file as it is now.");
  });

  it("of a file that changes meanwhile are asked for again", async () => {
    const page = await open();
    await settle(() => button(page.root, "Versions").click());
    await settle(() =>
      page.core.emit({ type: "workspace_changed", file: "SOUL.md", version: "v:x", author: "pet", lost: null }),
    );
    expect(page.core.called("list_versions")).toHaveLength(2);
  });
});

describe("a template", () => {
  it("is read before it is used, and goes into the editor unsaved", async () => {
    const page = await open();
    await write(page, "");
    await settle(() => button(page.root, "Templates").click());
    expect(find(page.root, "dialog .file-text").textContent).toContain("A calm friend.");
    await settle(() => button(page.root, "Use").click());
    expect(editor(page).state.doc.toString()).toContain("A calm friend.");
    expect(page.core.called("write_file")).toEqual([]);
  });

  it("takes the place of a text only after a second yes", async () => {
    const page = await open();
    const before = editor(page).state.doc.toString();
    await settle(() => button(page.root, "Templates").click());
    await settle(() => button(page.root, "Use").click());
    expect(editor(page).state.doc.toString()).toBe(before);
    expect(find(page.root, "dialog [role=alert]").textContent).toContain("This replaces the text in the editor");
    await settle(() => button(page.root, "Replace the text").click());
    expect(editor(page).state.doc.toString()).toContain("A calm friend.");
    await settle(() => button(page.root, "Discard").click());
    expect(editor(page).state.doc.toString()).toBe(before);
  });

  it("of the owner's own says so, and where such ones lie", async () => {
    const page = await open((core) => {
      const [calm] = core.handlers.list_templates?.()?.templates ?? [];
      if (!calm) throw new Error("no template");
      const own = { ...calm, id: "own:fox", title: "Fox", own: true };
      core.handlers.list_templates = () => ({ templates: [calm, own], folder: "/home/lin/templates" });
    });
    await settle(() => button(page.root, "Templates").click());
    const dialog = find(page.root, "dialog");
    expect([...dialog.querySelectorAll(".soul-card")].map((each) => each.textContent)).toEqual([
      "Calm friend",
      "Foxyours",
    ]);
    expect(dialog.textContent).toContain("/home/lin/templates");
  });
});

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

describe("instructions that came with a workspace", () => {
  const held = (core: FakeCore) => {
    core.app = { ...core.app, held_files: ["AGENTS.md", "TOOLS.md"], asks_held: true };
    core.handlers.answer_instructions = ({ use }) => {
      core.app = { ...core.app, held_files: use ? [] : ["AGENTS.md", "TOOLS.md"], asks_held: false };
      return {};
    };
  };

  it("are asked about once, and can be used later beside the editor", async () => {
    const page = await mountApp(held);
    expect(find(page.root, ".paused").textContent).toContain("AGENTS.md, TOOLS.md came with this folder");
    await settle(() => button(page.root, "Leave them out").click());
    expect(page.root.querySelector(".paused")).toBeNull();
    await settle(() => page.store.openFile("AGENTS.md"));
    expect(page.root.textContent).toContain("This file came with the folder and isn't used.");
    await settle(() => button(page.root, "Use them").click());
    expect(page.core.called("answer_instructions")).toEqual([{ use: false }, { use: true }]);
    expect(page.root.textContent).not.toContain("isn't used");
  });
});

describe("a file that is gone", () => {
  const gone = (core: FakeCore) => {
    const lost = { file: "USER.md", since: "2026-11-20T09:30:00+08:00", version: "v7" };
    core.app = { ...core.app, lost_files: [lost] };
    core.handlers.restore_version = ({ file }) => {
      core.app = { ...core.app, lost_files: [] };
      return { outcome: "saved", file: core.fileView(file), receipt: null, merged_text: null };
    };
    core.handlers.begin_file = ({ file }) => {
      core.app = { ...core.app, lost_files: [] };
      return core.fileView(file);
    };
  };

  it("is said in the chat and beside the editor, and comes back with one click", async () => {
    const chat = await mountApp(gone);
    expect(find(chat.root, ".paused").textContent).toContain("USER.md has been missing since");
    await settle(() => button(chat.root, "Bring back the last version").click());
    expect(chat.core.called("restore_version")).toEqual([{ file: "USER.md", version: "v7" }]);
    expect(chat.root.querySelector(".paused")).toBeNull();
    const page = await open(gone);
    await settle(() => page.store.openFile("USER.md"));
    expect(page.root.textContent).not.toContain("This file doesn't exist yet");
    await settle(() => button(page.root, "Begin a new one").click());
    expect(page.core.called("begin_file")).toEqual([{ file: "USER.md" }]);
    expect(page.root.querySelector(".paused")).toBeNull();
  });

  it("is noticed while the page is open", async () => {
    const page = await mountApp();
    expect(page.root.querySelector(".paused")).toBeNull();
    gone(page.core);
    const event = {
      type: "workspace_changed",
      file: "USER.md",
      version: "missing",
      author: "outside",
      lost: null,
    } as const;
    await settle(() => page.core.emit(event));
    expect(page.root.querySelector(".paused")).not.toBeNull();
  });
});

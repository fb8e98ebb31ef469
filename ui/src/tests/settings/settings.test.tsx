import { EditorView } from "@codemirror/view";
import { beforeEach, describe, expect, it } from "vitest";
import type { FileView } from "../../bindings";
import { answered, arrived, dirty, joined, keepMine, opened, takeTheirs, typed } from "../../state/editing";
import { button, find, type Mounted, mountApp, settle, type } from "../render";

function view(text: string, more: Partial<FileView> = {}): FileView {
  return {
    file: "SOUL.md",
    state: "present",
    problem: "",
    text,
    version: `v:${text}`,
    characters: text.length,
    limit: 100,
    cut: 0,
    hidden_characters: 0,
    ...more,
  };
}

describe("editing", () => {
  const mine = typed(opened(view("base")), "mine");

  it("shows a change from elsewhere at once where nothing was typed", () => {
    expect(arrived(opened(view("base")), view("theirs"))).toMatchObject({
      text: "theirs",
      theirs: null,
      renewed: true,
    });
  });

  it("never drops what was typed", () => {
    const conflict = arrived(mine, view("theirs"));
    expect(conflict).toMatchObject({ text: "mine", theirs: { text: "theirs" } });
    expect(arrived(mine, view("", { state: "broken", problem: "file_not_utf8" })).text).toBe("mine");
    expect(arrived(mine, view("", { state: "missing", version: "missing" })).text).toBe("mine");
  });

  it("is no conflict where both wrote the same", () => {
    expect(dirty(arrived(mine, view("mine")))).toBe(false);
  });

  it("takes theirs, keeps mine on their base, or joins both", () => {
    const conflict = arrived(mine, view("theirs"));
    expect(takeTheirs(conflict)).toMatchObject({ text: "theirs", theirs: null });
    expect(keepMine(conflict)).toMatchObject({ text: "mine", theirs: null, file: { version: "v:theirs" } });
    expect(joined(conflict, view("theirs"), "both")).toMatchObject({ text: "both", file: { version: "v:theirs" } });
    expect(joined(conflict, view("theirs"), null)).toMatchObject({ text: "mine", overlap: true });
  });

  it("keeps what was typed while it was being saved", () => {
    const reply = { outcome: "saved", file: view("mine"), receipt: null, merged_text: null } as const;
    expect(dirty(answered(mine, "mine", reply))).toBe(false);
    expect(answered(typed(mine, "mine and more"), "mine", reply)).toMatchObject({ text: "mine and more" });
  });
});

describe("the editor", () => {
  let page: Mounted;
  beforeEach(async () => {
    page = await mountApp();
    await settle(() => page.store.navigation.openSettings("soul"));
  });

  async function write(text: string): Promise<void> {
    const editor = EditorView.findFromDOM(find(page.root, ".cm-editor"));
    await settle(() => editor?.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } }));
  }

  const shown = () => EditorView.findFromDOM(find(page.root, ".cm-editor"))?.state.doc.toString();

  async function changeElsewhere(text: string): Promise<void> {
    page.core.files.set("SOUL.md", text);
    await settle(() =>
      page.core.emit({ type: "workspace_changed", file: "SOUL.md", version: `v:${text}`, author: "pet", lost: null }),
    );
  }

  it("saves on the version it was based on", async () => {
    const base = page.core.fileView("SOUL.md").version;
    await write("# new soul\n");
    await settle(() => button(page.root, "Save").click());
    expect(page.core.called("write_file")).toEqual([{ file: "SOUL.md", text: "# new soul\n", base }]);
    expect(button(page.root, "Saved").disabled).toBe(true);
  });

  it("follows a change from elsewhere while nothing was typed", async () => {
    await changeElsewhere("theirs");
    expect(shown()).toBe("theirs");
  });

  it("saves by the keys wherever the focus is", async () => {
    await write("# new soul\n");
    await settle(() => button(page.root, "Preview").click());
    const keys = { key: "s", ctrlKey: true, bubbles: true, cancelable: true };
    await settle(() => document.body.dispatchEvent(new KeyboardEvent("keydown", keys)));
    expect(page.core.called("write_file")).toMatchObject([{ file: "SOUL.md", text: "# new soul\n" }]);
  });

  it("shows a conflict while something was typed, and saves nothing until the owner chose", async () => {
    await write("mine");
    await changeElsewhere("theirs");
    expect(shown()).toBe("mine");
    expect(find(page.root, ".conflict").textContent).toContain("was changed while you were writing");
    expect(button(page.root, "Save").disabled).toBe(true);
    await settle(() => button(page.root, "Keep mine").click());
    await settle(() => button(page.root, "Save").click());
    expect(page.core.files.get("SOUL.md")).toBe("mine");
  });

  it("joins both by the core", async () => {
    await write("mine");
    await changeElsewhere("theirs ");
    await settle(() => button(page.root, "Join both").click());
    expect(shown()).toBe("theirs mine");
    expect(page.core.files.get("SOUL.md")).toBe("theirs ");
  });

  it("keeps unsaved text when another view is opened", async () => {
    await write("unsaved");
    await settle(() => page.store.navigation.openSettings("look"));
    await settle(() => page.store.navigation.openSettings("soul"));
    expect(shown()).toBe("unsaved");
  });

  it("says what is wrong with a broken file and offers no editor", async () => {
    page.core.handlers.read_file = () => view("", { state: "broken", problem: "file_not_utf8" });
    await changeElsewhere("x");
    expect(page.root.querySelector(".cm-editor")).toBeNull();
    expect(page.root.textContent).toContain("SOUL.md is not UTF-8 text");
  });

  it("lists versions and restores one", async () => {
    await settle(() => button(page.root, "Versions").click());
    await settle(() => page.root.querySelectorAll<HTMLElement>(".version")[1]?.click());
    await settle(() => button(page.root, "Restore this version").click());
    expect(page.core.called("restore_version")).toEqual([{ file: "SOUL.md", version: "v2" }]);
  });
});

describe("the key", () => {
  it("goes in once and is gone from the page", async () => {
    const page = await mountApp();
    await settle(() => page.store.navigation.openSettings("thinking"));
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "sk-secret-1234"));
    const form = find(page.root, ".inline");
    await settle(() => form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true })));
    expect(page.core.called("set_key")).toEqual([{ connection: "main", key: "sk-secret-1234", keep: "keyring" }]);
    expect(find<HTMLInputElement>(page.root, "#key-main").value).toBe("");
    expect(document.documentElement.outerHTML).not.toContain("sk-secret");
  });

  it("a setting that is refused is told in words", async () => {
    const page = await mountApp();
    await settle(() => page.store.navigation.openSettings("thinking"));
    page.core.fail("save_connection", {
      code: "settings_not_an_address",
      args: { setting: "base_url" },
      retryable: false,
    });
    const field = find<HTMLInputElement>(page.root, "#url-main");
    await settle(() => {
      field.value = "nonsense";
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
    expect(find(page.root, ".connections .error-text").textContent).toContain(
      "base_url must be an http or https address",
    );
  });
});

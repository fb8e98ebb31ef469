/** The settings: editing, keys, company, look, thinking, privacy, the demo. */
import { EditorView } from "@codemirror/view";
import { beforeEach, describe, expect, it } from "vitest";
import type { FileView } from "../../bindings";
import { chord } from "../../settings/shortcuts";
import {
  isDirty,
  keepMine,
  startEditing,
  takeTheirs,
  withFile,
  withMerge,
  withReply,
  withText,
} from "../../state/editing";
import { faults } from "../axe";
import { addCards, SERVERS } from "../core/welcome";
import { button, find, type Mounted, mountApp, mountSettings, openAt, press, settle, type } from "../render";

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
  const mine = withText(startEditing(view("base")), "mine");

  it("shows a change from elsewhere at once where nothing was typed", () => {
    expect(withFile(startEditing(view("base")), view("theirs"))).toMatchObject({
      text: "theirs",
      theirs: null,
      renewed: true,
    });
  });

  it("never drops what was typed", () => {
    const conflict = withFile(mine, view("theirs"));
    expect(conflict).toMatchObject({ text: "mine", theirs: { text: "theirs" } });
    expect(withFile(mine, view("", { state: "broken", problem: "file_not_utf8" })).text).toBe("mine");
    expect(withFile(mine, view("", { state: "missing", version: "missing" })).text).toBe("mine");
  });

  it("is no conflict where both wrote the same", () => {
    expect(isDirty(withFile(mine, view("mine")))).toBe(false);
  });

  it("takes theirs, keeps mine on their base, or joins both", () => {
    const conflict = withFile(mine, view("theirs"));
    expect(takeTheirs(conflict)).toMatchObject({ text: "theirs", theirs: null });
    expect(keepMine(conflict)).toMatchObject({ text: "mine", theirs: null, file: { version: "v:theirs" } });
    expect(withMerge(conflict, view("theirs"), "both")).toMatchObject({
      text: "both",
      file: { version: "v:theirs" },
    });
    expect(withMerge(conflict, view("theirs"), null)).toMatchObject({ text: "mine", overlap: true });
  });

  it("keeps what was typed while it was being saved", () => {
    const reply = { outcome: "saved", file: view("mine"), receipt: null, merged_text: null } as const;
    expect(isDirty(withReply(mine, "mine", reply))).toBe(false);
    expect(withReply(withText(mine, "mine and more"), "mine", reply)).toMatchObject({ text: "mine and more" });
  });
});

describe("the editor", () => {
  let page: Mounted;
  beforeEach(async () => {
    page = await mountApp();
    await openAt(page, "SOUL.md");
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
    expect(find(page.root, ".file-foot [role=status]").textContent).toBe("Saved");
    expect(page.root.querySelector("button [role=status]")).toBeNull(); // it would take the button's name
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
    await settle(() => button(page.root, "Use my text").click());
    await settle(() => button(page.root, "Save").click());
    expect(page.core.files.get("SOUL.md")).toBe("mine");
  });

  it("joins both by the core", async () => {
    await write("mine");
    await changeElsewhere("theirs ");
    await settle(() => button(page.root, "Merge both").click());
    expect(shown()).toBe("theirs mine");
    expect(page.core.files.get("SOUL.md")).toBe("theirs ");
  });

  it("keeps unsaved text when another view is opened", async () => {
    await write("unsaved");
    await openAt(page, "me");
    await openAt(page, "SOUL.md");
    expect(shown()).toBe("unsaved");
  });

  it("says what is wrong with a broken file and offers no editor", async () => {
    page.core.handlers.read_file = () => view("", { state: "broken", problem: "file_not_utf8" });
    await changeElsewhere("x");
    expect(page.root.querySelector(".cm-editor")).toBeNull();
    expect(page.root.textContent).toContain("SOUL.md can't be read, so it was left alone");
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
    await openAt(page, "model");
    await settle(() => type(find<HTMLInputElement>(page.root, "#key-main"), "sk-secret-1234"));
    const form = find(page.root, ".inline");
    await settle(() => form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true })));
    expect(page.core.called("set_key")).toEqual([{ connection: "main", key: "sk-secret-1234", keep: "keyring" }]);
    expect(find<HTMLInputElement>(page.root, "#key-main").value).toBe("");
    expect(document.documentElement.outerHTML).not.toContain("sk-secret");
  });

  it("a setting that is refused is told in words", async () => {
    const page = await mountApp();
    await openAt(page, "model");
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
      "An address begins with http:// or https://",
    );
  });
});

const change = (page: Mounted) => page.core.called("change_settings");

describe("shortcuts", () => {
  const held = { ctrlKey: true, altKey: false, shiftKey: true, metaKey: false };

  it("are written as the settings want them", () => {
    expect(chord({ key: "M", code: "KeyM", ...held })).toBe("Ctrl+Shift+M");
    expect(chord({ key: "F5", code: "F5", ...held, shiftKey: false })).toBe("Ctrl+F5");
    expect(chord({ key: "%", code: "Digit5", ...held })).toBe("Ctrl+Shift+5");
    expect(chord({ key: "Control", code: "ControlLeft", ...held })).toBeNull();
    expect(chord({ key: "M", code: "KeyM", ...held, ctrlKey: false })).toBeNull();
  });

  it("are taken as they are pressed, and cleared by Backspace", async () => {
    const page = await mountSettings("keys");
    const field = find<HTMLInputElement>(page.root, "#shortcut_memory");
    await settle(() => field.focus());
    const press = (init: KeyboardEventInit) =>
      settle(() => field.dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, cancelable: true, ...init })));
    await press({ key: "b", code: "KeyB", ctrlKey: true, altKey: true });
    await press({ key: "Backspace", code: "Backspace" });
    await press({ key: "Tab", code: "Tab" });
    expect(change(page)).toEqual([
      { changes: { shortcut_memory: "Ctrl+Alt+B" } },
      { changes: { shortcut_memory: "" } },
    ]);
  });

  it("for everywhere are hidden and explained where the desktop has none", async () => {
    const page = await mountSettings("keys");
    expect(page.root.querySelector("#shortcut_chat")).toBeNull();
    expect(find(page.root, ".absent").textContent).toContain("Not available on this desktop");
    const able = await mountSettings("keys", (core) => {
      core.app = { ...core.app, abilities: ["shortcuts"] };
    });
    expect(able.root.querySelector("#shortcut_chat")).not.toBeNull();
    expect(able.root.querySelector("#ask_suggestions")).toBeNull();
  });

  it("for what is selected bring suggestions and the memory of such questions, and say where it must be copied", async () => {
    const shown = (abilities: string[]) =>
      mountSettings("keys", (core) => {
        core.app = { ...core.app, abilities };
        core.settings = { ...core.settings, shortcut_ask: "Ctrl+Alt+Q" };
      });
    const page = await shown(["shortcuts"]);
    expect(page.root.textContent).toContain("copy the text, then press the shortcut");
    await openAt(page, "advanced");
    await settle(() => {
      const field = find<HTMLTextAreaElement>(page.root, "#ask_suggestions");
      field.value = "Is this true?";
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await settle(() => find<HTMLInputElement>(page.root, "input[name=ask_memory][value=off]").click());
    expect(change(page)).toEqual([
      { changes: { ask_suggestions: "Is this true?" } },
      { changes: { ask_memory: "off" } },
    ]);
    const sees = await shown(["shortcuts", "selection"]);
    expect(sees.root.textContent).not.toContain("copy the text, then press the shortcut");
  });
});

describe("company", () => {
  it("changes what the pet does by itself", async () => {
    const page = await mountSettings("desktop");
    await settle(() => find<HTMLInputElement>(page.root, "#reminder_bubbles").click());
    const from = find<HTMLInputElement>(page.root, "#quiet-from");
    await settle(() => {
      from.value = "22:30";
      from.dispatchEvent(new FocusEvent("blur"));
    });
    expect(change(page)).toEqual([{ changes: { reminder_bubbles: false } }, { changes: { quiet_from: "22:30" } }]);
  });

  it.each([
    ["22", "22:00"],
    ["730", "07:30"],
    ["7.05", "07:05"],
    ["23:59", "23:59"],
  ])("takes %s as a time of 24 hours, whatever the system's are", async (typed, time) => {
    const page = await mountSettings("desktop");
    const from = find<HTMLInputElement>(page.root, "#quiet-from");
    expect(from.type).toBe("text");
    await settle(() => type(from, typed));
    await settle(() => press(from, "Enter"));
    expect(change(page)).toEqual([{ changes: { quiet_from: time } }]);
    expect(from.value).toBe(time);
    await settle(() => from.dispatchEvent(new FocusEvent("blur")));
    expect(change(page)).toHaveLength(1);
  });

  it("lets the core say what is no time", async () => {
    const page = await mountSettings("desktop");
    const from = find<HTMLInputElement>(page.root, "#quiet-from");
    await settle(() => type(from, "25:00"));
    await settle(() => from.dispatchEvent(new FocusEvent("blur")));
    expect(change(page)).toEqual([{ changes: { quiet_from: "25:00" } }]);
  });

  it("says that one of two quiet hours is nothing yet", async () => {
    const page = await mountSettings("desktop");
    const hours = () => find(page.root, ".hours").textContent;
    expect(hours()).not.toContain("need both times");
    const set = async (id: string, time: string) => {
      await settle(() => type(find<HTMLInputElement>(page.root, id), time));
      await settle(() => find(page.root, id).dispatchEvent(new FocusEvent("blur")));
    };
    await set("#quiet-from", "22");
    expect(hours()).toContain("need both times");
    await set("#quiet-until", "7");
    expect(hours()).not.toContain("need both times");
  });

  it("says what a switch needs saying once it is touched", async () => {
    const page = await mountSettings("desktop");
    const row = find<HTMLInputElement>(page.root, "#bubbles").closest(".setting");
    const words = "hile this window is hidden";
    expect(row?.textContent).not.toContain(words);
    expect(row?.querySelector<HTMLElement>("[data-tip]")?.dataset["tip"]).toContain(words);
    await settle(() => find<HTMLInputElement>(page.root, "#bubbles").click());
    expect(row?.textContent).toContain(words);
  });

  it("lets its owner choose how often it says hello and whether it asks", async () => {
    const page = await mountSettings("desktop");
    const choose = (name: string, value: string) =>
      settle(() => find<HTMLInputElement>(page.root, `input[name="${name}"][value="${value}"]`).click());
    await choose("greetings", "twice");
    await settle(() => find<HTMLInputElement>(page.root, "#ask_after").click());
    expect(change(page)).toEqual([{ changes: { greetings: "twice" } }, { changes: { ask_after: false } }]);
  });
});

describe("look", () => {
  it("sets the pet's size when the slider is let go", async () => {
    const page = await mountSettings("me");
    const slider = find<HTMLInputElement>(page.root, "#pet_size");
    await settle(() => {
      slider.value = "150";
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    });
    expect(find(page.root, "output").textContent).toBe("150%");
    expect(change(page)).toEqual([]);
    await settle(() => slider.dispatchEvent(new Event("change", { bubbles: true })));
    expect(change(page)).toEqual([{ changes: { pet_size: 150 } }]);
  });

  it("goes on from where the slider is when keys are quicker than the core", async () => {
    const page = await mountSettings("me");
    const slider = find<HTMLInputElement>(page.root, "#pet_size");
    const step = (to: string) =>
      settle(() => {
        slider.value = to;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        slider.dispatchEvent(new Event("change", { bubbles: true }));
      });
    const answer = page.core.hold("change_settings");
    await step("105");
    expect(slider.value).toBe("105");
    await step("110");
    await settle(answer);
    expect(slider.value).toBe("110");
    expect(page.core.settings.pet_size).toBe(110);
  });
});

describe("thinking", () => {
  it("looks for servers on this computer only when asked", async () => {
    const page = await mountSettings("model", (core) => {
      core.handlers.find_servers = () => ({ servers: SERVERS });
    });
    await settle(() => button(page.root, "Add a connection").click());
    expect(page.core.called("find_servers")).toEqual([]);
    await settle(() => button(page.root, "Look on this computer").click());
    await settle(() => button(page.root, "LM Studio, 1 model").click());
    expect(page.core.called("save_connection")).toMatchObject([
      { base_url: "http://127.0.0.1:1234", model: "phi-4" },
    ]);
  });

  it("says that the demo is on, has the form of a service ready, and any service ends it", async () => {
    const page = await mountSettings("model", (core) => {
      core.settings = { ...core.settings, demo: true };
    });
    expect(find(page.root, ".demo-note").textContent).toContain("without a model");
    expect(page.root.querySelector("#key-main")).not.toBeNull();
    await settle(() => button(page.root, "Add a connection").click());
    await settle(() => button(page.root, "DeepSeek").click());
    await settle(() => page.core.emit({ type: "settings_changed" }));
    expect(page.root.querySelector(".demo-note")).toBeNull();
    expect(page.root.querySelector("#key-c1")).not.toBeNull();
  });
});

describe("cards in the settings", () => {
  it("say where the exported one is", async () => {
    const page = await mountSettings("me", addCards);
    await settle(() => button(page.root, "Character cards").click());
    await settle(() => button(page.root, "Save as a card").click());
    expect(find(page.root, ".notice").textContent).toContain("/home/lin/Downloads/Mochi.png");
  });

  it("open a dialog that changes nothing by itself", async () => {
    const page = await mountSettings("me", addCards);
    await settle(() => button(page.root, "Character cards").click());
    await settle(() => button(page.root, "Import a card…").click());
    expect(page.root.querySelector("dialog .card-drop")).not.toBeNull();
    expect(page.core.called("import_card")).toEqual([]);
  });
});

describe("versions", () => {
  it("stand beside each other when the owner wants it", async () => {
    const page = await mountSettings("SOUL.md");
    await settle(() => button(page.root, "Versions").click());
    await settle(() => page.root.querySelectorAll<HTMLElement>(".version")[1]?.click());
    const shown = () => page.root.querySelector("dialog .side-by-side") !== null;
    const before = shown();
    await settle(() => button(page.root, "Side by side").click());
    expect(shown()).toBe(!before);
  });
});

describe("privacy", () => {
  const folders = (core: Mounted["core"]) => {
    core.handlers.list_folders = () => ({ folders: ["/home/lin/.local/share/soulpet"] });
    core.handlers.export_pet = () => ({ path: "/home/lin/Downloads/Mochi.zip" });
  };

  it("packs the whole pet", async () => {
    const page = await mountSettings("privacy", folders);
    await settle(() => button(page.root, "Save Mochi as a zip").click());
    expect(find(page.root, ".notice").textContent).toContain("Mochi.zip");
  });

  it("deletes everything only after the word was typed", async () => {
    const page = await mountSettings("privacy", folders);
    await settle(() => button(page.root, "Delete all data…").click());
    const dialog = find(page.root, "dialog");
    expect(dialog.textContent).toContain("/home/lin/.local/share/soulpet");
    expect(button(dialog, "Delete all data").disabled).toBe(true);
    const field = find<HTMLInputElement>(dialog, "#erase-word");
    await settle(() => type(field, "delet"));
    expect(button(dialog, "Delete all data").disabled).toBe(true);
    await settle(() => type(field, " Delete "));
    await settle(() =>
      field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true })),
    );
    expect(page.core.called("erase_everything")).toEqual([]);
    await settle(() => button(dialog, "Delete all data").click());
    expect(page.core.called("erase_everything")).toEqual([{ confirm: " Delete " }]);
  });

  it("says why nothing was deleted", async () => {
    const page = await mountSettings("privacy", folders);
    await settle(() => button(page.root, "Delete all data…").click());
    await settle(() => type(find<HTMLInputElement>(page.root, "#erase-word"), "delete"));
    page.core.fail("erase_everything", { code: "pet_busy", args: { pet_id: "bun" }, retryable: false });
    await settle(() => button(find(page.root, "dialog"), "Delete all data").click());
    expect(find(page.root, "dialog .error-text").textContent).toContain("is open");
  });
});

describe("for everyone", () => {
  it.each([
    ["me", "SOUL.md", "us", "days", "reminders", "model", "desktop"],
    ["privacy", "memory", "sees", "keys", "extra_imports", "advanced"],
  ] as const)("has no fault that axe finds on any page: %s …", async (...places) => {
    const page = await mountSettings("me", addCards);
    for (const place of places) {
      await openAt(page, place);
      expect(await faults(page.root), place).toEqual([]);
    }
  });
});

describe("the demo", () => {
  it("is named below every conversation, and the settings are one click away", async () => {
    const page = await mountApp((core) => {
      core.app = { ...core.app, demo: true };
    });
    expect(find(page.root, ".demo-bar").textContent).toContain("no model");
    await settle(() => button(find(page.root, ".demo-bar"), "Choose a real model").click());
    expect(page.store.navigation.section.value).toBe("model");
    expect((await mountApp()).root.querySelector(".demo-bar")).toBeNull();
  });

  it.each([
    [{ demo: true }, "no model"],
    [{ local_model: "SmolLM2 135M" }, "SmolLM2 135M"],
  ])("offers a model while nobody has chosen one", async (answering, words) => {
    const page = await mountApp((core) => {
      core.app = { ...core.app, ...answering, unchosen: true };
    });
    const bar = find(page.root, ".demo-bar");
    expect(bar.textContent).toContain(words);
    await settle(() => button(bar, "Choose a real model").click());
    expect(page.store.navigation.section.value).toBe("model");
  });
});

describe("an empty conversation", () => {
  it("offers what the demo can do, as messages like any other", async () => {
    const page = await mountApp((core) => {
      core.app = { ...core.app, demo: true };
    });
    await settle(() => button(page.root, "Remember that my cat is called Pepper.").click());
    expect(page.core.called("send_message")).toMatchObject([{ text: "Remember that my cat is called Pepper." }]);
  });

  it.each([
    [{ small: "tiny", local_model: "SmolLM2 135M" }, "SmolLM2 135M, a tiny model"],
    [{ small: "small", model: "qwen3:1.7b" }, "qwen3:1.7b, a small model"],
  ] as const)("says of a small model what it is", async (answering, words) => {
    const page = await mountApp((core) => {
      core.app = { ...core.app, ...answering };
    });
    expect(find(page.root, ".empty").textContent).toContain(words);
  });

  it("begins with the words of the pet's card, as text", async () => {
    const page = await mountApp((core) => {
      core.handlers.get_greeting = () => ({ text: "Hello you!\n<b>I am Momo.</b>" });
    });
    expect(find(page.root, ".greeting").textContent).toBe("Hello you!\n<b>I am Momo.</b>");
    expect(page.root.querySelector(".greeting b")).toBeNull();
  });
});

/** Importing memories, conversations and pets: choosing, the preview, running, undoing; replies in any order. */
import { describe, expect, it } from "vitest";
import type { Commands, ImportState } from "../../bindings";
import { ImportsState } from "../../extras/imports/state";
import { faults } from "../axe";
import { PREVIEW } from "../core/imports";
import { beginFirstStart } from "../core/welcome";
import { button, find, type Mounted, mountApp, openAt, settle, type } from "../render";

async function open(prepare: (core: Mounted["core"]) => void = () => undefined): Promise<Mounted> {
  const page = await mountApp(prepare);
  await settle(() => page.store.extras.find(({ link }) => link)?.link?.open());
  return page;
}

async function previewed(prepare: (core: Mounted["core"]) => void = () => undefined): Promise<Mounted> {
  const page = await open(prepare);
  await settle(() => button(page.root, "Choose a file…").click());
  return page;
}

const TALKS = {
  ...PREVIEW,
  kind: "chatgpt",
  files: [],
  talks: [
    { id: "t1", characters: 900, title: "Walnut cake", at: "2025-03-04T08:00:00+00:00", messages: 12, there: false },
    { id: "t2", characters: 40, title: "", at: "", messages: 2, there: true },
  ],
  talks_new: 1,
  talks_there: 1,
  messages: 12,
  skipped: [],
  skipped_total: 0,
  orders: false,
};

describe("the start", () => {
  it("says what can move in, and asks the system's dialog for it", async () => {
    const page = await open();
    expect(page.root.querySelectorAll(".import-can li")).toHaveLength(5);
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Choose a folder…").click());
    expect(page.core.called("choose_import")).toEqual([{ kind: "folder" }]);
  });

  it("takes what is dropped, and no text", async () => {
    const page = await open();
    const section = find(page.root, "section.import");
    const drag = (name: string, types: string[], files: string[] = []) => {
      const dataTransfer = { types, files };
      const event = Object.assign(new Event(name, { bubbles: true, cancelable: true }), { dataTransfer });
      return settle(() => section.dispatchEvent(event)).then(() => event.defaultPrevented);
    };
    expect(await drag("dragover", ["text/plain"])).toBe(false);
    expect(await drag("drop", ["text/plain"])).toBe(false);
    expect(await drag("dragenter", ["Files"])).toBe(true); // alone, where the pointer enters a child and rests
    expect(page.root.textContent).toContain("Drop it here");
    expect(await drag("dragover", ["Files"])).toBe(true);
    expect(page.root.textContent).toContain("Drop it here");
    expect(await drag("drop", ["Files"], ["a.txt", "b.txt"])).toBe(true);
    expect(find(page.root, ".import [role=alert]").textContent).toContain("Only one thing");
    expect(page.core.called("choose_import")).toEqual([]);
    expect(await drag("drop", ["Files"], ["a.txt"])).toBe(true);
    expect(page.root.querySelector(".import [role=alert]")).toBeNull();
    expect(page.core.called("choose_import")).toEqual([{ kind: "dropped" }]);
  });

  it("takes a drop whose hint is not drawn yet", async () => {
    const page = await open();
    const drop = Object.assign(new Event("drop", { bubbles: true }), {
      dataTransfer: { types: ["Files"], files: ["a.txt"] },
    });
    await settle(() => find(page.root, "section.import").dispatchEvent(drop));
    expect(page.core.called("choose_import")).toEqual([{ kind: "dropped" }]);
  });

  it("takes a pasted list", async () => {
    const page = await open();
    const seen: [string, unknown][] = [];
    Element.prototype.scrollIntoView = function (this: Element, how) {
      seen.push([this.className, how]);
    };
    await settle(() => button(page.root, "Paste a list").click());
    expect(seen).toEqual([["import-paste", { block: "nearest" }]]);
    expect(document.activeElement?.id).toBe("import-list");
    const field = find<HTMLTextAreaElement>(page.root, ".import-paste textarea");
    expect(button(page.root, "Show what would change").disabled).toBe(true);
    await settle(() => {
      field.value = "- Has a cat";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await settle(() => button(page.root, "Show what would change").click());
    expect(page.core.called("paste_import")).toEqual([{ text: "- Has a cat" }]);
    expect(find(page.root, ".import-preview").textContent).toContain("A workspace");
  });

  it("is reached from the first start, which is over then", async () => {
    const page = await mountApp((core) => beginFirstStart(core, [], 2));
    await settle(() => button(page.root, "I had a pet or a chat history elsewhere").click());
    expect(page.core.called("save_welcome")).toEqual([{ step: 0 }]);
    expect(find(page.root, ".import").textContent).toContain("What you can import");
  });

  it("is reached from the pets", async () => {
    const page = await mountApp();
    await openAt(page, "me");
    await settle(() => button(page.root, "Import a pet").click());
    expect(find(page.root, ".import").textContent).toContain("What you can import");
  });
});

describe("the preview of a workspace", () => {
  it("shows every file with its lines, the days, and what is left out", async () => {
    const page = await previewed();
    const shown = find(page.root, ".import-preview").textContent ?? "";
    for (const words of [
      "claw",
      "SOUL.md",
      "3 more lines at the end",
      "all of it is here already",
      "2 days of logs",
    ]) {
      expect(shown).toContain(words);
    }
    expect(shown).toContain("12 Feb 2026 to 1 Mar 2026");
    expect(shown).toContain("instructions for an agent");
    const soul = find<HTMLDetailsElement>(page.root, "details.import-row");
    await settle(() => {
      soul.open = true;
      soul.dispatchEvent(new Event("toggle"));
    });
    expect(find(soul, ".diff").textContent).toContain("Be genuinely helpful.");
    expect(page.core.called("get_import_diff")).toEqual([{ file: "SOUL.md" }]);
    expect(await faults(page.root)).toEqual([]);
  });

  it("counts what is left out of conversations", async () => {
    const left_out = [{ kind: "thoughts", count: 1200 } as const, { kind: "pictures", count: 1 } as const];
    const page = await previewed((core) => {
      core.imports.found = { ...TALKS, left_out };
    });
    const rows = [...find(page.root, "[aria-label='Not imported']").querySelectorAll("li")];
    expect(rows.map((row) => row.textContent)).toEqual(["a model's thoughts1,200", "pictures and embeds1"]);
  });

  it("offers a vault by its folders, and groups its notes", async () => {
    const file = { file: "memory/People/Femi.md", action: "create", day: false, added: 2, removed: 0 } as const;
    const folder = { name: "People", pet: "", notes: 1, chosen: true };
    const page = await previewed((core) => {
      core.imports.found = {
        ...PREVIEW,
        kind: "vault",
        files: [file, { ...file, file: "memory/2026-02-01.md", day: true }],
        folders: [{ ...folder, name: "", notes: 2 }, { ...folder, name: "Daily", notes: 3, chosen: false }, folder],
      };
    });
    const folders = find(page.root, "fieldset.import-part");
    expect([...folders.querySelectorAll("label")].map((each) => each.textContent)).toEqual([
      "Beside the folders 2 notes",
      "Daily 3 notes",
      "People 1 note",
    ]);
    await settle(() => [...folders.querySelectorAll("input")][2]?.click());
    await settle(() => [...folders.querySelectorAll("input")][1]?.click());
    expect(page.core.called("change_import")).toEqual([
      { instructions: false, new_pet: false, folders: [""] },
      { instructions: false, new_pet: false, folders: null },
    ]);
    expect(find(page.root, ".import-preview").textContent).toContain("1 note");
    expect(await faults(page.root)).toEqual([]);
  });

  it("offers a pet for each of several workspaces, without asking for a name", async () => {
    const page = await previewed((core) => {
      const part = { name: "a1b2/", pet: "Momo", notes: 3, chosen: true };
      const folders = [part, { ...part, name: "c3d4/", pet: "Pim" }];
      core.imports.found = { ...PREVIEW, kind: "workspaces", files: [], orders: false, new_pet: true, folders };
    });
    expect(find(page.root, "fieldset.import-part").textContent).toBe("A pet for eachMomo a1b2/Pim c3d4/");
    expect(page.root.querySelector("#import-name")).toBeNull();
    await settle(() => button(page.root, "Import now").click());
    expect(page.core.called("run_import")).toEqual([{ memory: false, name: "" }]);
  });

  it("shows the change of a soul that takes the place of the pet's, and says that it does", async () => {
    const soul = { file: "SOUL.md", action: "create", day: false, added: 2, removed: 28 } as const;
    const page = await previewed((core) => {
      core.imports.found = { ...PREVIEW, files: [soul, ...PREVIEW.files.slice(1)] };
    });
    const row = find<HTMLDetailsElement>(page.root, "details.import-row");
    expect(row.open).toBe(true);
    expect(find(row, "summary").textContent).toContain("in place of the template");
    expect(page.core.called("get_import_diff")).toEqual([{ file: "SOUL.md" }]);
  });

  it("is looked through again for a new pet, which needs a name", async () => {
    const page = await previewed();
    await settle(() => find<HTMLInputElement>(page.root, "input[name=import-into][value=new]").click());
    expect(page.core.called("change_import")).toEqual([{ instructions: false, new_pet: true, folders: null }]);
    expect(button(page.root, "Import now").disabled).toBe(true);
    await settle(() => type(find<HTMLInputElement>(page.root, "#import-name"), "Claw"));
    await settle(() => button(page.root, "Import now").click());
    expect(page.core.called("run_import")).toEqual([{ memory: false, name: "Claw" }]);
  });

  it("takes orders in only when ticked", async () => {
    const page = await previewed();
    await settle(() => find<HTMLInputElement>(page.root, ".tick input").click());
    expect(page.core.called("change_import")).toEqual([{ instructions: true, new_pet: false, folders: null }]);
  });

  it("is put away with Cancel", async () => {
    const page = await previewed();
    await settle(() => button(page.root, "Cancel").click());
    expect(page.core.called("stop_import")).toHaveLength(1);
    expect(page.core.called("run_import")).toHaveLength(0);
    expect(page.root.querySelector(".import-can")).not.toBeNull();
  });
});

describe("a whole pet", () => {
  it("shows what it does by itself before it moves in", async () => {
    const heartbeat = "# Heartbeat\n\n- Ask after the ferns.\n";
    const pet = { name: "Inky", files: 9, bytes: 4096, conversations: 2, memory: true, heartbeat };
    const page = await previewed((core) => {
      core.imports.found = { ...PREVIEW, kind: "pet", pet, files: [], skipped: [], skipped_total: 0, new_pet: true };
    });
    const shown = find(page.root, ".import-preview").textContent ?? "";
    expect(shown).toContain("memory on in new conversations");
    expect(shown).toContain("Ask after the ferns.");
    expect(await faults(page.root)).toEqual([]);
  });
});

describe("conversations", () => {
  it("are remembered only if the owner says so; nothing is chosen beforehand", async () => {
    const page = await previewed((core) => {
      core.imports.found = TALKS;
    });
    const shown = find(page.root, ".import-preview").textContent ?? "";
    for (const words of ["1 conversation", "12 messages", "Walnut cake", "Without a title", "already here"]) {
      expect(shown).toContain(words);
    }
    expect(button(page.root, "Import now").disabled).toBe(true);
    expect(page.root.querySelectorAll("input[name=import-memory]:checked")).toHaveLength(0);
    await settle(() => find<HTMLInputElement>(page.root, "input[name=import-memory]").click());
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Import now").click());
    expect(page.core.called("run_import")).toEqual([{ memory: true, name: "" }]);
  });
});

describe("a run", () => {
  it("shows how far it is, can be stopped, and says so", async () => {
    const page = await previewed((core) => {
      core.handlers.run_import = () => {
        core.imports.state = { ...core.imports.state, phase: "writing" };
        return core.imports.state;
      };
    });
    await settle(() => button(page.root, "Import now").click());
    await settle(() => page.core.emit({ type: "import_moved", phase: "writing", done: 40, total: 100 }));
    expect(find<HTMLProgressElement>(page.root, "progress").value).toBe(40);
    await settle(() => button(page.root, "Stop").click());
    expect(page.core.called("stop_import")).toHaveLength(1);
    const error = { code: "import_stopped", args: {}, retryable: false };
    page.core.imports.state = { revision: 0, phase: "failed", source: "claw", preview: PREVIEW, error, done: null };
    await settle(() => page.core.emit({ type: "import_moved", phase: "failed", done: 0, total: 0 }));
    expect(find(page.root, ".fault").textContent).toContain("Nothing was changed.");
    await settle(() => button(page.root, "Look again").click());
    expect(page.core.called("change_import")).toEqual([{ instructions: false, new_pet: false, folders: null }]);
  });

  it("ends with what was imported, and can be undone at once and later", async () => {
    const page = await previewed();
    await settle(() => button(page.root, "Import now").click());
    expect(find(page.root, ".import-done").textContent).toContain("2 files, 2 days of logs");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Import something else").click());
    await settle(() => page.core.emit({ type: "import_moved", phase: "none", done: 0, total: 0 }));
    await settle(() => button(find(page.root, ".import-past"), "Undo").click());
    expect(page.core.called("undo_import")).toEqual([{ id: "i1" }]);
    expect(page.root.querySelector(".import-past")).toBeNull();
  });

  it("that made a pet is undone only after a question, and never for the pet that is here", async () => {
    const page = await open((core) => {
      const made = { ...core.imports.done, new_pet: true, mine: false, pet: "inky", name: "Inky", kind: "pet" };
      core.imports.past = [made, { ...made, id: "i2", name: "Mochi", mine: true, undoable: false }];
    });
    const rows = [...page.root.querySelectorAll<HTMLElement>(".import-past li")];
    expect(rows[1]?.textContent).toContain("Mochi came with this import.");
    await settle(() => button(rows[0] ?? page.root, "Undo").click());
    expect(page.core.called("undo_import")).toHaveLength(0);
    await settle(() => button(find(page.root, "dialog"), "Remove").click());
    expect(page.core.called("undo_import")).toEqual([{ id: "i1" }]);
  });
});

const NONE: ImportState = { revision: 0, phase: "none", source: "", preview: null, error: null, done: null };
const READING: ImportState = { ...NONE, revision: 2, phase: "reading", source: "claw" };
const READY: ImportState = { ...NONE, revision: 3, phase: "ready", source: "claw", preview: PREVIEW };
const PET = { name: "Inky", files: 9, bytes: 4096, conversations: 2, memory: true, heartbeat: "" };

function held() {
  const replies: { [name: string]: ((state: ImportState) => void)[] } = { get: [], choose: [] };
  const later = (name: string) => () => new Promise<ImportState>((resolve) => replies[name]?.push(resolve));
  const commands = {
    getImport: later("get"),
    chooseImport: later("choose"),
    listImports: () => Promise.resolve({ imports: [] }),
  } as unknown as Commands;
  const imports = new ImportsState(commands);
  const answer = async (name: "get" | "choose", state: ImportState) => {
    replies[name]?.shift()?.(state);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  };
  const ready = () => imports.apply({ type: "import_moved", phase: "ready", done: 0, total: 0 });
  return { imports, answer, ready };
}

describe("replies in the wrong order", () => {
  it("leave the preview where the drop's own reply says reading, and comes last", async () => {
    const { imports, answer, ready } = held();
    void imports.choose("dropped");
    ready();
    await answer("get", READY);
    await answer("choose", READING);
    expect(imports.now.value?.phase).toBe("ready");
    expect(imports.choosing.value).toBe(false);
  });

  it("leave the preview where the state from before the drop comes last", async () => {
    const { imports, answer, ready } = held();
    void imports.load();
    void imports.choose("dropped");
    await answer("choose", READING);
    ready();
    await answer("get", READY); // the second request is answered first
    await answer("get", NONE);
    expect(imports.now.value?.phase).toBe("ready");
  });

  it("fill in a whole pet's name also where the drop's own reply is the preview", async () => {
    const { imports, answer, ready } = held();
    void imports.choose("dropped");
    const whole = { ...READY, preview: { ...PREVIEW, pet: PET } };
    await answer("choose", whole);
    expect(imports.answers.value.name).toBe("Inky");
    imports.answer({ name: "Blot" });
    ready();
    await answer("get", whole);
    expect(imports.answers.value.name).toBe("Blot");
  });
});

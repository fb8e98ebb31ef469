/** Settings > Pets, skills, conflict copies, and pictures of character cards. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { CopyView } from "../../bindings";
import { pairs } from "../../components/diff";
import { faults } from "../axe";
import { fileView } from "../core/memory";
import { family, HOSTILE } from "../core/pets";
import { CARD, DRESSED_CARD } from "../core/welcome";
import { button, find, type Mounted, mountApp, openAt, press, settle, type } from "../render";

describe("pets", () => {
  let page: Mounted;
  const item = async (pet: string, words: string) => {
    await settle(() => button(find(page.root, ".pets"), `More about ${pet}`).click());
    await settle(() => button(find(page.root, ".pets [role=menu]"), words).click());
  };
  beforeEach(async () => {
    page = await mountApp(family);
    await openAt(page, "me");
  });

  it("are listed with their names as they are, and the one that is here", async () => {
    const rows = [...page.root.querySelectorAll(".pet-row")];
    expect(rows[0]?.textContent).toContain("Mochi1 conversation");
    expect(rows[1]?.textContent).toContain(HOSTILE);
    expect(rows[1]?.querySelector("b")).toBeNull();
    expect(find(page.root, ".pet-row.current").textContent).toContain("current");
    expect(await faults(page.root)).toEqual([]);
  });

  it("stand there as they are dressed, and as our own character where they wear nothing", async () => {
    const picture = "data:image/webp;base64,UklGRg==";
    page = await mountApp((core) => {
      family(core);
      core.memory.pets.push(
        { id: "tam", name: "Tam", current: false, beside: false, conversations: 0, changed_at: "" },
        { id: "web", name: "Web", current: false, beside: false, conversations: 0, changed_at: "" },
      );
      core.memory.dressed.set("pip", picture).set("web", "https://example.org/spy.png");
    });
    await openAt(page, "me");
    const [, pip, tam, web] = page.root.querySelectorAll<HTMLElement>(".pet-row");
    expect(find<HTMLImageElement>(pip as Element, ".pet-picture img").src).toBe(picture);
    expect(find<HTMLImageElement>(tam as Element, ".pet-picture img").src).toContain("data:image/svg+xml");
    expect(web?.innerHTML).not.toContain("example.org");
    expect(page.core.called("preview_pet")).toEqual([{ pet: "pip" }, { pet: "tam" }, { pet: "web" }]);
    expect(await faults(page.root)).toEqual([]);
  });

  it("are made, with what another one was told", async () => {
    await settle(() => button(page.root, "New pet").click());
    expect(await faults(page.root)).toEqual([]);
    expect(button(page.root, "Create").disabled).toBe(true);
    await settle(() => type(find<HTMLInputElement>(page.root, "#pet-name"), " 云朵 ☁️ "));
    const select = find<HTMLSelectElement>(page.root, "#pet-profile");
    await settle(() => {
      select.value = "bun";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    });
    const form = find(page.root, ".new-pet");
    await settle(() => form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true })));
    expect(page.core.called("create_pet")).toEqual([{ name: "云朵 ☁️", profile_of: "bun" }]);
    expect(page.root.querySelector("dialog")).toBeNull();
    expect(page.root.querySelectorAll(".pet-row")).toHaveLength(3);
  });

  it("are made by one click, as the first personality whose name none has", async () => {
    page.core.handlers.list_templates = () => ({
      templates: ["Mochi", "Biscuit"].map((name) => ({
        ...{ id: name.toLowerCase(), title: name, file: "SOUL.md", text: "", name, about: "", body: "", own: false },
      })),
      folder: "",
    });
    await settle(() => button(page.root, "New pet").click());
    await settle(() => button(page.root, "Create").click());
    expect(page.core.called("create_pet")).toEqual([{ name: "Biscuit", soul: "biscuit" }]);
  });

  it("a refused name is told where it was typed", async () => {
    await settle(() => button(page.root, "New pet").click());
    await settle(() => type(find<HTMLInputElement>(page.root, "#pet-name"), "x"));
    page.core.fail("create_pet", { code: "pet_name_refused", args: { limit: 60 }, retryable: false });
    const form = find(page.root, ".new-pet");
    await settle(() => form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true })));
    expect(find(page.root, "dialog [role=alert]").textContent).toContain("60");
  });

  it("are renamed in their row, and left as they were by Escape", async () => {
    await item("Mochi", "Rename");
    const input = find<HTMLInputElement>(page.root, ".pet-row input");
    await settle(() => type(input, "Biscuit"));
    await settle(() => press(input, "Enter", { isComposing: true }));
    expect(page.core.called("rename_pet")).toEqual([]);
    await settle(() => press(input, "Enter"));
    expect(page.core.called("rename_pet")).toEqual([{ pet: "bun", name: "Biscuit" }]);
    await item("Biscuit", "Rename");
    const again = find<HTMLInputElement>(page.root, ".pet-row input");
    await settle(() => type(again, "Other"));
    await settle(() => press(again, "Escape"));
    expect(page.core.called("rename_pet")).toHaveLength(1);
    expect(page.store.navigation.view.value).toBe("settings");
  });

  it("are duplicated under another name", async () => {
    await item("Mochi", "Duplicate");
    expect(find<HTMLInputElement>(page.root, "#pet-name").value).toBe("Mochi 2");
    const form = find(page.root, ".new-pet");
    await settle(() => form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true })));
    expect(page.core.called("duplicate_pet")).toEqual([{ pet: "bun", name: "Mochi 2" }]);
  });

  it("are deleted only after a question that names them, and never the one that is here", async () => {
    await item("Mochi", "Delete (switch to another pet first)");
    expect(page.root.querySelector("dialog")).toBeNull();
    await item(HOSTILE, "Delete");
    const dialog = find(page.root, "dialog");
    expect(dialog.textContent).toContain(`Delete ${HOSTILE}?`);
    expect(dialog.textContent).toContain("bin");
    expect(document.activeElement?.textContent).toBe("Cancel");
    expect(page.core.called("delete_pet")).toEqual([]);
    await settle(() => button(dialog, "Delete").click());
    expect(page.core.called("delete_pet")).toEqual([{ pet: "pip" }]);
    expect(page.root.querySelectorAll(".pet-row")).toHaveLength(1);
  });

  it("are switched after it was said that the window opens again, with the tabs saved", async () => {
    await item(HOSTILE, `Switch to ${HOSTILE}`);
    expect(find(page.root, "dialog").textContent).toContain("opens again");
    await settle(() => button(find(page.root, "dialog"), "Switch").click());
    const names = page.core.calls.map((call) => call.name);
    expect(names.slice(-2)).toEqual(["save_tabs", "switch_pet"]);
  });

  it("that were changed elsewhere are listed again", async () => {
    page.core.memory.pets = [];
    await settle(() => page.core.emit({ type: "pets_changed" }));
    expect(page.root.querySelectorAll(".pet-row")).toHaveLength(0);
  });
});

describe("skills", () => {
  it("are listed, with what is wrong and where to put them", async () => {
    const page = await mountApp((core) => {
      core.memory.skills = [
        { name: "tea", description: HOSTILE, origin: "pet", problem: "" },
        { name: "rain", description: "", origin: "shared", problem: "no_description" },
        { name: "new", description: "", origin: "shared", problem: "of_the_future" },
      ];
    });
    await openAt(page, "advanced");
    const rows = [...page.root.querySelectorAll(".skill")].map((row) => row.textContent);
    expect(rows).toEqual([
      `teathis pet${HOSTILE}`,
      "rainall petsIt has no description that says when to use it. Add one.",
      "newall petsIt can't be used (of_the_future).",
    ]);
    expect(page.root.querySelector(".skill b")).toBeNull();
    expect(find(page.root, ".skills code").textContent).toContain("/skills/");
    expect(await faults(page.root)).toEqual([]);
  });
});

describe("a conflict copy", () => {
  const NAME = "SOUL.sync-conflict-20261120-081112-ABC.md";
  const COPY: CopyView = {
    info: { copy: NAME, file: "SOUL.md", at: "2026-11-20T08:11:12+08:00", program: "Syncthing" },
    file: fileView("SOUL.md", "a\nmine\nz"),
    text: "a\ntheirs\nz",
    merged: "a\nmine\ntheirs\nz",
  };
  let page: Mounted;

  async function compare(copy: CopyView = COPY): Promise<HTMLElement> {
    page = await mountApp((core) => {
      core.memory.copies = [copy];
    });
    await openAt(page, "SOUL.md");
    await settle(() => button(page.root, "Compare").click());
    return find(page.root, "dialog");
  }
  const settled = () => page.core.called("settle_copy");

  it("is told at its file, in the list of files, and at the settings", async () => {
    await compare();
    expect(find(page.root, ".copy-notice").textContent).toContain("second version of SOUL.md (Syncthing, ");
    expect(find(page.root, ".file-head").textContent).toContain("two versions");
    expect(button(page.root, "Settings. A file has two versions")).toBeTruthy();
  });

  it("is shown side by side", async () => {
    const dialog = await compare();
    const row = find(dialog, "tr.changed");
    expect([...row.querySelectorAll("td")].map((cell) => cell.textContent)).toEqual(["removed:mine", "added:theirs"]);
    expect(await faults(page.root)).toEqual([]);
  });

  it.each([
    ["Keep the file", {}],
    ["Use the other", { text: COPY.text }],
    ["Merge both", { text: COPY.merged }],
  ])("is settled by: %s", async (words, text) => {
    const dialog = await compare();
    await settle(() => button(dialog, words).click());
    expect(settled()).toEqual([{ copy: NAME, base: COPY.file.version, ...text }]);
    expect(page.root.querySelector("dialog")).toBeNull();
    expect(page.root.querySelector(".copy-notice")).toBeNull();
  });

  it("is settled by what the owner makes of both", async () => {
    const dialog = await compare();
    await settle(() => button(dialog, "Edit").click());
    const area = find<HTMLTextAreaElement>(dialog, "textarea");
    expect(area.value).toBe(COPY.merged);
    await settle(() => type(area, "ours"));
    await settle(() => button(dialog, "Save this").click());
    expect(settled()).toMatchObject([{ text: "ours" }]);
  });

  it("that overlaps can't be merged", async () => {
    const dialog = await compare({ ...COPY, merged: null });
    expect(dialog.textContent).toContain("can't be merged");
    expect(() => button(dialog, "Merge both")).toThrow();
  });

  it("is looked at again when the file changed meanwhile", async () => {
    const dialog = await compare();
    page.core.handlers.settle_copy = () => {
      return { outcome: "conflict", file: COPY.file, receipt: null, merged_text: null };
    };
    await settle(() => button(dialog, "Use the other").click());
    expect(find(dialog, "[role=alert]").textContent).toContain("just changed again");
    expect(page.core.called("read_copy")).toHaveLength(2);
  });

  it("that is found while the page is open is told at once, and gone when it is gone", async () => {
    page = await mountApp();
    page.core.memory.copies = [COPY];
    await settle(() => page.core.emit({ type: "copies_found", count: 1 }));
    expect(page.store.memory.copies.value).toHaveLength(1);
    await settle(() => page.core.emit({ type: "copies_found", count: 0 }));
    expect(page.store.memory.copies.value).toEqual([]);
  });
});

it("lines stand beside each other as far as they can", () => {
  const line = (kind: "same" | "added" | "removed", text: string) => ({ kind, text, old_line: null, new_line: null });
  const rows = pairs([
    line("same", "a"),
    line("removed", "b"),
    line("removed", "c"),
    line("added", "d"),
    line("same", "e"),
    line("added", "f"),
  ]);
  expect(rows.map((row) => row.map((side) => side?.text ?? ""))).toEqual([
    ["a", "a"],
    ["b", "d"],
    ["c", ""],
    ["e", "e"],
    ["", "f"],
  ]);
});

async function shown(card = DRESSED_CARD): Promise<Mounted> {
  const page = await mountApp((core) => {
    core.handlers.preview_card = () => card;
    core.handlers.import_card = () => ({
      outcome: "saved",
      file: core.fileView("SOUL.md"),
      receipt: null,
      merged_text: null,
    });
  });
  await openAt(page, "me");
  await settle(() => button(page.root, "Character cards").click());
  await settle(() => button(page.root, "Import a card…").click());
  const field = find<HTMLInputElement>(page.root, "dialog input[type=file]");
  Object.defineProperty(field, "files", { value: [new File(["{}"], "momo.charx")], configurable: true });
  await settle(() => field.dispatchEvent(new Event("change", { bubbles: true })));
  await vi.waitFor(() => expect(page.root.querySelector(".card-preview")).not.toBeNull());
  return page;
}

const tick = (page: Mounted, words: string): HTMLInputElement => {
  const label = [...page.root.querySelectorAll(".tick")].find((each) => each.textContent?.includes(words));
  if (!label) throw new Error(`no tick "${words}"`);
  return find<HTMLInputElement>(label, "input");
};

it("shows portrait, moods and what is not fetched; brings its face unless that is not wanted", async () => {
  const page = await shown();
  const preview = find(page.root, ".card-preview");
  expect(find<HTMLImageElement>(preview, ".card-head img").alt).toBe("Portrait of Momo");
  expect([...preview.querySelectorAll(".card-moods li")].map((each) => each.textContent)).toEqual(["happy", "sad"]);
  expect(preview.textContent).toContain("The card points to 1 picture on the internet, not fetched.");
  expect(await faults(page.root)).toEqual([]);
  expect(tick(page, "Use the card's pictures").checked).toBe(true);
  await settle(() => button(page.root, "Make this the soul").click());
  expect(page.core.called("import_card")).toMatchObject([{ instructions: false, pictures: true }]);
  const plain = await shown();
  await settle(() => tick(plain, "Use the card's pictures").click());
  await settle(() => button(plain.root, "Make this the soul").click());
  expect(plain.core.called("import_card")[0]).not.toHaveProperty("pictures");
});

it("lets its other first words take turns", async () => {
  const page = await shown();
  expect(find(page.root, ".card-notes").textContent).toBe("Other opening lines (2)You again?It rains.");
  await settle(() => tick(page, "Start each new conversation").click());
  await settle(() => button(page.root, "Make this the soul").click());
  expect(page.core.called("import_card")).toMatchObject([{ each_greeting: true }]);
});

it("draws no picture but the core's own, and offers none where there is none", async () => {
  const page = await shown({ ...DRESSED_CARD, portrait: "https://example.org/a.png", pictures: [] });
  expect(page.root.innerHTML).not.toContain("example.org");
  const plain = await shown(CARD);
  expect(plain.root.querySelector(".card-preview img")).toBeNull();
  expect(plain.root.textContent).not.toContain("Use the card's pictures");
});

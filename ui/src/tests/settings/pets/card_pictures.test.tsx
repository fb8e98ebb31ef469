/** A character card's pictures and other first words, before it is taken in. */
import { expect, it, vi } from "vitest";
import { CARD, DRESSED_CARD } from "../../../ipc/fake_welcome";
import { faults } from "../../axe";
import { button, find, type Mounted, mountApp, settle } from "../../render";

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
  await settle(() => page.store.openSettings("soul"));
  await settle(() => button(page.root, "Import a card…").click());
  const field = find<HTMLInputElement>(page.root, "dialog input[type=file]");
  Object.defineProperty(field, "files", { value: [new File(["{}"], "momo.charx")], configurable: true });
  await settle(() => field.dispatchEvent(new Event("change", { bubbles: true })));
  await vi.waitFor(() => expect(page.root.querySelector(".card-preview")).not.toBeNull());
  return page;
}

const tick = (page: Mounted, words: string): HTMLInputElement => {
  const found = [...page.root.querySelectorAll(".tick")].find((each) => each.textContent?.includes(words));
  if (!found) throw new Error(`no tick "${words}"`);
  return find<HTMLInputElement>(found, "input");
};

it("shows portrait, moods and what is not fetched; brings its face unless that is not wanted", async () => {
  const page = await shown();
  const preview = find(page.root, ".card-preview");
  expect(find<HTMLImageElement>(preview, ".card-head img").alt).toBe("Portrait of Momo");
  expect([...preview.querySelectorAll(".card-moods li")].map((each) => each.textContent)).toEqual(["happy", "sad"]);
  expect(preview.textContent).toContain("This card points to pictures on the internet (1). They are not fetched.");
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

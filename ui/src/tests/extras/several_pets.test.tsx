/** Settings > Who I am > Pets: others come to the desktop too and go home. */
import { describe, expect, it } from "vitest";
import { family, HOSTILE } from "../core/pets";
import { button, find, type Mounted, mountApp, openAt, press, settle, type } from "../render";

async function open(...without: [] | [[]]): Promise<Mounted> {
  const page = await mountApp(family, ...without);
  await openAt(page, "me");
  return page;
}

async function make(page: Mounted): Promise<void> {
  await settle(() => button(page.root, "New pet").click());
  await settle(() => type(find<HTMLInputElement>(page.root, "#pet-name"), "Tam"));
  const submit = new SubmitEvent("submit", { bubbles: true, cancelable: true });
  await settle(() => find(page.root, ".new-pet").dispatchEvent(submit));
}

describe("several pets", () => {
  it("come too and go home from their row, which says who is on the desktop", async () => {
    const page = await open();
    await settle(() => button(page.root, "Bring it too").click());
    expect(page.core.called("bring_pet")).toEqual([{ pet: "pip" }]);
    page.core.memory.pets = page.core.memory.pets.map((each) => ({ ...each, beside: !each.current }));
    await settle(() => page.core.emit({ type: "pets_changed" }));
    const facts = [...(page.root.querySelectorAll(".pet-row")[1]?.querySelectorAll(".dotted > span") ?? [])];
    expect(facts.map((each) => each.textContent).slice(0, 2)).toEqual(["on the desktop", "3 conversations"]);
    await settle(() => button(find(page.root, ".pets"), `More about ${HOSTILE}`).click());
    await settle(() => button(find(page.root, ".pets [role=menu]"), "Delete (send it home first)").click());
    expect(page.root.querySelector("dialog")).toBeNull();
    await settle(() => press(document.activeElement ?? page.root, "Escape"));
    await settle(() => button(page.root, "Send it home").click());
    expect(page.core.called("send_pet_home")).toEqual([{ pet: "pip" }]);
    page.core.fail("bring_pet", { code: "too_many_pets", args: { most: 3 }, retryable: false });
    page.core.memory.pets = page.core.memory.pets.map((each) => ({ ...each, beside: false }));
    await settle(() => page.core.emit({ type: "pets_changed" }));
    await settle(() => button(page.root, "Bring it too").click());
    expect(find(page.root, "[role=alert]").textContent).toContain("3");
  });

  it("have a new one among them at once", async () => {
    const page = await open();
    await make(page);
    const born = page.core.memory.pets.at(-1)?.id ?? "";
    expect(page.core.called("bring_pet")).toEqual([{ pet: born }]);
  });

  it("are missed by nothing without the extra", async () => {
    const page = await open([]);
    await make(page);
    expect(page.core.called("create_pet")).toHaveLength(1);
    expect(page.core.called("bring_pet")).toEqual([]);
    expect([...page.root.querySelectorAll(".pet-row > button")].map((each) => each.textContent)).toEqual([]);
  });
});

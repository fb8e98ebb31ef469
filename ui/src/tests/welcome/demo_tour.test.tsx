/** The demo's first conversation: a memory moment, played by the page alone. */
import { beforeEach, describe, expect, it } from "vitest";
import { faults } from "../axe";
import { button, find, mountApp, press, settle, type } from "../render";

const open = () =>
  mountApp((core) => {
    core.app = { ...core.app, demo: true };
  });

describe("the demo", () => {
  beforeEach(() => {
    window.matchMedia = () => ({ matches: true }) as unknown as MediaQueryList; // a still pet: no timer outlives the test
  });

  it("notes what it is told, knows it the next day, and not with memory off; nothing reaches the core", async () => {
    const page = await open();
    const before = page.core.calls.length;
    await settle(() => button(page.root, "My cat is called Pepper.").click());
    expect(find(page.root, ".demo-tour .receipt").textContent).toContain("Wrote down: My cat is called Pepper.");
    expect(find(page.root, ".demo-tour .portrait").dataset["act"]).toBe("remembered");
    await settle(() => button(page.root, "And the next day?").click());
    expect(page.root.textContent).toContain("You said: “My cat is called Pepper.”");
    await settle(() => button(page.root, "Now switch memory off").click());
    expect(page.root.textContent).toContain("I don't know anything about you");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Good to know").click());
    const asked = page.core.calls.slice(before).map((each) => each.name);
    expect(asked.filter((name) => name !== "save_tabs")).toEqual([]);
    await settle(() => button(page.root, "Choose a real model").click());
    expect(page.store.section.value).toBe("thinking");
  });

  it("takes the owner's own words as text", async () => {
    const page = await open();
    const fields = [...page.root.querySelectorAll<HTMLTextAreaElement>("main input:not([type=file]), main textarea")];
    expect(fields.map((each) => each.placeholder)).toEqual(["Or something of your own"]); // one place to write in
    const [field] = fields as [HTMLTextAreaElement];
    await settle(() => type(field, "<b>I am Sam</b>"));
    await settle(() => press(field, "Enter"));
    expect(page.core.called("send_message")).toEqual([]);
    expect(field.value).toBe("");
    expect(find(page.root, ".demo-tour .owner .bubble").textContent).toBe("<b>I am Sam</b>");
    expect(page.root.querySelector(".demo-tour b")).toBeNull();
    await settle(() => type(field, "and now?"));
    await settle(() => press(field, "Enter"));
    expect(page.core.called("send_message")).toMatchObject([{ text: "and now?" }]); // it asks no more
  });
});

/** Escape goes back by one; clicks and drops never leave the page. */
import { afterEach, describe, expect, it } from "vitest";
import { stayOnPage } from "../../input/drops";
import { turnView } from "../core/records";
import { button, find, type Mounted, mountTalk, openAt, press, settle, type } from "../render";

const talk = () => mountTalk([turnView("t1", "Hi", "Hello")]);
const goBack = (page: Mounted) => settle(() => press(document.activeElement ?? page.root, "Escape"));
const hidden = (page: Mounted) => page.core.called("hide_chat").length;

describe("Escape goes back by one", () => {
  it("from a dialog, and stays in the chat", async () => {
    const page = await talk();
    await settle(() => press(document.body, "F1"));
    await goBack(page);
    expect(page.root.querySelector("dialog")).toBeNull();
    expect(hidden(page)).toBe(0);
    await settle(() => press(find(page.root, ".composer textarea"), "Escape"));
    expect(hidden(page)).toBe(0);
  });

  it("from a menu, from Find below it, and stays in the chat", async () => {
    const page = await talk();
    await settle(() => page.store.navigation.find("Hel"));
    await settle(() => button(page.root, "More").click());
    await goBack(page);
    expect(page.root.querySelector("[role=menu]")).toBeNull();
    expect(document.activeElement).toBe(button(page.root, "More"));
    await goBack(page);
    expect(page.store.navigation.finding.value).toBeNull();
    expect(hidden(page)).toBe(0);
    await goBack(page);
    expect(hidden(page)).toBe(0);
  });

  it("from a name being written, which stays as it was, also when the field loses the focus", async () => {
    const page = await talk();
    await settle(() => press(document.body, "F2"));
    const field = find<HTMLInputElement>(page.root, ".tab .rename");
    await settle(() => type(field, "Other"));
    await settle(() => {
      press(field, "Escape");
      field.dispatchEvent(new FocusEvent("blur")); // as a browser does when the field is removed
    });
    expect(page.root.querySelector(".rename")).toBeNull();
    expect(page.core.called("rename_conversation")).toEqual([]);
    expect(hidden(page)).toBe(0);
  });

  it("from a name in the list of conversations, then from the words sought, then from the list", async () => {
    const page = await talk();
    await settle(() => page.store.navigation.show("history"));
    await settle(() => type(find<HTMLInputElement>(page.root, "main input[type=search]"), "talk"));
    await settle(() => button(page.root, "Rename “A talk”").click());
    const field = find<HTMLInputElement>(page.root, "input.card-main");
    await settle(() => {
      type(field, "Other");
      press(field, "Escape");
      field.dispatchEvent(new FocusEvent("blur"));
    });
    expect(page.core.called("rename_conversation")).toEqual([]);
    await goBack(page);
    expect(find<HTMLInputElement>(page.root, "main input[type=search]").value).toBe("");
    expect(page.store.navigation.view.value).toBe("history");
    await goBack(page);
    expect(page.store.navigation.view.value).toBe("chat");
  });

  it("from what was written in a field of the settings, then from the settings", async () => {
    const page = await talk();
    await openAt(page, "model");
    const field = find<HTMLInputElement>(
      page.root,
      "main.settings .section input[type=text], main.settings .section input:not([type])",
    );
    const before = field.value;
    await settle(() => field.focus());
    await settle(() => type(field, "something else"));
    await settle(() => press(field, "Escape"));
    expect(field.value).toBe(before);
    expect(page.store.navigation.view.value).toBe("settings");
    await settle(() => press(field, "Escape"));
    expect(page.store.navigation.view.value).toBe("chat");
    expect(page.core.called("change_settings")).toEqual([]);
  });

  it("from a message being changed, which stays as it was", async () => {
    const page = await talk();
    await settle(() => button(page.root, "Edit and send again").click());
    const field = find<HTMLTextAreaElement>(page.root, ".owner textarea");
    await settle(() => type(field, "Bye"));
    await settle(() => press(field, "Escape"));
    expect(find(page.root, ".owner .bubble").textContent).toBe("Hi");
    expect(hidden(page)).toBe(0);
  });

  it("never from a word that an input method is still making", async () => {
    const page = await talk();
    await settle(() => page.store.navigation.find("Hel"));
    await settle(() => press(find(page.root, ".find-bar input"), "Escape", { isComposing: true }));
    expect(page.store.navigation.finding.value).toBe("Hel");
  });
});

describe("the Back arrow", () => {
  it.each(["settings", "history"] as const)("leads from the %s to the conversation", async (view) => {
    const page = await talk();
    await settle(() => page.store.navigation.show(view));
    await settle(() => button(page.root, "Back to the conversation").click());
    expect(page.store.navigation.view.value).toBe("chat");
    expect(document.activeElement).toBe(find(page.root, ".composer textarea"));
  });
});

stayOnPage();

function dragged(
  name: "dragenter" | "dragover" | "drop",
  on: Element,
  types: string[],
): { prevented: boolean; effect: string } {
  const transfer = { types, dropEffect: "copy" };
  const event = new Event(name, { bubbles: true, cancelable: true });
  on.dispatchEvent(Object.assign(event, { dataTransfer: transfer }));
  return { prevented: event.defaultPrevented, effect: transfer.dropEffect };
}

function made(html: string): Element {
  document.body.innerHTML = html;
  return document.body.firstElementChild ?? document.body;
}

afterEach(() => document.body.replaceChildren());

describe("a drag over the page", () => {
  it("is refused visibly where nobody takes it", () => {
    expect(dragged("dragover", made("<p>x</p>"), ["Files"])).toEqual({ prevented: true, effect: "none" });
    expect(dragged("dragenter", made("<p>x</p>"), ["Files"])).toEqual({ prevented: true, effect: "none" });
    expect(dragged("dragover", made("<textarea></textarea>"), ["Files"])).toEqual({
      prevented: true,
      effect: "none",
    });
    expect(dragged("drop", made("<p>x</p>"), ["Files"]).prevented).toBe(true);
  });

  it("is left to who takes it", () => {
    const zone = made("<section></section>");
    zone.addEventListener("dragover", (event) => event.preventDefault());
    expect(dragged("dragover", zone, ["Files"])).toEqual({ prevented: true, effect: "copy" });
  });

  it("may bring text into a field, and a file to the editor", () => {
    const text = { prevented: false, effect: "copy" };
    expect(dragged("dragover", made("<textarea></textarea>"), ["text/plain"])).toEqual(text);
    expect(dragged("drop", made("<input>"), ["text/plain"])).toEqual(text);
    const editor = made('<div class="cm-editor"></div>');
    expect(dragged("dragover", editor, ["Files"])).toEqual({ prevented: true, effect: "copy" });
  });
});

/** Keys of the chat, and the search in a conversation that one of them opens. */
import { describe, expect, it } from "vitest";
import { NOW, turnView } from "../../ipc/fake";
import { faults } from "../axe";
import { find, mountTalk, press, settle, type } from "../render";

describe("finding in a conversation", () => {
  it("counts, goes from one to the next, and closes", async () => {
    const page = await mountTalk([
      turnView("t1", "Green tea?", "Yes."),
      turnView("t2", "And coffee", "Green TEA it is."),
      turnView("t3", "bye", "bye"),
    ]);
    await settle(() => press(document.body, "f", { ctrlKey: true }));
    const field = find<HTMLInputElement>(page.root, ".find-bar input");
    expect(document.activeElement).toBe(field);
    await settle(() => type(field, "green tea"));
    expect(find(page.root, ".find-bar [role=status]").textContent).toBe("2 matches");
    await settle(() => press(field, "Enter"));
    expect(find(page.root, ".turn-slot.found").dataset["slot"]).toBe("t1");
    await settle(() => press(field, "Enter"));
    expect(find(page.root, ".turn-slot.found").dataset["slot"]).toBe("t2");
    expect(find(page.root, ".find-bar [role=status]").textContent).toBe("2 of 2");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => type(field, "nowhere"));
    expect(find(page.root, ".find-bar").textContent).toContain("Nothing found");
    await settle(() => press(field, "Escape"));
    expect(page.root.querySelector(".find-bar")).toBeNull();
    expect(page.core.called("hide_chat")).toEqual([]);
  });
});

describe("keys", () => {
  it("are listed by F1", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")]);
    await settle(() => press(document.body, "F1"));
    expect(find(page.root, "dialog").textContent).toContain("Ctrl+Shift+T");
    expect(await faults(page.root)).toEqual([]);
  });

  it.each(["a", "?", "你", "Process"])("%s typed after a click on a button goes into the composer", async (key) => {
    const page = await mountTalk([turnView("t1", "x", "y")]);
    const composer = find(page.root, ".composer textarea");
    const pressed = find<HTMLElement>(page.root, ".memory-switch");
    pressed.focus();
    await settle(() => press(pressed, key));
    expect(document.activeElement).toBe(composer);
    expect(page.root.querySelector("dialog")).toBeNull();
  });

  it.each([
    [" ", {}],
    ["Enter", {}],
    ["a", { ctrlKey: true }],
    ["F7", {}],
  ])("%s leaves the focus on the button", async (key, held) => {
    const page = await mountTalk([turnView("t1", "x", "y")]);
    const pressed = find<HTMLElement>(page.root, ".memory-switch");
    pressed.focus();
    await settle(() => press(pressed, key, held));
    expect(document.activeElement).toBe(pressed);
  });

  it("Escape never hides the chat, and stops a reply wherever the focus is", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")]);
    const composer = find(page.root, ".composer textarea");
    await settle(() => press(composer, "Escape", { isComposing: true }));
    await settle(() => press(composer, "Escape"));
    await settle(() => press(document.body, "Escape"));
    const place = { conversation: "c1", turn: "t2", at: NOW, text: "x", memory: true };
    await settle(() =>
      page.core.emit({ type: "turn_started", ...place, supersedes: null, attachments: [], kind: "message" }),
    );
    await settle(() => press(composer, "Escape"));
    expect(page.core.called("stop_turn")).toHaveLength(1);
    for (const element of [document.body, find(page.root, ".composer .stop")])
      await settle(() => press(element, "Escape"));
    expect(page.core.called("stop_turn")).toHaveLength(3);
    expect(page.core.called("hide_chat")).toHaveLength(0);
  });

  it("the arrows bring back what was said, only into an empty field", async () => {
    const page = await mountTalk([turnView("t1", "first", "y"), turnView("t2", "second\nline", "y")]);
    const field = find<HTMLTextAreaElement>(page.root, ".composer textarea");
    await settle(() => press(field, "ArrowUp"));
    expect(field.value).toBe("second\nline");
    await settle(() => press(field, "ArrowUp"));
    expect(field.value).toBe("first");
    await settle(() => press(field, "ArrowUp"));
    expect(field.value).toBe("first");
    await settle(() => press(field, "ArrowDown"));
    await settle(() => press(field, "ArrowDown"));
    expect(field.value).toBe("");
    await settle(() => type(field, "new words"));
    await settle(() => press(field, "ArrowUp"));
    expect(field.value).toBe("new words");
  });
});

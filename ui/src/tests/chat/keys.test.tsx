/** Keys: the map of all keys, copying, trying again, and Find by key. */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ErrorInfo, PetEvent, TurnView } from "../../bindings";
import { everywhere, KEYS, shown } from "../../input/keys";
import { t } from "../../texts";
import { faults } from "../axe";
import { NOW, turnView } from "../core/records";
import { button, find, mountTalk, press, settle, type } from "../render";

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
    expect(find(page.root, ".find-bar [role=status]").textContent).toBe("1 of 2");
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

const talk = (...turns: TurnView[]) => mountTalk(turns);

const REPLY = "Take **this**:\n\n```python\nprint(1)\n```";

describe("copying", () => {
  let copied: string[] = [];
  beforeEach(() => {
    copied = [];
    vi.stubGlobal("navigator", {
      ...navigator,
      clipboard: { writeText: async (text: string) => void copied.push(text) },
    });
  });
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ["Copy message", "How, *exactly*?"],
    ["Copy reply", REPLY],
    ["Copy code", "print(1)"],
  ])("“%s” takes the text as it was written, and says so", async (label, text) => {
    const page = await talk(turnView("t1", "How, *exactly*?", REPLY));
    await settle(() => button(page.root, label).click());
    expect(copied).toEqual([text]);
    expect(button(page.root, "Copied")).toBeDefined();
  });

  it("goes the old way where the page may not use the clipboard", async () => {
    vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: () => Promise.reject(new Error("no")) } });
    let taken = "";
    document.execCommand = () => {
      taken = document.querySelector<HTMLTextAreaElement>("body > textarea")?.value ?? "";
      return true;
    };
    const page = await talk(turnView("t1", "Hi", REPLY));
    await settle(() => button(page.root, "Copy reply").click());
    expect(taken).toBe(REPLY);
    expect(document.querySelector("body > textarea")).toBeNull();
  });
});

describe("a reply that failed, broke off or waits", () => {
  const overloaded: ErrorInfo = { code: "fault_overloaded", args: { host: "h" }, retryable: true };

  it("is asked for again by Retry", async () => {
    const page = await talk(turnView("t1", "Hi", "", { end: "failed", error: overloaded }));
    await settle(() => button(page.root, "Retry").click());
    expect(page.core.called("resend")).toEqual([{ conversation: "c1", turn: "t1" }]);
  });

  it.each(["cut", "stopped", "max_tokens"] as const)("goes on by Continue where it ended as %s", async (end) => {
    const page = await talk(turnView("t1", "Tell me", "Once upon", { end }));
    await settle(() => button(page.root, "Continue").click());
    expect(page.core.called("continue_turn")).toEqual([{ conversation: "c1", turn: "t1" }]);
  });

  it("has no Continue where it is whole, or where nothing was said", async () => {
    const whole = await talk(turnView("t1", "Tell me", "The end."));
    expect(() => button(whole.root, "Continue")).toThrow();
    const empty = await talk(turnView("t1", "Tell me", "", { end: "stopped" }));
    expect(() => button(empty.root, "Continue")).toThrow();
  });

  it("is asked again by Retry where it was stopped before a word came", async () => {
    const page = await talk(turnView("t1", "Tell me", "", { end: "stopped" }));
    expect(page.root.querySelector('[aria-label="Another reply"]')).toBeNull();
    await settle(() => button(page.root, "Retry").click());
    expect(page.core.called("resend")).toEqual([{ conversation: "c1", turn: "t1" }]);
  });

  it("counts down while it waits, anew for each wait, and can be stopped", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const page = await talk(turnView("t1", "Hi", "", { end: null }));
    const wait = (seconds: number, attempt: number): PetEvent => {
      return { type: "retry_waiting", conversation: "c1", turn: "t1", error: overloaded, seconds, attempt };
    };
    await settle(() => page.core.emit(wait(5, 1)));
    const line = () => find(page.root, ".fault.waiting").textContent;
    expect(line()).toContain("Trying again in 5 s");
    await settle(() => vi.advanceTimersByTime(2000));
    expect(line()).toContain("Trying again in 3 s");
    await settle(() => page.core.emit(wait(20, 2)));
    expect(line()).toContain("Trying again in 20 s");
    await settle(() => vi.advanceTimersByTime(60_000));
    expect(line()).toContain("Trying again in 0 s");
    await settle(() => button(page.root, "Stop waiting").click());
    expect(page.core.called("stop_turn")).toEqual([{ conversation: "c1" }]);
    vi.useRealTimers();
  });
});

describe("the map of keys", () => {
  it("lists every key of the table, in words", async () => {
    const page = await talk(turnView("t1", "Hi", "Yes"));
    await settle(() => press(document.body, "F1"));
    const dialog = find(page.root, "dialog");
    const rows = [...dialog.querySelectorAll("dl > div")].map((row) => row.textContent ?? "");
    for (const { keys, what } of KEYS) {
      expect(rows).toContainEqual(`${keys.map(shown).join(" / ")}${t(what)}`);
    }
    expect(rows).toHaveLength(KEYS.length + 1); // and the memory shortcut, which the owner chooses
    for (const keys of ["Ctrl+S", "Del", "Ctrl+PgUp", "Ctrl+PgDn", "Shift+Enter", "Esc"]) {
      expect([...dialog.querySelectorAll("kbd")].map((each) => each.textContent)).toContain(keys);
    }
  });

  it("is the one the keys are handled by: none is handled beside it", () => {
    const handling = ["app.tsx", "chat/composer.tsx", "chat/tabs.tsx", "chat/find.tsx", "settings/editor/files.tsx"];
    for (const file of handling) {
      const source = readFileSync(`src/${file}`, "utf8").replace(/function Rename[\s\S]*?\n}\n/, "");
      expect(source, file).not.toMatch(/event\.key ===/);
    }
    expect(KEYS.every((row) => (row.run === undefined) !== (row.name === undefined))).toBe(true);
  });

  it.each(KEYS.filter((row) => row.run).flatMap(({ keys }) => keys))("%s works in every view", (keys) => {
    const parts = keys.split("+");
    const event = new KeyboardEvent("keydown", {
      key: parts.at(-1) ?? "",
      ctrlKey: parts.includes("Ctrl"),
      shiftKey: parts.includes("Shift"),
    });
    expect(everywhere(event)).toBe(KEYS.find((row) => row.keys.includes(keys))?.run);
  });

  it("holds on a tab: arrows go along, Delete closes it", async () => {
    const page = await talk(turnView("t1", "Hi", "Yes"));
    await settle(() => page.store.tabs.create());
    const tabs = [...page.root.querySelectorAll<HTMLElement>("[role=tab]")];
    tabs[1]?.focus();
    press(tabs[1] as HTMLElement, "ArrowLeft");
    expect(document.activeElement).toBe(tabs[0]);
    await settle(() => press(tabs[0] as HTMLElement, "Delete"));
    expect(page.store.tabs.ids.value).not.toContain("c1");
  });
});

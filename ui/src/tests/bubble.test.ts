import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BubbleView } from "../bindings";
import type { Ask } from "../bubble/core";
import { mount, tomorrow } from "../bubble/main";
import { faults } from "./axe";

const SAID: BubbleView = {
  kind: "reply",
  text: "Rain <b>until</b> four.\nThen sun.",
  more: true,
  promises: [],
  seconds: 8,
  language: "en",
  theme: "dark",
  reduced_motion: "off",
};
const PROMISED: BubbleView = {
  ...SAID,
  kind: "promises",
  text: "",
  more: false,
  language: "zh",
  promises: [{ file: "memory/2026-11-20.md", line: 3, due: "2026-11-19", text: "给牙医打电话", overdue: true }],
};

describe("the speech bubble", () => {
  let root: HTMLElement;
  let asked: [string, unknown][];
  let view: BubbleView;

  const ask = (async (name: string, args: unknown) => {
    asked.push([name, args]);
    if (name === "get_bubble") return view;
    if (name === "size_bubble") return { side: "above", tail: 100 };
    return name === "answer_promise" ? null : {};
  }) as Ask;

  async function show(what: BubbleView): Promise<void> {
    view = what;
    window.__soulpet?.deliver({ resync: false, events: [] });
    await vi.advanceTimersByTimeAsync(0);
  }

  const names = () => asked.map(([name]) => name);
  const button = (text: string) =>
    [...root.querySelectorAll("button")].find((each) => each.textContent === text || each.ariaLabel === text);

  beforeEach(async () => {
    vi.useFakeTimers();
    window.matchMedia = vi.fn().mockReturnValue({ matches: false });
    document.body.innerHTML = '<div id="root" role="status" aria-live="polite"></div>';
    root = document.getElementById("root") as HTMLElement;
    asked = [];
    view = { ...SAID, kind: "none" };
    mount(root, ask);
    await vi.advanceTimersByTimeAsync(0);
  });
  afterEach(() => void vi.useRealTimers());

  it("shows words, never markup, and asks for its room before it can be seen", async () => {
    expect(names()).toEqual(["get_bubble"]); // nothing to say, no room
    await show(SAID);
    expect(root.querySelector(".said")?.textContent).toBe(SAID.text);
    expect(root.querySelector("b")).toBeNull();
    expect(names()).toEqual(["get_bubble", "get_bubble", "size_bubble"]);
    expect(root.dataset["side"]).toBe("above");
    expect(document.documentElement.dataset["theme"]).toBe("dark");
    vi.useRealTimers();
    expect(await faults(root)).toEqual([]);
  });

  it("fades when it was read, not while the pointer rests on it, and leaves no timer", async () => {
    await show(SAID);
    root.dispatchEvent(new Event("pointerenter"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(names()).not.toContain("close_bubble");
    root.dispatchEvent(new Event("pointerleave"));
    await vi.advanceTimersByTimeAsync(8_000);
    expect(root.classList.contains("gone")).toBe(true);
    await vi.advanceTimersByTimeAsync(300);
    expect(names().at(-1)).toBe("close_bubble");
    await show({ ...SAID, kind: "none" });
    expect(root.childElementCount).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("opens the chat for the rest", async () => {
    await show(SAID);
    button("Read on")?.click();
    expect(names().at(-1)).toBe("open_bubble");
    await show({ ...SAID, more: false });
    button("Answer")?.click();
    expect(names().at(-1)).toBe("open_bubble");
    button("Close")?.click();
    expect(names().at(-1)).toBe("close_bubble");
  });

  it("keeps a promise until it is answered, in the owner's language, and says when it is another one by now", async () => {
    vi.setSystemTime(new Date(2026, 11, 31, 12));
    await show(PROMISED);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(names()).not.toContain("close_bubble");
    expect(document.documentElement.lang).toBe("zh-CN");
    button("明天再说")?.click();
    await vi.advanceTimersByTimeAsync(0);
    const until = { answer: "snooze", until: "2027-01-01" };
    expect(asked.at(-1)).toEqual(["answer_promise", expect.objectContaining(until)]);
    expect(root.textContent).toContain("刚刚变了");
  });

  it("knows tomorrow", () => {
    expect(tomorrow(new Date(2028, 1, 28, 23, 59))).toBe("2028-02-29");
  });
});

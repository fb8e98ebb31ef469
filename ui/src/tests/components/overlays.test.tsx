/** Menus, notices, the tooltip and diffs. */

import { render } from "preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DiffView } from "../../components/diff";
import { language } from "../../texts";
import { faults } from "../axe";
import { turnView } from "../core/records";
import { button, find, type Mounted, mountTalk, press, settle } from "../render";

describe("a menu", () => {
  it("is walked by arrows, Home and End, closed by Escape, and gives the focus back", async () => {
    const page = await mountTalk([turnView("t1", "hi", "hello")]);
    const more = button(page.root, "More");
    await settle(() => more.click());
    const keys = ["ArrowUp", "ArrowDown", "End", "ArrowUp", "Home", "ArrowDown"];
    const walked = [document.activeElement?.textContent];
    for (const key of keys) {
      await settle(() => press(document.activeElement as Element, key));
      walked.push(document.activeElement?.textContent);
    }
    const last = "Temporary conversation";
    expect(walked).toEqual(["Pin", last, "Pin", last, "Delete…", "Pin", "Rename this conversation"]);
    expect(await faults(page.root)).toEqual([]);
    await settle(() => press(document.activeElement as Element, "Escape"));
    expect(page.root.querySelector("[role=menu]")).toBeNull();
    expect(document.activeElement).toBe(more);
  });
});

const notices = ({ root }: Mounted) => root.querySelectorAll(".notice").length;
const wait = (seconds: number) => settle(() => void vi.advanceTimersByTime(seconds * 1000));
const fire = (target: Element, event: Event) => settle(() => void target.dispatchEvent(event));

describe("a notice", () => {
  let page: Mounted;
  beforeEach(async () => {
    page = await mountTalk([turnView("t1", "hi", "hello")]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const exported = async () => {
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Export…").click());
    await settle(() => find(page.root, "dialog .choice-row").click());
    return find(page.root, ".notice");
  };

  it("that only says what was done is there for seven seconds, in a region that is always there", async () => {
    const region = find(page.root, ".notices[role=alert]");
    const notice = await exported();
    expect(region.contains(notice)).toBe(true);
    await wait(6.9);
    expect(notices(page)).toBe(1);
    await wait(0.2);
    expect(notices(page)).toBe(0);
    expect(find(page.root, ".notices[role=alert]")).toBe(region);
  });

  it("is there once, however often the disk is full, and one at a time", async () => {
    const full = (file: string) => ({ code: "disk_full", args: { file, reason: "" }, retryable: false });
    await settle(() => {
      page.store.notices.notify("", full("tabs.json"));
      page.store.notices.notify("", full("conversations/a.jsonl"));
    });
    expect(notices(page)).toBe(1);
    await settle(() => page.store.notices.notify("", { ...full("tabs.json"), code: "write_denied" }));
    const words = () => find(page.root, ".notice p").textContent;
    expect(words()).toBe(
      "tabs.json could not be saved: its place is write-protected or belongs to another user. Change that, then try again.",
    );
    await settle(() => button(page.root, "Dismiss").click());
    expect(words()).toBe("The disk is full. Make some room and try again; nothing was changed.");
  });

  it("names sizes as the language writes them", async () => {
    const needs = { name: "Qwen", need: 2.1, memory: 4 };
    language.value = "es";
    await settle(() => page.store.notices.notify("", { code: "local_model_memory", args: needs, retryable: false }));
    expect(find(page.root, ".notice p").textContent).toContain("necesita 2,1 GB de RAM y este ordenador tiene 4 GB");
    language.value = "en";
  });

  it("of something saved opens its folder, by name", async () => {
    await exported();
    vi.useRealTimers(); // axe waits
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(find(page.root, ".notice"), "Open the folder").click());
    expect(page.core.called("open_folder")).toEqual([{ place: "downloads" }]);
    expect(notices(page)).toBe(1);
  });

  it.each([
    ["pointer", new PointerEvent("pointerenter"), new PointerEvent("pointerleave")],
    ["focus", new FocusEvent("focusin", { bubbles: true }), new FocusEvent("focusout", { bubbles: true })],
  ])("stays while the %s is on it, and has its time again after that", async (_what, comes, goes) => {
    const notice = await exported();
    await wait(5);
    await fire(notice, comes);
    await wait(600);
    expect(notices(page)).toBe(1);
    await fire(notice, goes);
    await wait(6.9);
    expect(notices(page)).toBe(1);
    await wait(0.2);
    expect(notices(page)).toBe(0);
  });

  it("waits until the window is in sight", async () => {
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
    const changed = () => fire(document.documentElement, new Event("visibilitychange", { bubbles: true }));
    await exported();
    await changed();
    await wait(600);
    expect(notices(page)).toBe(1);
    hidden.mockReturnValue(false);
    await changed();
    await wait(7);
    expect(notices(page)).toBe(0);
    hidden.mockRestore();
  });

  it("of something that went wrong stays until it is dismissed", async () => {
    const error = { code: "fault_timeout", args: {}, retryable: true };
    await settle(() => page.store.notices.notify("", error));
    expect(() => button(find(page.root, ".notice"), "Open the folder")).toThrow();
    await wait(600);
    expect(notices(page)).toBe(1);
    await settle(() => button(find(page.root, ".notice"), "Dismiss").click());
    expect(notices(page)).toBe(0);
  });
});

describe("tooltips", () => {
  const SOURCES = import.meta.glob<string>("../../**/*.tsx", { eager: true, query: "?raw", import: "default" });
  /** An HTML element with the attribute `title`. */
  const OWN_TITLE = /<[a-z]\w*\b(?:[^<>{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\stitle=/g;

  const tip = () => document.querySelector(".tooltip");
  const rest = (milliseconds: number) => settle(() => vi.advanceTimersByTime(milliseconds));
  const over = (target: Element) =>
    settle(() => target.dispatchEvent(new MouseEvent("pointerover", { bubbles: true })));

  async function page() {
    const mounted = await mountTalk([turnView("t1", "Hi", "Hello")]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    return mounted;
  }

  afterEach(() => {
    vi.useRealTimers();
  });

  describe("the tooltip", () => {
    it("comes after a rest with the element's name, and goes with the pointer", async () => {
      const { root } = await page();
      await over(button(root, "More"));
      await rest(300);
      expect(tip()).toBeNull();
      await rest(300);
      expect(tip()?.textContent).toBe("More");
      await over(root);
      expect(tip()).toBeNull();
    });

    it("describes what has another name, for as long as it is there", async () => {
      const { root } = await page();
      const plus = button(root, "New conversation");
      await over(plus);
      await rest(600);
      expect(tip()?.textContent).toBe(plus.dataset["tip"]);
      expect(plus.getAttribute("aria-describedby")).toBe("tooltip");
      await settle(() => press(plus, "a"));
      expect(tip()).toBeNull();
      expect(plus.hasAttribute("aria-describedby")).toBe(false);
    });

    it("comes at once where another was just read", async () => {
      const { root } = await page();
      await over(button(root, "More"));
      await rest(600);
      await over(button(root, "Conversations"));
      await rest(1);
      expect(tip()?.textContent).toBe("Conversations");
    });

    it("goes when its element scrolls away, and stays when the messages beside it do", async () => {
      const { root } = await page();
      await over(button(root, "New conversation"));
      await rest(600);
      await settle(() => find(root, ".messages").dispatchEvent(new Event("scroll")));
      expect(tip()).not.toBeNull();
      await settle(() => document.dispatchEvent(new Event("scroll")));
      expect(tip()).toBeNull();
    });

    it("comes with keyboard focus", async () => {
      const { root } = await page();
      const more = button(root, "More");
      vi.spyOn(more, "matches").mockImplementation((query) => query === ":focus-visible");
      await settle(() => more.focus());
      await rest(600);
      expect(tip()?.textContent).toBe("More");
      await settle(() => find<HTMLTextAreaElement>(root, ".composer textarea").focus());
      expect(tip()).toBeNull();
    });

    it("is the only one: no element has the browser's own", () => {
      expect("<a href={x((y) => ({ z }))} title={url}".match(OWN_TITLE)).toHaveLength(1);
      expect("<Dialog title={url}".match(OWN_TITLE)).toBeNull();
      const sources = Object.entries(SOURCES).filter(([path]) => !path.includes("/tests/"));
      expect(sources.length).toBeGreaterThan(50);
      expect(sources.filter(([, text]) => text.match(OWN_TITLE)).map(([path]) => path)).toEqual([]);
    });
  });
});

function summed(added: number, removed: number): string {
  const root = document.createElement("div");
  render(<DiffView diff={{ lines: [], added, removed }} label="change" />, root);
  return [...root.querySelectorAll(".diff-sum span")].map((each) => each.textContent).join(", ");
}

describe("the sum of a change", () => {
  it("counts only what there is", () => {
    language.value = "en";
    expect(summed(7, 0)).toBe("+7 lines");
    expect(summed(0, 1)).toBe("−1 line");
    expect(summed(2, 3)).toBe("+2 lines, −3 lines");
    expect(summed(0, 0)).toBe("+0 lines");
  });
});

import { afterEach, describe, expect, it, vi } from "vitest";
import { turnView } from "../../ipc/fake";
import { button, find, mountTalk, press, settle } from "../render";

const SOURCES = import.meta.glob<string>("../../**/*.tsx", { eager: true, query: "?raw", import: "default" });
/** An element of the page, not of ours, and the attribute among its others. */
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

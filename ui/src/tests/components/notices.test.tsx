/** What is told over the views: which of it stays, which goes, and what holds it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { turnView } from "../../ipc/fake";
import { faults } from "../axe";
import { button, find, type Mounted, mountTalk, settle } from "../render";

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
    await settle(() => button(page.root, "Export as Markdown").click());
    return find(page.root, ".notice");
  };

  it("that only says what was done is there for twenty seconds, in a region that is always there", async () => {
    const region = find(page.root, ".notices[role=alert]");
    const notice = await exported();
    expect(region.contains(notice)).toBe(true);
    await wait(19.9);
    expect(notices(page)).toBe(1);
    await wait(0.2);
    expect(notices(page)).toBe(0);
    expect(find(page.root, ".notices[role=alert]")).toBe(region);
  });

  it("is there once, however often the disk is full", async () => {
    const full = (file: string) => ({ code: "disk_full", args: { file, reason: "" }, retryable: false });
    await settle(() => {
      page.store.notify("", full("tabs.json"));
      page.store.notify("", full("conversations/a.jsonl"));
    });
    expect(notices(page)).toBe(1);
    await settle(() => page.store.notify("", { ...full("tabs.json"), code: "write_denied" }));
    expect([...page.root.querySelectorAll(".notice p")].map((each) => each.textContent)).toEqual([
      "The disk is full. Make some room and try again; nothing was changed.",
      "tabs.json could not be saved: its place is write-protected or belongs to another user. Nothing was changed.",
    ]);
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
    await wait(10);
    await fire(notice, comes);
    await wait(600);
    expect(notices(page)).toBe(1);
    await fire(notice, goes);
    await wait(19.9);
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
    await wait(20);
    expect(notices(page)).toBe(0);
    hidden.mockRestore();
  });

  it("of something that went wrong stays until it is dismissed", async () => {
    const error = { code: "fault_timeout", args: {}, retryable: true };
    await settle(() => page.store.notify("", error));
    expect(() => button(find(page.root, ".notice"), "Open the folder")).toThrow();
    await wait(600);
    expect(notices(page)).toBe(1);
    await settle(() => button(find(page.root, ".notice"), "Dismiss").click());
    expect(notices(page)).toBe(0);
  });
});

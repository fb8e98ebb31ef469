/** Who moves about in the chat keeps the pet awake, by a word now and then and without a timer. */
import { describe, expect, it, vi } from "vitest";
import { many, mountTalk, settle } from "../render";

function happens(kind: string, seconds: number): void {
  const made = { bubbles: true };
  const event = kind === "keydown" ? new KeyboardEvent(kind, { ...made, key: "Shift" }) : new Event(kind, made);
  Object.defineProperty(event, "timeStamp", { value: 1_000_000 + seconds * 1000 });
  document.body.dispatchEvent(event);
}

describe("an owner who reads", () => {
  it("is told of at most every two minutes, and only as something moves", async () => {
    const page = await mountTalk(many(3));
    const told = () => page.core.called("reading").length;
    expect(told()).toBe(0);
    const timers = vi.spyOn(window, "setTimeout");
    await settle(() => {
      happens("pointermove", 0);
      happens("wheel", 60);
      happens("keydown", 119);
    });
    expect(told()).toBe(1);
    await settle(() => happens("wheel", 121));
    expect(told()).toBe(2);
    expect(timers).not.toHaveBeenCalled();
    timers.mockRestore();
  });

  it("is not whom a reply that scrolls by itself stands for", async () => {
    const page = await mountTalk(many(3));
    await settle(() => happens("scroll", 0));
    expect(page.core.called("reading")).toEqual([]);
  });
});

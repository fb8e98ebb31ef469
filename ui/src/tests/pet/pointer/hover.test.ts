import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { REST_MS, watchHover } from "../../../pet/pointer";

describe("the pet under the pointer", () => {
  let root: HTMLElement;
  let faded: boolean[];
  let hover: ReturnType<typeof watchHover>;
  const happens = (type: string, init: PointerEventInit = {}) =>
    root.dispatchEvent(new PointerEvent(type, { pointerType: "mouse", ...init }));

  beforeEach(() => {
    vi.useFakeTimers();
    root = document.createElement("div");
    faded = [];
    hover = watchHover(root, (now) => faded.push(now));
    hover.allow(true);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("fades once the pointer rests, and comes back when it leaves", () => {
    happens("pointerenter");
    vi.advanceTimersByTime(REST_MS - 1);
    expect(faded).toEqual([]);
    vi.advanceTimersByTime(1);
    happens("pointerleave");
    expect(faded).toEqual([true, false]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("stays as it is for a pointer that only crosses it, or brings something along", () => {
    happens("pointerenter");
    happens("pointerleave");
    happens("pointerenter", { buttons: 1 });
    vi.advanceTimersByTime(10 * REST_MS);
    expect(faded).toEqual([]);
  });

  it("is there again for a press, until the pointer comes anew", () => {
    happens("pointerenter");
    vi.advanceTimersByTime(REST_MS);
    happens("pointerdown");
    vi.advanceTimersByTime(10 * REST_MS);
    expect(faded).toEqual([true, false]);
    happens("pointerleave");
    happens("pointerenter");
    vi.advanceTimersByTime(REST_MS);
    expect(faded).toEqual([true, false, true]);
  });

  it("does nothing unless its owner wants it, and ends at once when no longer", () => {
    happens("pointerenter");
    vi.advanceTimersByTime(REST_MS);
    hover.allow(false);
    expect(faded).toEqual([true, false]);
    happens("pointerenter");
    vi.advanceTimersByTime(REST_MS);
    expect(faded).toEqual([true, false]);
  });
});

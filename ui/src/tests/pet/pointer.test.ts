/** The pointer on the pet: throws, gaze, drags and hovering. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ARRIVED_MS,
  directionOf,
  REST_MS,
  Slide,
  speedOf,
  THRESHOLD,
  trackPress,
  watchArrival,
  watchHover,
} from "../../pet/pointer";

describe("a throw", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const trail = (step: number) => [0, 1, 2, 3].map((index) => ({ x: index * step, y: 0, at: index * 16 }));

  it("needs a fast hand that doesn't pause before it lets go", () => {
    expect(speedOf(trail(20), 50)?.x).toBeCloseTo(1.25);
    expect(speedOf(trail(3), 50)).toBeNull();
    expect(speedOf(trail(20), 500)).toBeNull();
    expect(speedOf([], 0)).toBeNull();
  });

  it("is one also where the press and one move are all that a busy computer reports", () => {
    const [press, move] = [
      { x: 0, y: 0, at: 0 },
      { x: -240, y: 0, at: 120 },
    ];
    expect(speedOf([press, move], 125)?.x).toBeCloseTo(-2);
    expect(speedOf([press, { ...move, at: 900 }], 905)).toBeNull(); // held at an unknown time
  });

  it("slides slower and slower, and ends with one last move", async () => {
    const moves: [number, boolean][] = [];
    const slide = new Slide((dx, _dy, done) => {
      moves.push([dx, done]);
      return Promise.resolve();
    });
    const ended = vi.fn();
    slide.throw({ x: 10, y: 0 }, { x: 1, y: 0 }, ended);
    await vi.advanceTimersByTimeAsync(3000);
    const steps = moves.map(([x], index) => x - (moves[index - 1]?.[0] ?? 10));
    expect(steps.every((step, index) => index === 0 || step < (steps[index - 1] ?? 0))).toBe(true);
    expect(moves.filter(([, done]) => done)).toHaveLength(1);
    expect(moves.at(-1)?.[1]).toBe(true);
    expect(ended).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a walk arrives where it should, and a hand stops it", async () => {
    const moves: [number, number, boolean][] = [];
    const slide = new Slide((...move) => {
      moves.push(move);
      return Promise.resolve();
    });
    slide.walk(-300, 120, () => undefined);
    await vi.advanceTimersByTimeAsync(3000);
    expect(moves.at(-1)).toEqual([-300, 120, true]);
    slide.walk(500, 0, () => undefined);
    await vi.advanceTimersByTimeAsync(200);
    slide.stop();
    const stopped = moves.length;
    expect(moves.at(-1)?.[2]).toBe(true);
    await vi.advanceTimersByTimeAsync(3000);
    expect(moves.length).toBe(stopped);
  });
});

describe("where the pointer is", () => {
  it("is one of 16 directions, clockwise from up, and none near the face", () => {
    expect(directionOf(0, -50, 20)).toBe(0);
    expect(directionOf(50, 0, 20)).toBe(4);
    expect(directionOf(0, 50, 20)).toBe(8);
    expect(directionOf(-50, 0, 20)).toBe(12);
    expect(directionOf(-1, -50, 20)).toBe(0);
    expect(directionOf(3, 3, 20)).toBeNull();
  });
});

describe("dragging", () => {
  it("below the threshold is a click", () => {
    const send = vi.fn(() => Promise.resolve());
    const press = trackPress(send);
    press.start(100, 100);
    expect(press.move(100 + THRESHOLD - 1, 100)).toBe(false);
    expect(press.end(105, 100)).toBe(false);
    expect(send).not.toHaveBeenCalled();
  });

  it("sends one move at a time, the newest, and the last one surely", async () => {
    const done: (() => void)[] = [];
    const send = vi.fn(() => new Promise<void>((resolve) => void done.push(resolve)));
    const press = trackPress(send);
    press.start(0, 0);
    for (const x of [10, 20, 30]) press.move(x, 0);
    expect(press.end(40, 5)).toBe(true);
    expect(send.mock.calls).toEqual([[10, 0, false]]);
    done[0]?.();
    await Promise.resolve();
    await Promise.resolve();
    expect(send.mock.calls).toEqual([
      [10, 0, false],
      [40, 5, true],
    ]);
  });
});

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

  it("expects the chat once the pointer rests on it, not where it only crosses", () => {
    const expected = vi.fn();
    watchArrival(root, expected);
    root.dispatchEvent(new Event("pointerenter"));
    root.dispatchEvent(new Event("pointerleave"));
    vi.advanceTimersByTime(ARRIVED_MS);
    expect(expected).not.toHaveBeenCalled();
    root.dispatchEvent(new Event("pointerenter"));
    vi.advanceTimersByTime(ARRIVED_MS);
    expect(expected).toHaveBeenCalledOnce();
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

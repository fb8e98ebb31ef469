import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { THRESHOLD, trackPress } from "../pet/drag";
import { Player } from "../pet/steps";

describe("the pet's time", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("rests 30 seconds after the last thing that happened, with no timer left", () => {
    const player = new Player({ show: () => undefined });
    player.play("neutral");
    vi.advanceTimersByTime(29_000);
    expect(player.moving).toBe(true);
    vi.advanceTimersByTime(3_000);
    expect(player.moving).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("shows at most one frame a second while idle, and blinks seldom", () => {
    const shown: boolean[] = [];
    const player = new Player({ show: (_, __, blink) => void shown.push(blink) });
    player.play("neutral");
    vi.advanceTimersByTime(60_000);
    expect(shown.length).toBeLessThanOrEqual(30);
    expect(shown.filter(Boolean).length).toBe(3);
  });

  it("goes back to neutral by itself after half a minute", () => {
    const player = new Player({ show: () => undefined });
    player.play("happy");
    vi.advanceTimersByTime(30_000);
    expect(player.mood).toBe("neutral");
  });

  it("keeps thinking as long as it lasts, and stands still when it may not move", () => {
    const player = new Player({ show: () => undefined });
    player.play("thinking");
    vi.advanceTimersByTime(120_000);
    expect(player.moving).toBe(true);
    player.hold(true);
    expect(vi.getTimerCount()).toBe(0);
    player.play("talking");
    expect(vi.getTimerCount()).toBe(0);
    player.hold(false);
    expect(player.moving).toBe(true);
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

it("the page shows moods, opens the chat by double click and the menu by right click", async () => {
  const calls: string[] = [];
  const invoke = async (name: string) => {
    calls.push(name);
    return '{"ok":true,"value":{}}';
  };
  window.pywebview = { api: { invoke } };
  window.matchMedia = () => ({ matches: true, addEventListener: () => undefined }) as unknown as MediaQueryList;
  const { mount } = await import("../pet/main");
  const root = document.createElement("div");
  mount(root);
  window.__soulpet?.deliver({
    resync: false,
    events: [{ seq: 1, event: { type: "mood_changed", mood: "waiting" } }],
  });
  expect(root.dataset["mood"]).toBe("waiting");
  root.dispatchEvent(new MouseEvent("dblclick"));
  const menu = new MouseEvent("contextmenu", { cancelable: true });
  root.dispatchEvent(menu);
  expect(menu.defaultPrevented).toBe(true);
  await vi.waitFor(() => expect(calls).toEqual(["toggle_chat", "pet_menu"]));
  expect(root.querySelector("script")).toBeNull();
});

it("a double click before the bridge is there is kept", async () => {
  const root = document.createElement("div");
  const calls: string[] = [];
  Reflect.deleteProperty(window, "pywebview");
  const { mount } = await import("../pet/main");
  mount(root);
  root.dispatchEvent(new MouseEvent("dblclick"));
  window.pywebview = {
    api: {
      invoke: async (name: string) => {
        calls.push(name);
        return "";
      },
    },
  };
  window.dispatchEvent(new Event("pywebviewready"));
  await vi.waitFor(() => expect(calls).toEqual(["toggle_chat"]));
});

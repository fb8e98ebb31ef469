import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PetLook, SkinSheet } from "../../bindings";
import { compose, draw } from "../../pet/creature";
import { THRESHOLD, trackPress } from "../../pet/drag";
import { directionOf } from "../../pet/gaze";
import { ownTiming } from "../../pet/renderer";
import { framesFor, sheetTiming } from "../../pet/sprite_map";
import { type Act, Player, type Stage } from "../../pet/timeline";

interface Shown {
  act: Act;
  frame: number;
}

function player(timing = ownTiming): { player: Player; shown: Shown[]; looked: number[] } {
  const shown: Shown[] = [];
  const looked: number[] = [];
  const stage: Stage = {
    show: (act, frame) => void shown.push({ act, frame }),
    look: (direction) => {
      looked.push(direction);
      return true;
    },
  };
  return { player: new Player(stage, timing), shown, looked };
}

describe("the pet's time", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("rests about 30 seconds after the last thing that happened, with no timer left", () => {
    const { player: pet, shown } = player();
    pet.play("neutral");
    vi.advanceTimersByTime(20_000);
    expect(pet.moving).toBe(true);
    vi.advanceTimersByTime(15_000);
    expect(pet.moving).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    expect(shown.at(-1)).toEqual({ act: "idle", frame: 0 });
  });

  it("shows at most one frame a second while idle", () => {
    const { player: pet, shown } = player();
    pet.play("neutral");
    vi.advanceTimersByTime(60_000);
    expect(shown.length).toBeLessThanOrEqual(36);
  });

  it("every act but those that last comes to rest, and leaves no timer", () => {
    for (const mood of ["neutral", "happy", "sad", "surprised", "waiting", "asleep", "error", "ready"] as const) {
      const { player: pet } = player();
      pet.play(mood);
      vi.advanceTimersByTime(120_000);
      expect(vi.getTimerCount(), mood).toBe(0);
    }
  });

  it("goes back to neutral by itself after half a minute", () => {
    const { player: pet } = player();
    pet.play("happy");
    vi.advanceTimersByTime(30_000);
    expect(pet.mood).toBe("neutral");
  });

  it("keeps thinking as long as it lasts, and stands still when it may not move", () => {
    const { player: pet, shown } = player();
    pet.play("thinking");
    vi.advanceTimersByTime(120_000);
    expect(pet.moving).toBe(true);
    pet.hold(true);
    expect(vi.getTimerCount()).toBe(0);
    pet.play("talking");
    expect(vi.getTimerCount()).toBe(0);
    expect(shown.at(-1)?.act).toBe("talking");
    pet.hold(false);
    expect(pet.moving).toBe(true);
  });

  it("shows what happens to it at once, then the mood it had meanwhile", () => {
    const { player: pet, shown } = player();
    pet.play("thinking");
    pet.play("remembered");
    expect(shown.at(-1)?.act).toBe("remembered");
    pet.play("talking"); // comes while it still blooms
    expect(shown.at(-1)?.act).toBe("remembered");
    vi.advanceTimersByTime(3_000);
    expect(pet.act).toBe("talking");
  });

  it("a reaction ends under reduced motion too", () => {
    const { player: pet, shown } = player();
    pet.hold(true);
    pet.react("poked");
    expect(shown.at(-1)?.act).toBe("poked");
    vi.advanceTimersByTime(2_000);
    expect(shown.at(-1)).toEqual({ act: "idle", frame: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a skin made of gestures is idle after them, the drawn one keeps its face", () => {
    for (const settles of [true, false]) {
      const { player: pet, shown } = player();
      pet.wear(ownTiming, settles);
      pet.play("happy");
      vi.advanceTimersByTime(8_000);
      expect(shown.at(-1)?.act).toBe(settles ? "idle" : "happy");
      expect(pet.mood).toBe("happy");
      pet.stop();
    }
  });

  it("looks to the pointer, and ahead again when it rests", () => {
    const { player: pet, shown, looked } = player();
    pet.play("neutral");
    pet.look(4);
    expect(looked).toEqual([4]);
    expect(vi.getTimerCount()).toBe(0);
    pet.look(null);
    expect(shown.at(-1)?.act).toBe("idle");
    pet.play("talking");
    pet.look(4);
    expect(looked).toEqual([4]);
  });

  it("a paused brain has a resting look of its own", () => {
    const { player: pet } = player();
    pet.pause(true);
    expect(pet.act).toBe("off");
    pet.play("talking");
    expect(pet.act).toBe("talking");
    pet.play("neutral");
    expect(pet.act).toBe("off");
    pet.pause(false);
    expect(pet.act).toBe("idle");
  });
});

const animation = (name: string, frames: number[], milliseconds = frames.map(() => 120)) => ({
  name,
  frames,
  milliseconds,
});

const SHEET: SkinSheet = {
  skin: "cat",
  stamp: "1",
  image: "data:image/png;base64,",
  frame_width: 192,
  frame_height: 208,
  columns: 8,
  animations: [
    animation("idle", [0, 1, 2]),
    animation("jumping", [32, 33]),
    animation("failed", [40, 41]),
    animation("running", [56, 57]),
    animation("running-left", [16]),
  ],
  looks: [],
  pixelated: false,
};

describe("a Codex pet", () => {
  it("shows our moods by its rows", () => {
    expect(framesFor(SHEET, "happy")).toEqual([32, 33]);
    expect(framesFor(SHEET, "sad")).toEqual([40, 41]);
    expect(framesFor(SHEET, "thinking")).toEqual([56, 57]);
    expect(framesFor(SHEET, "talking")).toEqual([56, 57]);
    expect(framesFor(SHEET, "carried-left")).toEqual([16]);
    expect(framesFor(SHEET, "asleep")).toEqual([0]);
    expect(sheetTiming(SHEET)("off")).toBeNull();
  });
});

describe("a pet with few pictures", () => {
  it("stands still where it has one or none, instead of turning in circles", () => {
    vi.useFakeTimers();
    try {
      for (const timing of [() => null, () => [0], (act: Act) => (act === "idle" ? [200] : null)]) {
        const { player: pet, shown } = player(timing);
        for (const mood of ["thinking", "talking", "neutral", "waiting"] as const) pet.play(mood);
        pet.play("thinking");
        expect(vi.getTimerCount()).toBe(0);
        expect(shown.length).toBeLessThan(8);
        pet.react("carried");
        pet.react(null);
        expect(vi.getTimerCount()).toBe(0);
      }
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("our own drawing", () => {
  const drawing = readFileSync("../assets/pet/creature.svg", "utf8");
  const poses = JSON.parse(readFileSync("../assets/pet/frames.json", "utf8"));
  const kinds = new Set([...drawing.matchAll(/data-is="([^"]+)"/g)].map(([, name]) => name));

  it("has every part that a pose asks for", () => {
    for (const [name, all] of Object.entries<Parameters<typeof draw>[0][]>(poses))
      for (const pose of all)
        for (const [part, kind] of Object.entries(draw(pose).shown))
          if (kind) expect(kinds, name).toContain(`${part}:${kind}`);
  });

  it("stands in the documentation as it is", async () => {
    const script = "../../build/creature.mjs";
    const { gallery } = (await import(script)) as { gallery(): string };
    // Else: node build/creature.mjs ../docs/images --gallery
    expect(readFileSync("../docs/images/creature.svg", "utf8") === gallery()).toBe(true);
  });

  it("composed is a picture without leftovers that shows one pair of eyes", () => {
    const art = compose(drawing, { ms: 0, is: { eyes: "happy" } });
    expect(art).not.toContain("data-");
    const page = new DOMParser().parseFromString(art, "image/svg+xml");
    expect(page.querySelector("parsererror")).toBeNull();
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

describe("the page", () => {
  const LOOK: PetLook = {
    sheet: { ...SHEET, skin: "soulpet", stamp: "drawn", image: "", animations: [] },
    mood: "neutral",
    paused: false,
    reduced_motion: "on",
    language: "en",
    name: "Bun",
    fades: false,
  };
  let calls: string[] = [];

  function bridge(look: PetLook = LOOK): void {
    calls = [];
    window.pywebview = {
      api: {
        invoke: async (name: string) => {
          calls.push(name);
          return JSON.stringify({ ok: true, value: name === "get_skin" ? look : {} });
        },
      },
    };
  }

  beforeEach(() => {
    window.matchMedia = () => ({ matches: true, addEventListener: () => undefined }) as unknown as MediaQueryList;
  });

  it("shows moods, opens the chat by double click and the menu by right click", async () => {
    bridge();
    const { mount } = await import("../../pet/main");
    const root = document.createElement("div");
    const pet = mount(root);
    await vi.waitFor(() => expect(root.ariaLabel).toBe("Bun"));
    pet.react(null);
    window.__soulpet?.deliver({
      resync: false,
      events: [{ seq: 1, event: { type: "mood_changed", mood: "waiting" } }],
    });
    expect(root.dataset["act"]).toBe("waiting");
    root.dispatchEvent(new MouseEvent("dblclick"));
    const menu = new MouseEvent("contextmenu", { cancelable: true });
    root.dispatchEvent(menu);
    expect(menu.defaultPrevented).toBe(true);
    await vi.waitFor(() => expect(calls).toEqual(["get_skin", "toggle_chat", "pet_menu"]));
    expect(root.querySelector("script")).toBeNull();
  });

  it("asks for its look again when the settings changed, and keeps its own drawing if a sheet is broken", async () => {
    bridge({ ...LOOK, paused: true });
    const { mount } = await import("../../pet/main");
    const root = document.createElement("div");
    const pet = mount(root);
    await vi.waitFor(() => expect(root.ariaLabel).toBe("Bun"));
    pet.react(null);
    expect(pet.act).toBe("off");
    bridge({ ...LOOK, sheet: { ...SHEET, image: "data:image/png;base64,AAAA" } });
    window.__soulpet?.deliver({ resync: false, events: [{ seq: 2, event: { type: "settings_changed" } }] });
    await vi.waitFor(() => expect(pet.act).toBe("idle"));
    expect(calls).toEqual(["get_skin"]);
    expect(root.querySelector("svg")).not.toBeNull();
  });

  it("tells that it was touched: after a poke that stays a single one, and when it is set down", async () => {
    bridge();
    const { mount } = await import("../../pet/main");
    const root = document.createElement("div");
    mount(root);
    await vi.waitFor(() => expect(root.ariaLabel).toBe("Bun"));
    vi.useFakeTimers();
    const click = (detail: number) => root.dispatchEvent(new MouseEvent("click", { detail }));
    const touches = () => calls.filter((name) => name === "touched").length;
    click(1);
    click(2);
    root.dispatchEvent(new MouseEvent("dblclick"));
    await vi.advanceTimersByTimeAsync(2_000);
    expect(touches()).toBe(0); // the chat opens: that is what it was for
    click(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(touches()).toBe(1);
    const pointer = (kind: string, at: number) =>
      root.dispatchEvent(new MouseEvent(kind, { button: 0, screenX: at, screenY: 0 }));
    pointer("pointerdown", 0);
    pointer("pointermove", 40);
    pointer("pointerup", 40);
    await vi.advanceTimersByTimeAsync(0);
    expect(touches()).toBe(2);
    vi.useRealTimers();
  });

  it("a dropped file never replaces the page", async () => {
    bridge();
    const { mount } = await import("../../pet/main");
    const root = document.createElement("div");
    const pet = mount(root);
    for (const kind of ["dragover", "drop"]) {
      const event = new Event(kind, { cancelable: true });
      root.dispatchEvent(event);
      expect(event.defaultPrevented).toBe(true);
    }
    expect(pet.act).toBe("given");
  });

  it("a double click before the bridge is there is kept", async () => {
    const root = document.createElement("div");
    Reflect.deleteProperty(window, "pywebview");
    const { mount } = await import("../../pet/main");
    mount(root);
    root.dispatchEvent(new MouseEvent("dblclick"));
    bridge();
    window.dispatchEvent(new Event("pywebviewready"));
    await vi.waitFor(() => expect(calls).toContain("toggle_chat"));
  });
});

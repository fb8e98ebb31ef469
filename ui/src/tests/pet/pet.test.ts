import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PetLook, SkinSheet } from "../../bindings";
import { drawingOf, ownTiming, posesOf } from "../../pet/drawing/bodies";
import { assemble, compose, type Pose, shownKinds, type Wear } from "../../pet/drawing/creature";
import { sheetOf } from "../../pet/drawing/renderer";
import { framesFor, sheetTiming } from "../../pet/drawing/sprite_map";
import { THRESHOLD, trackPress } from "../../pet/pointer/drag";
import { directionOf } from "../../pet/pointer/gaze";
import { Slide, speedOf } from "../../pet/pointer/slide";
import { type Act, Player, type PlayerOptions, type Stage } from "../../pet/timeline";

interface Shown {
  act: Act;
  frame: number;
  wear: Wear;
}

/** Always the same sequence of numbers from 0 to 1. */
function dice(seed = 7): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

function player(timing = ownTiming, options: PlayerOptions = {}) {
  const shown: Shown[] = [];
  const looked: number[] = [];
  const stage: Stage = {
    show: (act, frame, wear) => void shown.push({ act, frame, wear }),
    look: (direction) => {
      looked.push(direction);
      return true;
    },
  };
  const around = { random: dice(), hour: () => 14 };
  return { player: new Player(stage, timing, { around, ...options }), shown, looked };
}

const acts = (shown: Shown[]) => new Set(shown.map(({ act }) => act));

describe("the idle life", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("never ends, never shows one picture for a minute, and takes fewer than two frames a second", async () => {
    const { player: pet, shown } = player();
    pet.play("neutral");
    let before = 0;
    for (let minute = 0; minute < 60; minute++) {
      await vi.advanceTimersByTimeAsync(60_000);
      expect(new Set(shown.slice(before).map(({ act, frame }) => `${act} ${frame}`)).size).toBeGreaterThan(1);
      before = shown.length;
    }
    expect(shown.length / 3600).toBeLessThan(1.7);
    expect(vi.getTimerCount()).toBe(1);
  });

  it("breathes, blinks every few seconds, glances and fidgets", async () => {
    const { player: pet, shown, looked } = player();
    pet.play("neutral");
    await vi.advanceTimersByTimeAsync(300_000);
    const blinks = shown.filter(({ act }) => act === "blink").length;
    expect(blinks).toBeGreaterThan(30);
    expect(blinks).toBeLessThan(120);
    expect(looked.length).toBeGreaterThan(5);
    expect(acts(shown).size).toBeGreaterThan(6);
  });

  it("glances at the pointer where the desktop tells where it is", async () => {
    const { player: pet, looked } = player(ownTiming, { pointer: () => Promise.resolve(12) });
    pet.play("neutral");
    await vi.advanceTimersByTimeAsync(120_000);
    expect(new Set(looked)).toEqual(new Set([12]));
  });

  it("naps after a long quiet, twitches, and wakes at the pointer", async () => {
    const { player: pet, shown } = player();
    pet.play("neutral");
    await vi.advanceTimersByTimeAsync(900_000);
    expect(pet.mood).toBe("asleep");
    expect(acts(shown)).toContain("doze");
    await vi.advanceTimersByTimeAsync(120_000);
    expect(acts(shown)).toContain("twitch");
    pet.wake();
    expect(pet.act).toBe("wake");
    await vi.advanceTimersByTimeAsync(5000);
    expect(pet.act).toBe("idle");
  });

  it("yawns in the evening more than at noon", async () => {
    const yawns = async (hour: number) => {
      const { player: pet, shown } = player(ownTiming, { around: { random: dice(), hour: () => hour } });
      pet.play("neutral");
      await vi.advanceTimersByTimeAsync(400_000);
      pet.stop();
      return shown.filter(({ act, frame }) => act === "yawn" && frame === 0).length;
    };
    expect(await yawns(22)).toBeGreaterThan(await yawns(13));
  });

  it("goes on when the computer's clock is set back a year", async () => {
    const { player: pet, shown } = player();
    pet.play("neutral");
    await vi.advanceTimersByTimeAsync(60_000);
    vi.setSystemTime(new Date("2001-01-01"));
    const before = shown.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shown.length).toBeGreaterThan(before + 20);
    expect(vi.getTimerCount()).toBe(1);
  });

  it("has no timer while hidden or with reduced motion", () => {
    for (const mood of ["neutral", "happy", "waiting", "asleep", "ready", "thinking", "listening"] as const) {
      const { player: pet } = player();
      pet.hold(true);
      pet.play(mood);
      vi.advanceTimersByTime(120_000);
      expect(vi.getTimerCount(), mood).toBe(0);
      pet.stop();
    }
  });

  it("a mood fades: its face for half a minute, then a trace of it, then none", async () => {
    const { player: pet, shown } = player();
    pet.play("happy");
    await vi.advanceTimersByTimeAsync(31_000);
    expect(pet.mood).toBe("neutral");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(shown.at(-1)?.wear.mouth).toBe("curve");
    await vi.advanceTimersByTimeAsync(240_000);
    expect(shown.at(-1)?.wear.mouth).toBeUndefined();
  });

  it("long thinking shows effort, and a stretch when it is done", async () => {
    const { player: pet, shown } = player();
    pet.play("thinking");
    await vi.advanceTimersByTimeAsync(130_000);
    expect(acts(shown)).toContain("toil");
    pet.play("talking");
    pet.play("neutral");
    expect(pet.act).toBe("stretch");
  });

  it("keeps moving while it waits for its owner", async () => {
    for (const mood of ["waiting", "ready"] as const) {
      const { player: pet, shown } = player();
      pet.play(mood);
      await vi.advanceTimersByTimeAsync(60_000);
      const before = shown.length;
      await vi.advanceTimersByTimeAsync(60_000);
      expect(shown.length, mood).toBeGreaterThan(before + 5);
      pet.stop();
    }
  });
});

describe("a poke", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is answered differently each time, and the tenth of a row is a joke", () => {
    const { player: pet } = player();
    const answers = Array.from({ length: 10 }, (_, index) => {
      pet.poke(index * 500);
      return pet.act;
    });
    expect(answers.at(-1)).toBe("faint");
    expect(answers.slice(0, 9)).not.toContain("faint");
    for (const [index, answer] of answers.entries()) expect(answer).not.toBe(answers[index + 1]);
    expect(new Set(answers).size).toBeGreaterThan(3);
  });

  it("with pauses is no row", () => {
    const { player: pet } = player();
    for (let index = 0; index < 12; index++) {
      pet.poke(index * 20_000);
      expect(pet.act).not.toBe("faint");
    }
  });

  it("a thousand times leaves one timer, and the pet as it was", async () => {
    const { player: pet } = player();
    pet.play("neutral");
    for (let index = 0; index < 1000; index++) pet.poke(index * 20);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(pet.act).toBe("idle");
  });

  it("of a sleeping pet wakes it", () => {
    const { player: pet } = player();
    pet.play("asleep");
    pet.poke(0);
    expect(pet.mood).toBe("neutral");
  });
});

describe("the pet's time", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

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
    expect(shown.at(-1)).toMatchObject({ act: "idle", frame: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("a skin made of gestures is idle after them, the drawn one keeps its face", () => {
    for (const settles of [true, false]) {
      const { player: pet, shown } = player();
      pet.wear(ownTiming, settles);
      pet.play("happy");
      vi.advanceTimersByTime(6_000);
      expect(shown.at(-1)?.act === "happy").toBe(!settles);
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
    expect(shown.at(-1)?.act).toBe("breath");
    pet.play("talking");
    pet.look(4);
    expect(looked).toEqual([4]);
  });

  it("its state shows in every act", () => {
    const { player: pet, shown } = player();
    pet.play("neutral");
    pet.state({ bud: true, drowsy: false, hush: true });
    expect(shown.at(-1)?.wear).toMatchObject({ bud: true, hush: true });
    pet.play("talking");
    expect(shown.at(-1)?.wear).toMatchObject({ bud: true, hush: true });
  });
});

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
    expect(sheetTiming(SHEET)("hum")).toBeNull();
    expect(framesFor({ ...SHEET, animations: [...SHEET.animations, animation("off", [7])] }, "idle", true)).toEqual([
      7,
    ]);
  });
});

describe("a pet of still pictures", () => {
  it("is moved as our own bodies are; one with frames of its own is not", () => {
    const worn = (idle: number[]) => {
      const animations = [animation("idle", idle), animation("jumping", [32])];
      return sheetOf(document.createElement("div"), { ...SHEET, animations }, () => undefined).timing;
    };
    expect(worn([0])("breath")).toEqual(ownTiming("breath"));
    expect(worn([0])("happy")).toEqual(ownTiming("happy"));
    expect(worn([0])("yawn")).toBeNull();
    expect(worn([0, 1])("breath")).toBeNull();
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

describe("our own bodies", () => {
  const BODIES = ["soulpet", "biscuit", "inkwell", "vesper", "moss"];
  const poses: Record<string, Pose[]> = JSON.parse(readFileSync("../assets/bodies/frames.json", "utf8"));

  it("each has every part that a pose asks for", () => {
    for (const body of BODIES) {
      const kinds = new Set(
        [...drawingOf(`soulpet/${body}`).matchAll(/data-is="([^":]+):([^"]+)"/g)].flatMap(([, part, all = ""]) =>
          all.split(" ").map((kind) => `${part}:${kind}`),
        ),
      );
      for (const [name, all] of Object.entries(poses))
        for (const pose of all)
          for (const [part, kind] of Object.entries(shownKinds(pose, { bud: true, drowsy: true, hush: true })))
            if (kind) expect(kinds, `${body} ${name}`).toContain(`${part}:${kind}`);
    }
  });

  it("are five different drawings, and an unknown name is the first", () => {
    expect(new Set(BODIES.map((body) => drawingOf(body))).size).toBe(5);
    expect(drawingOf("soulpet/no-such-body")).toBe(drawingOf("soulpet"));
    expect(drawingOf("toString")).toBe(drawingOf("soulpet"));
  });

  it("have frames for every act the idle life can choose", () => {
    for (const act of ["breath", "blink", "doze", "asleep", "twitch", "stir", "wake", "walk-left"] as const)
      expect(posesOf(act), act).not.toBeNull();
  });

  it("stand in the documentation as they are", async () => {
    const script = "../../../build/creature.mjs";
    const { galleries } = (await import(script)) as { galleries(): Record<string, string> };
    // Else: node build/creature.mjs ../docs/images --gallery
    for (const [name, drawing] of Object.entries(galleries()))
      expect(readFileSync(`../docs/images/${name}`, "utf8") === drawing, name).toBe(true);
  });

  it("composed are pictures without leftovers", () => {
    for (const body of BODIES) {
      const art = compose(drawingOf(body), { ms: 0, is: { eyes: "happy" } }, { bud: true });
      expect(art).not.toMatch(/data-|<use|INK|LINE|PAW|BROW/);
      const page = new DOMParser().parseFromString(art, "image/svg+xml");
      expect(page.querySelector("parsererror")).toBeNull();
    }
  });

  it("a part that is not shared is left out", () => {
    expect(assemble('<svg><use href="#nothing"/></svg>', "")).toBe("<svg></svg>");
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
    hush: false,
    tab_off: false,
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
    expect(pet.act).toBe("idle");
    bridge({ ...LOOK, sheet: { ...SHEET, image: "data:image/png;base64,AAAA" } });
    window.__soulpet?.deliver({ resync: false, events: [{ seq: 2, event: { type: "settings_changed" } }] });
    await vi.waitFor(() => expect(pet.act).toBe("idle"));
    expect(calls).toEqual(["get_skin"]);
    expect(root.dataset["act"]).toBe("idle");
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

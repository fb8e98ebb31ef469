import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { drawingOf, ownTiming, posesOf, thingsOf } from "../../pet/bodies";
import { assemble, compose, type Pose, shownKinds } from "../../pet/creature";
import { drawn, framesFor, sheetOf, sheetTiming } from "../../pet/renderer";
import { animation, SHEET } from "./player";

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

  it("or without a walk of its own walks in small hops, and else in its own steps", () => {
    const walk = (...names: string[]) => {
      const animations = ["idle", ...names].map((name) => animation(name, [0, 1]));
      return sheetOf(document.createElement("div"), { ...SHEET, animations }, () => undefined).timing("walk-left");
    };
    expect(walk()).toEqual(ownTiming("walk-left"));
    expect(walk("running-left")).toEqual([120, 120]);
    expect((posesOf("walk-left") ?? []).some((pose) => (pose.y ?? 0) < 0)).toBe(true);
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

  it("hold a note, wear what belongs to the day and sit closer in every pose that has room for it", () => {
    for (const wears of ["party", "cap", "witch", "crown", "heart"]) {
      expect(shownKinds({ ms: 0 }, { wears })["wears"]).toBe(wears);
      for (const body of BODIES) expect(drawingOf(body)).toContain(`data-is="wears:${wears}"`);
    }
    const held = shownKinds({ ms: 0 }, { holds: true, wears: "lantern" });
    expect(held).toMatchObject({ holds: "note", carries: "lantern", "arm-left": "tummy", "arm-right": "down" });
    const jumps: Pose = { ms: 0, is: { raised: "both" } };
    expect(shownKinds(jumps, { holds: true, wears: "lantern" })).not.toHaveProperty("holds");
    expect(shownKinds(posesOf("given")?.[0] as Pose, { holds: true })).not.toHaveProperty("holds");
    expect(compose(drawingOf(""), { ms: 0 }, { near: true })).toContain("scale(0.95)");
    expect(thingsOf({ near: true })).toBe("");
    expect(thingsOf({ holds: true })).not.toBe(thingsOf({ holds: true, wears: "cap" }));
  });

  it("are five different drawings, and an unknown name is the first", () => {
    expect(new Set(BODIES.map((body) => drawingOf(body))).size).toBe(5);
    expect(drawingOf("soulpet/no-such-body")).toBe(drawingOf("soulpet"));
    expect(drawingOf("toString")).toBe(drawingOf("soulpet"));
  });

  it("keep 25 drawn poses, and free the bytes of an earlier one and of each drawing at once", () => {
    const dropped: string[] = [];
    const canvases: HTMLCanvasElement[] = [];
    const create = document.createElement.bind(document);
    vi.spyOn(document, "createElement").mockImplementation((name: string) => {
      const made = create(name);
      if (made instanceof HTMLCanvasElement) canvases.push(made);
      return made;
    });
    vi.spyOn(HTMLCanvasElement.prototype, "getContext").mockReturnValue({
      drawImage: () => undefined,
      clearRect: () => undefined,
    } as unknown as CanvasRenderingContext2D & ImageBitmapRenderingContext & WebGLRenderingContext);
    const root = document.createElement("div");
    vi.spyOn(root, "clientWidth", "get").mockReturnValue(192);
    vi.spyOn(root, "clientHeight", "get").mockReturnValue(208);
    vi.stubGlobal(
      "Image",
      class {
        onload = () => undefined;
        set src(_address: string) {
          this.onload();
        }
        removeAttribute(name: string) {
          dropped.push(name);
        }
      },
    );
    const worn = drawn(root);
    for (let direction = 0; direction < 40; direction += 1) worn.look(direction, {});
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    const [, ...pictures] = canvases;
    expect(pictures.map((each) => each.width > 0)).toEqual(pictures.map((_, at) => at >= pictures.length - 25));
    expect(pictures.length).toBe(40);
    expect(dropped).toEqual(pictures.map(() => "src"));
  });

  it("have frames for every act the idle life can choose", () => {
    for (const act of ["breath", "blink", "doze", "asleep", "twitch", "stir", "wake", "walk-left"] as const)
      expect(posesOf(act), act).not.toBeNull();
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

/** Pictures and films of the pet, as its page draws them. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { once } from "../../pet/acts";
import { ownTiming } from "../../pet/bodies";
import { draw, filmed, linesOf, type Moment } from "../../pet/keepsake";
import { animation, SHEET } from "./player";

const short = (line: string) => line.length <= 10;

describe("a film", () => {
  it.each(["idle", "asleep", "thinking", "carried-left"] as const)("of %s lasts three seconds", (act) => {
    const steps = filmed(act, 0, ownTiming);
    expect(steps.reduce((sum, step) => sum + step.ms, 0)).toBe(3_000);
    expect(steps.length).toBeLessThanOrEqual(40);
    expect(steps.every((step) => step.ms > 0)).toBe(true);
    expect(steps[0]?.act).toBe(act === "idle" ? "wave" : once(act, ownTiming)[0]?.act);
  });

  it("of a skin without such pictures stands", () => {
    expect(filmed("idle", 2, () => null)).toEqual([{ act: "idle", frame: 2, ms: 3_000 }]);
    expect(filmed("idle", 0, () => [1]).length).toBe(40);
  });
});

describe("the words", () => {
  it("break at blanks, in Chinese anywhere, and a long word where it must", () => {
    expect(linesOf("one two three four", short)).toEqual(["one two", "three four"]);
    expect(linesOf("\u4f60\u597d".repeat(6), short)).toEqual(["\u4f60\u597d".repeat(5), "\u4f60\u597d"]);
    expect(linesOf("x".repeat(25), short)).toEqual(["x".repeat(10), "x".repeat(10), "x".repeat(5)]);
    expect(linesOf("a\nb", short)).toEqual(["a", "b"]);
    expect(linesOf("", () => false)).toEqual([""]);
  });

  it("end in an ellipsis where there are too many", () => {
    expect(linesOf("one two three four five six", short, 2)).toEqual(["one two", "three four\u2026"]);
    expect(linesOf("w".repeat(100_000), () => false, 2)).toEqual(["w", "w\u2026"]);
  });
});

describe("a picture", () => {
  const MOMENT: Moment = { does: "idle", act: "idle", frame: 0, wear: {}, body: "soulpet/moss", sheet: null };
  const WISH = { number: 1, film: false, lines: 0, words: "" };
  let written: string[] = [];
  let bars = 0;
  let heights: number[] = [];

  beforeEach(() => {
    written = [];
    heights = [];
    bars = 0;
    const context = new Proxy({} as Record<string, unknown>, {
      get: (kept, name: string) =>
        name in kept
          ? kept[name]
          : (...args: unknown[]) => {
              if (name === "fillText") written.push(String(args[0]));
              if (name === "roundRect") bars += 1;
              return { width: String(args[0] ?? "").length * 12 };
            },
    });
    const canvas = HTMLCanvasElement.prototype;
    vi.spyOn(canvas, "getContext").mockReturnValue(context as never);
    vi.spyOn(canvas, "toDataURL").mockImplementation(function (this: HTMLCanvasElement) {
      heights.push(this.height);
      return "data:image/png;base64,UE5H";
    });
    vi.stubGlobal(
      "Image",
      class extends EventTarget {
        complete = true;
        naturalWidth = 1;
        onload = () => undefined;
        set src(address: string) {
          queueMicrotask(() => {
            if (address === "broken") this.dispatchEvent(new Event("error"));
            else this.onload();
          });
        }
        removeAttribute() {}
      },
    );
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  it.each(["soulpet", "soulpet/biscuit", "soulpet/inkwell", "soulpet/vesper", "soulpet/moss"])(
    "of %s is one frame, with nothing but the pet",
    async (body) => {
      expect(await draw({ ...MOMENT, body }, WISH)).toEqual([{ image: "UE5H", milliseconds: 0 }]);
      expect([heights, written, bars]).toEqual([[416], [], 0]);
    },
  );

  it("shows a bar for each line of the bubble, and the words if they came", async () => {
    await draw(MOMENT, { ...WISH, lines: 3 });
    expect([written, bars]).toEqual([[], 4]);
    await draw(MOMENT, { ...WISH, lines: 3, words: "Good morning! Did you sleep well?" });
    expect(written.join(" ")).toBe("Good morning! Did you sleep well?");
    expect(Math.min(...heights)).toBeGreaterThan(416);
  });

  it("of an imported skin is drawn from its sheet; a broken one draws nothing", async () => {
    const sheet = { ...SHEET, animations: [animation("idle", [0, 1, 2]), animation("waving", [8, 9])] };
    const frames = await draw({ ...MOMENT, body: "", sheet }, { ...WISH, film: true });
    expect(frames.length).toBeGreaterThan(10);
    const breathing = { ...MOMENT, act: "breath" } as const;
    expect((await draw(breathing, { ...WISH, film: true })).length).toBeGreaterThan(8); // it waves all the same
    vi.stubGlobal(
      "Image",
      class extends EventTarget {
        complete = false;
        set src(_address: string) {
          queueMicrotask(() => this.dispatchEvent(new Event("error")));
        }
      },
    );
    await expect(draw({ ...MOMENT, body: "", sheet }, WISH)).rejects.toThrow();
  });
});

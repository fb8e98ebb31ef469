/** The pet's ways: half behind its chat and back, and fades in place of steps. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ownTiming } from "../../pet/bodies";
import { Slide } from "../../pet/pointer";
import { Player } from "../../pet/timeline";
import { Travels } from "../../pet/travels";

interface Move {
  dx: number;
  done: boolean;
  clip: string;
  unseen: boolean;
}

describe("ways", () => {
  let moves: Move[] = [];
  let calm = false;

  function begin() {
    const root = document.createElement("div");
    Object.defineProperty(root, "clientWidth", { value: 192 });
    const move = async (dx: number, _dy: number, done = true) => {
      const { clipPath: clip } = root.style;
      moves.push({ dx, done, clip, unseen: root.dataset["fading"] === "" });
    };
    const player = new Player({ show: () => undefined, look: () => false }, ownTiming);
    const slide = new Slide(move);
    const landed = vi.fn();
    const travels = new Travels(root, player, slide, { move, isCalm: () => calm, random: () => 1, landed });
    const clip = () => root.style.clipPath;
    return { root, player, travels, clip };
  }

  function hide(hidden: boolean): void {
    Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  }

  const rest = async (milliseconds: number) => void (await vi.advanceTimersByTimeAsync(milliseconds));

  beforeEach(() => {
    vi.useFakeTimers();
    moves = [];
    calm = false;
  });

  afterEach(() => {
    hide(false);
    vi.useRealTimers();
  });

  it.each([
    ["left", -150, "inset(0px 0px 0px 96px)", "spy-right"],
    ["right", 150, "inset(0px 96px 0px 0px)", "spy-left"],
  ])("goes half behind a chat on its %s, looks out, and comes back whole", async (_side, dx, clip, act) => {
    const { player, travels, clip: shown } = begin();
    travels.go({ dx, dy: 0, how: "peek", walk: 1 });
    expect(travels.moving).toBe(true);
    await rest(2_000);
    expect([player.act, shown(), moves.at(-1)?.dx]).toEqual([act, clip, dx]);
    expect(moves.filter(({ done }) => done)).toHaveLength(1);
    // What is over the chat is left out before each step: nothing of the pet is ever seen there.
    for (const { dx: at, clip: left } of moves) {
      const over = Math.max(0, Math.round(Math.abs(at) - (150 - 96)));
      expect(Number(/[1-9]\d*/.exec(left)?.[0] ?? 0)).toBe(over);
    }
    moves = [];
    await rest(4_900);
    expect([player.act, shown(), moves.at(-1)?.dx]).toEqual(["landed", "", -dx]);
    await rest(60_000);
    expect(moves.filter(({ done }) => done)).toHaveLength(1); // then it is at rest
    expect(travels.moving).toBe(false);
  });

  it("in a hand, or sent elsewhere, it is whole at once", async () => {
    const { travels, clip } = begin();
    for (const end of [() => travels.take(), () => travels.go({ dx: 90, dy: 0, how: "walk", walk: 1 })]) {
      travels.go({ dx: -150, dy: 0, how: "peek", walk: 1 });
      await rest(2_000);
      expect(clip()).not.toBe("");
      end();
      expect(clip()).toBe("");
      await rest(20_000);
      expect(clip()).toBe("");
    }
    travels.go({ dx: -150, dy: 0, how: "peek", walk: 1 });
    await rest(250);
    travels.stop(); // on its way
    expect(travels.walk).toBe(1);
    travels.take();
    expect(travels.walk).toBe(0); // a throw is its owner's
    expect([clip(), moves.at(-1)?.done]).toEqual(["", true]);
  });

  it("hidden meanwhile, it is out when it is back", async () => {
    const { travels, clip } = begin();
    travels.go({ dx: -150, dy: 0, how: "peek", walk: 1 });
    await rest(2_000);
    hide(true);
    travels.comeOut();
    await rest(1_000);
    expect([clip(), moves.at(-1)?.dx, moves.at(-1)?.done]).toEqual(["", 150, true]);
    travels.comeOut();
    await rest(10_000);
    expect(moves.filter(({ done }) => done)).toHaveLength(2);
  });

  it.each(["walk", "walk_to_edge", "fall"] as const)("with reduced motion fades instead of a %s", async (how) => {
    const { root, travels } = begin();
    calm = true;
    travels.go({ dx: 120, dy: 40, how, walk: 1 });
    expect([root.dataset["fading"], moves, travels.moving]).toEqual(["", [], true]);
    await rest(1_000);
    expect(moves).toEqual([{ dx: 120, done: true, clip: "", unseen: true }]);
    expect([root.dataset["fading"], travels.moving]).toEqual([undefined, false]);
  });

  it("with reduced motion peeks in two fades, and in a hand it fades no further", async () => {
    const { root, travels, clip } = begin();
    calm = true;
    travels.go({ dx: -150, dy: 0, how: "peek", walk: 1 });
    await rest(1_000);
    expect([moves.map(({ dx }) => dx), clip()]).toEqual([[-150], "inset(0px 0px 0px 96px)"]);
    await rest(10_000);
    expect([moves.map(({ dx }) => dx), clip()]).toEqual([[-150, 150], ""]);
    travels.go({ dx: 80, dy: 0, how: "walk", walk: 1 });
    travels.stop();
    await rest(1_000);
    expect(moves.map(({ dx }) => dx)).toEqual([-150, 150, 0]); // where it was
    expect(root.dataset["fading"]).toBeUndefined();
  });

  it("unseen, it is there at once", () => {
    const { travels } = begin();
    hide(true);
    travels.go({ dx: 120, dy: 0, how: "walk", walk: 1 });
    expect(moves.map(({ dx, done }) => [dx, done])).toEqual([[120, true]]);
  });
});

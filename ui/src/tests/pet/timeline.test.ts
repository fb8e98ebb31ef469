import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ownTiming } from "../../pet/bodies";
import type { Act } from "../../pet/timeline";
import { player } from "./player";

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
    pet.play("talking"); // arrives during the reaction
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
    const { player: pet, shown, glances } = player();
    pet.play("neutral");
    pet.look(4);
    expect(glances).toEqual([4]);
    expect(vi.getTimerCount()).toBe(0);
    pet.look(null);
    expect(shown.at(-1)?.act).toBe("breath");
    pet.play("talking");
    pet.look(4);
    expect(glances).toEqual([4]);
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

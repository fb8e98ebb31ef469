import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ownTiming } from "../../pet/bodies";
import type { Together } from "../../pet/life";
import { acts, dice, player } from "./player";

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
    const { player: pet, shown, glances } = player();
    pet.play("neutral");
    await vi.advanceTimersByTimeAsync(300_000);
    const blinks = shown.filter(({ act }) => act === "blink").length;
    expect(blinks).toBeGreaterThan(30);
    expect(blinks).toBeLessThan(120);
    expect(glances.length).toBeGreaterThan(5);
    expect(acts(shown).size).toBeGreaterThan(6);
  });

  it("shows the ways that came with acquaintance, and after a hard day the quiet ones", async () => {
    const hours = async (together?: Together) => {
      const { player: pet, shown } = player();
      if (together) pet.live(together);
      pet.play("neutral");
      await vi.advanceTimersByTimeAsync(7_200_000);
      pet.stop();
      return acts(shown);
    };
    const ways = ["nod", "lean", "dance", "treasure", "soap"];
    const among = (seen: ReadonlySet<string>) => ways.filter((way) => seen.has(way));
    expect(among(await hours())).toEqual([]);
    expect(among(await hours({ weather: "", ways }))).toEqual(ways);
    const near = await hours({ weather: "near", ways });
    expect(near).toContain("nod");
    for (const loud of ["dance", "hop", "soap", "hum"]) expect(near).not.toContain(loud);
  });

  it("glances at the pointer where the desktop tells where it is", async () => {
    const { player: pet, glances } = player(ownTiming, { pointer: () => Promise.resolve(12) });
    pet.play("neutral");
    await vi.advanceTimersByTimeAsync(120_000);
    expect(new Set(glances)).toEqual(new Set([12]));
  });

  it("naps when the core says so, twitches, and wakes at the pointer", async () => {
    const { player: pet, shown } = player();
    pet.play("neutral");
    await vi.advanceTimersByTimeAsync(900_000);
    expect(pet.mood).toBe("neutral");
    expect(pet.wake()).toBe(false);
    pet.play("asleep");
    expect(pet.act).toBe("doze");
    await vi.advanceTimersByTimeAsync(120_000);
    expect(acts(shown)).toContain("twitch");
    expect(pet.wake()).toBe(true);
    expect(pet.act).toBe("wake");
    await vi.advanceTimersByTimeAsync(5000);
    expect(pet.act).toBe("idle");
  });

  it("stays awake while the core says now and then that its owner reads, and goes on breathing", async () => {
    const { player: pet, shown } = player();
    pet.play("neutral");
    for (let minutes = 0; minutes < 60; minutes += 2) {
      await vi.advanceTimersByTimeAsync(120_000);
      const before = shown.length;
      pet.play("neutral");
      expect(shown.length).toBe(before);
    }
    expect(acts(shown)).not.toContain("drowsy");
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

/** The pet's small voice, on an audio context that only records. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SmallVoice, toneOf } from "../../pet/voice";

class Param {
  value = 0;
  readonly steps: [number, number][] = [];
  setValueAtTime = (value: number, at: number) => void this.steps.push([value, at]);
  linearRampToValueAtTime = (value: number, at: number) => void this.steps.push([value, at]);
}

class Sound {
  readonly frequency = new Param();
  readonly gain = new Param();
  readonly threshold = new Param();
  readonly knee = new Param();
  readonly ratio = new Param();
  readonly attack = new Param();
  type = "";
  onended: (() => void) | null = null;
  readonly times: number[] = [];
  connect = <T>(to: T): T => to;
  disconnect = () => undefined;
  start = (at: number) => void this.times.push(at);
  stop = (at: number) => void this.times.push(at);
}

class Context {
  static all: Context[] = [];
  currentTime = 0;
  destination = {};
  closed = false;
  readonly sources: Sound[] = [];
  readonly gains: Sound[] = [];
  constructor() {
    Context.all.push(this);
  }
  createOscillator = () => this.#made(this.sources);
  createGain = () => this.#made(this.gains);
  createBiquadFilter = () => new Sound();
  createDynamicsCompressor = () => new Sound();
  close = () => {
    this.closed = true;
    return Promise.resolve();
  };
  #made(into: Sound[]): Sound {
    const sound = new Sound();
    into.push(sound);
    return sound;
  }
}

describe("the small voice", () => {
  beforeEach(() => {
    Context.all = [];
    vi.stubGlobal("AudioContext", Context);
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("makes its context with the first sound, sings as many syllables as asked, and closes it after silence", () => {
    const voice = new SmallVoice(() => 0.5);
    expect(Context.all).toHaveLength(0);
    voice.babble("soulpet", [3, 2]);
    expect(Context.all).toHaveLength(1);
    expect(Context.all[0]?.sources).toHaveLength(5);
    vi.advanceTimersByTime(30_000);
    expect(Context.all[0]?.closed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
    voice.hum("soulpet", false);
    expect(Context.all).toHaveLength(2);
  });

  it("begins and ends each syllable in silence, one after the other", () => {
    new SmallVoice(() => 0.9).babble("soulpet/moss", [8]);
    const [context] = Context.all;
    let last = 0;
    for (const [at, { gain }] of context?.gains.entries() ?? []) {
      const [first, end] = [gain.steps[0], gain.steps.at(-1)];
      const [start, stop] = context?.sources[at]?.times ?? [];
      expect([first?.[0], end?.[0]]).toEqual([0, 0]);
      expect(first?.[1]).toBe(start);
      expect(stop).toBeGreaterThan(end?.[1] ?? 0);
      expect(start).toBeGreaterThan(last);
      expect(Math.max(...gain.steps.map(([value]) => value))).toBeLessThanOrEqual(0.1);
      last = end?.[1] ?? 0;
    }
  });

  it("has a pitch for each body, and one for all other skins", () => {
    const bodies = ["soulpet", "soulpet/biscuit", "soulpet/inkwell", "soulpet/vesper", "soulpet/moss", "codex/bun"];
    expect(new Set(bodies.map((body) => toneOf(body).pitch)).size).toBe(6);
    expect(toneOf("mine")).toBe(toneOf("codex/bun"));
  });

  it("leaves out what would come too late, and what is nonsense", () => {
    const voice = new SmallVoice(Math.random);
    for (let i = 0; i < 50; i++) voice.babble("soulpet", [8, 8, 8, 8]);
    voice.babble("soulpet", [1e9, -4, 0.2, 1e9, 1e9]);
    const count = Context.all[0]?.sources.length ?? 0;
    expect(count).toBeLessThanOrEqual(40);
    voice.hum("soulpet", true); // not into a phrase
    expect(Context.all[0]?.sources).toHaveLength(count);
    voice.stop();
    expect(Context.all[0]?.closed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is silent where there is no sound", () => {
    vi.stubGlobal("AudioContext", undefined);
    new SmallVoice(Math.random).babble("soulpet", [3]);
    const broken = () => {
      throw new Error("no device");
    };
    vi.stubGlobal("AudioContext", broken);
    new SmallVoice(Math.random).hum("soulpet", false);
  });
});

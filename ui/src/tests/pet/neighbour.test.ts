/** What the pet does about another one beside it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PetLook, PetTravels } from "../../bindings";
import { drawingOf } from "../../pet/bodies";
import { compose } from "../../pet/creature";
import { mount } from "../../pet/main";
import { SHEET } from "./player";

describe("another pet", () => {
  let calls: { name: string; args: unknown }[] = [];
  const looks: [boolean, number | null | undefined][] = [];

  async function awake(reduced_motion: PetLook["reduced_motion"] = "off") {
    const look: PetLook = {
      sheet: { ...SHEET, skin: "soulpet", stamp: "drawn", image: "", animations: [] },
      mood: "neutral",
      paused: false,
      reduced_motion,
      language: "en",
      name: "Bun",
      fades: false,
      hush: false,
      tab_off: false,
      life: { holds: false, wears: "", weather: "", ways: [] },
    };
    const invoke = async (name: string, args: string) => {
      if (name !== "get_skin") calls.push({ name, args: JSON.parse(args) });
      return JSON.stringify({ ok: true, value: name === "get_skin" ? look : {} });
    };
    window.pywebview = { api: { invoke } };
    const root = document.createElement("div");
    Object.defineProperties(root, { clientWidth: { value: 192 }, clientHeight: { value: 208 } });
    const pet = mount(root, { random: () => 0.5 });
    await vi.advanceTimersByTimeAsync(5_000);
    const follow = pet.follow.bind(pet);
    pet.follow = (on, direction) => {
      looks.push([on, direction]);
      follow(on, direction);
    };
    return { root, pet };
  }

  function tell(dx: number, how: PetTravels["how"]): void {
    const event = { type: "pet_travels", dx, dy: 0, how, walk: 0 } as const;
    window.__soulpet?.deliver({ resync: false, events: [{ seq: 1, event }] });
  }

  beforeEach(() => {
    calls = [];
    looks.length = 0;
    window.matchMedia = () => ({ matches: false, addEventListener: () => undefined }) as unknown as MediaQueryList;
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  it("that has come near is looked at and greeted with a nod, then its own life goes on", async () => {
    const { pet } = await awake();
    tell(-200, "greet");
    expect(looks).toEqual([[true, 12]]);
    await vi.advanceTimersByTimeAsync(1_500);
    expect([pet.act, looks.at(-1)?.[0]]).toEqual(["nod", false]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(pet.act).toBe("idle");
    expect(calls).toEqual([]);
  });

  it("that moves is looked at, and a pet with something to do does not look up", async () => {
    const { pet } = await awake();
    tell(200, "look");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(looks.map(([on]) => on)).toEqual([true, false]);
    expect(pet.act).toBe("idle");
    pet.play("thinking");
    tell(-200, "greet");
    expect(looks).toHaveLength(2);
    expect(calls).toEqual([]);
  });

  it("that fell asleep is joined: a few steps, and a nap", async () => {
    await awake();
    tell(240, "join");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(calls).toEqual([
      { name: "stroll", args: { way: (240 - 192 * 0.72) / 220, near: true } },
      { name: "nap", args: {} },
    ]);
    calls = [];
    tell(100, "join"); // close enough
    await vi.advanceTimersByTimeAsync(2_000);
    expect(calls.map(({ name }) => name)).toEqual(["nap"]);
  });

  it("moves nothing where motion is reduced", async () => {
    await awake("on");
    for (const how of ["greet", "look", "join"] as const) tell(200, how);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([looks, calls]).toEqual([[], []]);
  });

  it("that sleeps beside it is leaned on in its sleep, and only there", async () => {
    const { pet } = await awake();
    const state = vi.spyOn(pet, "state");
    tell(-1, "lean");
    expect(state.mock.lastCall?.[0].leans).toBe(0);
    window.__soulpet?.deliver({
      resync: false,
      events: [{ seq: 2, event: { type: "mood_changed", mood: "asleep" } }],
    });
    expect(state.mock.lastCall?.[0].leans).toBe(-1);
    const figure = (leans: number) =>
      /data-x|translate\([^)]*\) translate[^"]*rotate\(([-\d]+)/.exec(
        compose(drawingOf("soulpet"), { ms: 0 }, { leans }),
      )?.[1];
    expect([figure(-1), figure(0), figure(1)]).toEqual(["-5", "0", "5"]);
  });

  it("that comes at its place is drawn already, and nothing of this one; if it stays away this one is back", async () => {
    const { root, pet } = await awake();
    const tell = (event: Parameters<NonNullable<typeof window.__soulpet>["deliver"]>[0]["events"][0]["event"]) =>
      window.__soulpet?.deliver({ resync: false, events: [{ seq: 1, event }] });
    tell({ type: "memory_paused", paused: true });
    expect(root.dataset["state"]).toBe("bud drowsy");
    tell({ type: "pet_replaced", body: "soulpet/biscuit" });
    expect([root.dataset["skin"], root.dataset["state"], pet.act]).toEqual(["soulpet/biscuit", "", "wave"]);
    tell({ type: "life_changed" });
    tell({ type: "memory_paused", paused: false });
    await vi.advanceTimersByTimeAsync(5_000);
    expect([root.dataset["skin"], root.dataset["state"]]).toEqual(["soulpet/biscuit", ""]);
    expect(root.hasAttribute("data-replaced")).toBe(true);
    calls = [];
    const poked = vi.spyOn(pet, "poke");
    root.dispatchEvent(new MouseEvent("click", { detail: 1 }));
    expect(poked).toHaveBeenCalledOnce();
    root.dispatchEvent(new MouseEvent("click", { detail: 2 }));
    root.dispatchEvent(new MouseEvent("dblclick"));
    root.dispatchEvent(new MouseEvent("contextmenu"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls.map((each) => each.name)).toEqual(["toggle_chat"]);
    tell({ type: "pet_replaced", body: "" });
    await vi.advanceTimersByTimeAsync(1_000);
    expect([root.dataset["skin"], root.hasAttribute("data-replaced")]).toEqual(["soulpet", false]);
  });
});

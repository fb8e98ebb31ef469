/** The pet's page, and what is dropped on the pet. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DroppedThings, DropRefusal, PetLook } from "../../bindings";
import { mount } from "../../pet/main";
import { SHEET } from "./player";

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
    life: { holds: false, wears: "", weather: "", ways: [] },
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

  it.each([
    ["#-", false],
    ["#soulpet", true],
    ["", true],
  ])("at the address %s draws before the core has answered: %s", async (hash, draws) => {
    location.hash = hash;
    bridge();
    const { mount } = await import("../../pet/main");
    const root = document.createElement("div");
    const made = vi.spyOn(document, "createElement");
    const canvases = () => made.mock.calls.filter(([name]) => name === "canvas").length;
    const pet = mount(root);
    expect(canvases() > 0).toBe(draws);
    await vi.waitFor(() => expect(root.ariaLabel).toBe("Bun"));
    expect(canvases()).toBeGreaterThan(0);
    made.mockRestore();
    pet.react(null);
    location.hash = "";
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
    expect(touches()).toBe(0); // the chat opens: the poke was meant for that
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

  describe("with weight", () => {
    const moves: { dx: number; dy: number; done: boolean; floats?: boolean; way?: number }[] = [];
    async function awake(random = () => 1, life = LOOK.life) {
      window.matchMedia = () => ({ matches: false, addEventListener: () => undefined }) as unknown as MediaQueryList;
      bridge({ ...LOOK, reduced_motion: "off", life });
      const invoke = window.pywebview?.api?.invoke;
      moves.length = 0;
      window.pywebview = {
        api: {
          invoke: async (name: string, args: string) => {
            if (name === "move_pet" || name === "stroll") moves.push(JSON.parse(args));
            if (name === "find_pointer") return JSON.stringify({ ok: true, value: { known: true, x: -400, y: 0 } });
            return (await invoke?.(name, args)) ?? "";
          },
        },
      };
      vi.useFakeTimers();
      const root = document.createElement("div");
      const pet = mount(root, { random });
      await vi.advanceTimersByTimeAsync(5_000);
      return { root, pet };
    }

    afterEach(() => void vi.useRealTimers());

    it("falls faster and faster, lands softly, and says where it is only at the end", async () => {
      const { pet } = await awake();
      const fall = { type: "pet_travels", dx: 0, dy: 400, how: "fall", walk: 3 } as const;
      window.__soulpet?.deliver({ resync: false, events: [{ seq: 1, event: fall }] });
      expect(pet.act).toBe("carried");
      await vi.advanceTimersByTimeAsync(1_000);
      const ways = moves.map(({ dy }) => dy);
      const steps = ways.map((dy, at) => dy - (ways[at - 1] ?? 0));
      expect(steps).toEqual([...steps].sort((a, b) => a - b));
      expect(moves.at(-1)).toEqual({ dx: 0, dy: 400, done: true, walk: 3 });
      expect(moves.filter(({ done }) => done)).toHaveLength(1);
      expect(calls.length).toBeLessThan(30);
    });

    it("is marked for some seconds when an agent was given lines, and not for other changes", async () => {
      const { root } = await awake();
      const changed = (reads: boolean) =>
        window.__soulpet?.deliver({ resync: false, events: [{ seq: 1, event: { type: "agents_changed", reads } }] });
      changed(false);
      expect(root.dataset["read"]).toBeUndefined();
      changed(true);
      expect(root.dataset["read"]).toBe("");
      await vi.advanceTimersByTimeAsync(6_000);
      expect(root.dataset["read"]).toBeUndefined();
    });

    it("waves when it is called, and moves nowhere", async () => {
      const { pet } = await awake();
      const call = { type: "pet_travels", dx: 0, dy: 0, how: "wave", walk: 0 } as const;
      window.__soulpet?.deliver({ resync: false, events: [{ seq: 1, event: call }] });
      expect(pet.act).toBe("wave");
      await vi.advanceTimersByTimeAsync(1_000);
      expect(moves).toEqual([]);
    });

    it.each([
      ["is called", "follow", false],
      ["has something dragged near it", "drag", true],
    ] as const)("looks at the pointer for some seconds and comes near when it %s", async (_why, how, held) => {
      const { root, pet } = await awake();
      Object.defineProperties(root, { clientWidth: { value: 192 }, clientHeight: { value: 208 } });
      const invoke = window.pywebview?.api?.invoke;
      let at = { known: true, x: 400, y: 120, held };
      let looks = 0;
      const find = (name: string, args: string) => {
        if (name !== "find_pointer") return invoke?.(name, args) ?? Promise.resolve("");
        looks += 1;
        return Promise.resolve(JSON.stringify({ ok: true, value: at }));
      };
      window.pywebview = { api: { invoke: find } };
      const deliver = () =>
        window.__soulpet?.deliver({
          resync: false,
          events: [{ seq: 1, event: { type: "pet_travels", dx: 0, dy: 0, how, walk: 0 } }],
        });
      deliver();
      await vi.advanceTimersByTimeAsync(0);
      expect(moves).toEqual([{ way: (304 - 192 * 0.6) / 220, near: true }]);
      pet.play("thinking");
      expect(pet.act).toBe("idle"); // it still looks
      at = { known: true, x: 100, y: 20, held: false };
      await vi.advanceTimersByTimeAsync(60_000);
      expect(pet.act).toBe("thinking");
      expect(moves).toHaveLength(1);
      expect(looks).toBe(held ? 2 : 12);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(looks).toBe(held ? 2 : 12); // nothing is asked any more
    });

    it("leaves alone what is dragged far away, and listens where the pointer is unknown", async () => {
      const { root, pet } = await awake();
      Object.defineProperties(root, { clientWidth: { value: 192 }, clientHeight: { value: 208 } });
      let at = { known: true, x: 900, y: 120, held: true };
      const invoke = async () => JSON.stringify({ ok: true, value: at });
      window.pywebview = { api: { invoke } };
      const deliver = (how: "drag" | "follow") =>
        window.__soulpet?.deliver({
          resync: false,
          events: [{ seq: 1, event: { type: "pet_travels", dx: 0, dy: 0, how, walk: 0 } }],
        });
      deliver("drag");
      await vi.advanceTimersByTimeAsync(13_000);
      expect(moves).toEqual([]);
      at = { ...at, known: false };
      deliver("drag");
      await vi.advanceTimersByTimeAsync(0);
      expect(pet.act).toBe("idle");
      deliver("follow");
      await vi.advanceTimersByTimeAsync(0);
      expect(pet.act).toBe("listening");
    });

    it("sits with its legs over the edge for a while, and gets up for the owner", async () => {
      const { pet } = await awake();
      const sit = { type: "pet_travels", dx: 0, dy: 0, how: "sit", walk: 0 } as const;
      window.__soulpet?.deliver({ resync: false, events: [{ seq: 1, event: sit }] });
      await vi.advanceTimersByTimeAsync(10_000);
      expect([pet.act, moves.length]).toEqual(["sit", 0]);
      pet.play("thinking");
      expect(pet.act).toBe("thinking");
      window.__soulpet?.deliver({ resync: false, events: [{ seq: 2, event: sit }] });
      pet.play("neutral");
      await vi.advanceTimersByTimeAsync(30_000);
      expect(pet.act).toBe("idle");
    });

    it("asks for a few steps some minutes apart while it has nothing to do", async () => {
      const { pet } = await awake();
      await vi.advanceTimersByTimeAsync(590_000);
      expect(moves).toEqual([]);
      await vi.advanceTimersByTimeAsync(10_000);
      expect(moves).toEqual([{ way: 1 }]);
      pet.play("thinking");
      await vi.advanceTimersByTimeAsync(600_000);
      expect(moves).toHaveLength(1);
    });

    it("walks towards its owner's pointer after a hard day, and a click takes the note that it holds", async () => {
      const { root, pet } = await awake(() => 1, { holds: true, wears: "", weather: "near", ways: [] });
      expect(root.dataset["state"]).toBe("holds near");
      await vi.advanceTimersByTimeAsync(600_000);
      expect(moves).toEqual([{ way: -1 }]);
      root.dispatchEvent(new MouseEvent("click", { detail: 1 }));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(calls).toContain("take_held");
      expect(calls).not.toContain("touched");
      calls.length = 0;
      pet.play("talking"); // it reads aloud: a click asks for silence
      root.dispatchEvent(new MouseEvent("click", { detail: 1 }));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(calls).toContain("stop_aloud");
      expect(calls).not.toContain("take_held");
    });

    it.each([true, false])("let go with Shift (%s) it floats there", async (shiftKey) => {
      const { root } = await awake();
      const pointer = (kind: string, at: number) =>
        root.dispatchEvent(new MouseEvent(kind, { button: 0, screenX: at, screenY: 0, shiftKey }));
      pointer("pointerdown", 0);
      pointer("pointermove", 40);
      await vi.advanceTimersByTimeAsync(500);
      pointer("pointerup", 40);
      await vi.advanceTimersByTimeAsync(500);
      const last = moves.at(-1);
      expect(last).toMatchObject({ dx: 40, dy: 0, done: true });
      expect(last?.floats).toBe(shiftKey ? true : undefined);
    });
  });

  describe("hidden for a full-screen program", () => {
    function hide(hidden: boolean): void {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }

    afterEach(() => hide(false));

    it("on its way, it doesn't walk on the spot when it is back", async () => {
      window.matchMedia = () => ({ matches: false, addEventListener: () => undefined }) as unknown as MediaQueryList;
      bridge({ ...LOOK, reduced_motion: "off" });
      const { mount } = await import("../../pet/main");
      const root = document.createElement("div");
      const pet = mount(root);
      await vi.waitFor(() => expect(root.ariaLabel).toBe("Bun"));
      const travel = { type: "pet_travels", dx: -900, dy: 0, how: "walk", walk: 0 } as const;
      window.__soulpet?.deliver({ resync: false, events: [{ seq: 1, event: travel }] });
      expect(pet.act).toBe("walk-left");
      hide(true);
      hide(false);
      expect(pet.act).toBe("idle");
    });

    it("in a hand, it is in none when it is back", async () => {
      bridge();
      const { mount } = await import("../../pet/main");
      const root = document.createElement("div");
      const pet = mount(root);
      await vi.waitFor(() => expect(root.ariaLabel).toBe("Bun"));
      const pointer = (kind: string, at: number) =>
        root.dispatchEvent(new MouseEvent(kind, { button: 0, screenX: at, screenY: 0 }));
      pointer("pointerdown", 0);
      pointer("pointermove", 40);
      expect(pet.act).toMatch(/^carried/);
      hide(true);
      hide(false);
      pointer("pointermove", 80);
      expect(pet.act).toBe("idle");
      expect(root.hasAttribute("data-dragging")).toBe(false);
    });
  });

  it("looks as the newest answer says, and closes its sprout with every pause", async () => {
    const answers: ((look: PetLook) => void)[] = [];
    const envelope = (value: unknown) => JSON.stringify({ ok: true, value });
    const answer = () => new Promise<string>((resolve) => answers.push((look) => resolve(envelope(look))));
    const invoke = (name: string) => (name === "get_skin" ? answer() : Promise.resolve(envelope({})));
    window.pywebview = { api: { invoke } };
    const { mount } = await import("../../pet/main");
    const root = document.createElement("div");
    mount(root);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    window.__soulpet?.deliver({
      resync: false,
      events: [{ seq: 1, event: { type: "memory_paused", paused: true } }],
    });
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.({ ...LOOK, name: "Newer", paused: true });
    answers[0]?.({ ...LOOK, name: "Older", paused: false });
    await vi.waitFor(() => expect(root.ariaLabel).toBe("Newer"));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect([root.ariaLabel, root.dataset["state"]]).toEqual(["Newer", "bud drowsy"]);
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

  it("looks up while something is dragged over it, and takes it or looks away", async () => {
    bridge();
    const { mount } = await import("../../pet/main");
    const root = document.createElement("div");
    const inside = root.appendChild(document.createElement("span"));
    const pet = mount(root);
    const drag = (kind: string, relatedTarget: Node | null = null) =>
      root.dispatchEvent(Object.assign(new Event(kind, { cancelable: true }), { relatedTarget }));
    drag("dragenter");
    expect(pet.act).toBe("listening");
    drag("dragleave", inside);
    expect(pet.act).toBe("listening");
    drag("dragleave");
    expect(pet.act).toBe("idle");
    drag("dragenter");
    drag("drop");
    expect(pet.act).toBe("given");
    drag("dragleave");
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

describe("drops", () => {
  let calls: { name: string; args: DroppedThings }[] = [];

  beforeEach(() => {
    calls = [];
    window.matchMedia = () => ({ matches: true, addEventListener: () => undefined }) as unknown as MediaQueryList;
    window.pywebview = {
      api: {
        invoke: async (name: string, args: string) => {
          if (name !== "get_skin") calls.push({ name, args: JSON.parse(args) });
          return JSON.stringify({ ok: name !== "get_skin", value: {} });
        },
      },
    };
  });

  function drop(files: File[], text = "", kind = "text/plain"): void {
    const root = document.createElement("div");
    mount(root);
    const event = new Event("drop", { cancelable: true });
    Object.assign(event, { dataTransfer: { files, getData: (type: string) => (type === kind ? text : "") } });
    root.dispatchEvent(event);
  }

  const file = (name: string) => new File(["a"], name, { type: "text/plain" });
  function sized(name: string, megabytes: number, kind = "image/png"): File {
    const made = new File([], name, { type: kind });
    Object.defineProperty(made, "size", { value: megabytes * 1024 * 1024 });
    return made;
  }
  const names = () => calls.flatMap(({ args }) => args.files.map((each) => each.name));
  const refused = () => calls.flatMap(({ args }): DropRefusal[] => args.refused ?? []);

  describe("what is dropped on the pet", () => {
    it("is accepted from the first move over any part of it", () => {
      const root = document.createElement("div");
      mount(root);
      for (const name of ["dragenter", "dragover"]) {
        const event = new Event(name, { cancelable: true });
        root.dispatchEvent(event);
        expect(event.defaultPrevented, name).toBe(true);
      }
    });

    it("goes file by file, so that together they may be larger than one message", async () => {
      drop([file("a"), sized("b", 11), sized("c", 11)]);
      await vi.waitFor(() => expect(names()).toEqual(["a", "b", "c"]));
      expect(calls.map(({ args }) => args.files.length)).toEqual([1, 1, 1]);
      expect(refused()).toEqual([]);
    });

    it("is told by name where it is 300 MB, a text over 2 MB, or a folder", async () => {
      const folder = file("photos");
      folder.arrayBuffer = () => Promise.reject(new DOMException("a folder", "NotFoundError"));
      drop([sized("film.png", 300), sized("log.txt", 3, "text/plain"), folder, file("a")]);
      await vi.waitFor(() => expect(names()).toEqual(["a"]));
      expect(refused()).toEqual([
        { problem: "too_large", name: "film.png" },
        { problem: "text_too_large", name: "log.txt" },
        { problem: "unreadable", name: "photos" },
      ]);
    });

    it("is ten files at most, and the eleventh is not left out in silence", async () => {
      drop(Array.from({ length: 11 }, (_, at) => file(String(at))));
      await vi.waitFor(() => expect(names()).toHaveLength(10));
      expect(refused()).toEqual([{ problem: "too_many", name: "" }]);
    });

    it("a picture of a web page that comes as its address alone is said, not lost", async () => {
      drop([], "# from a page\r\nhttps://example.org/cat.png\r\n", "text/uri-list");
      await vi.waitFor(() =>
        expect(calls).toEqual([
          { name: "drop_on_pet", args: { text: "https://example.org/cat.png", files: [], refused: [] } },
        ]),
      );
    });

    it("is a text as it is, or as a file where it is long, to the last letter", async () => {
      drop([], "a line");
      await vi.waitFor(() =>
        expect(calls).toEqual([{ name: "drop_on_pet", args: { text: "a line", files: [], refused: [] } }]),
      );
      calls = [];
      const long = "word ".repeat(50_000);
      drop([], long);
      await vi.waitFor(() => expect(names()).toEqual([""]));
      expect(calls[0]?.args.text).toBe("");
      expect(atob(calls[0]?.args.files[0]?.data.join("") ?? "")).toBe(long);
      calls = [];
      drop([], "x".repeat(2_200_000));
      await vi.waitFor(() => expect(refused()).toEqual([{ problem: "text_too_large", name: "" }]));
      expect(names()).toEqual([]);
    });

    it("opens the chat where there is nothing in it", async () => {
      drop([]);
      await vi.waitFor(() => expect(calls).toEqual([{ name: "show_view", args: { view: "chat" } }]));
    });
  });
});

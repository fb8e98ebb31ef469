/** The pet's page: draws the pet in its skin, reacts to drags and the pointer, opens chat and menu. */

import type { CommandName, CommandTypes, Delivery, PetLife, PetLook, PetTravels, SkinSheet } from "../bindings";
import { giveDropped } from "../ipc/upload";
import {
  DEAD_ZONE,
  directionOf,
  FACE,
  Slide,
  speedOf,
  type Trail,
  trackPress,
  watchArrival,
  watchHover,
  watchPointer,
} from "./pointer";
import "./pet.css";
import { ownTiming } from "./bodies";
import { draw, type Moment } from "./keepsake";
import type { Surroundings } from "./life";
import { drawn, sheetOf, type Worn } from "./renderer";
import { Player } from "./timeline";
import { Travels } from "./travels";

/** Pixels sideways from which the pet is carried in that direction. */
const SIDEWAYS = 3;
/** Milliseconds between two strolls, shortest and longest. */
const STROLL_AFTER = [240_000, 600_000] as const;
/** Milliseconds in which a click may become a double click. */
const DOUBLE_MS = 500;

/** Same as in placement_store.py. */
const UNKNOWN_BODY = "-";
const BLANK: Worn = { show: () => undefined, look: () => false, timing: ownTiming, settles: false };

const READ_MARK_MS = 6_000;

/** Milliseconds between two looks at the pointer, and how many: after a call, and while something is dragged. */
const LOOK_MS = 500;
const CALL_LOOKS = 12;
const DRAG_LOOKS = 24;
/** Pixels within which what is dragged is near. */
const DRAGGED_NEAR = 480;
/** The longest stroll, as in ground.py. */
const STEP_AWAY = 220;
/** Milliseconds for which it looks at another pet, and how close it lies down beside one, in widths of a pet. */
const NOTICE_MS = 1400;
const BESIDE = 0.72;

export function mount(root: HTMLElement, around: Pick<Surroundings, "random"> = { random: Math.random }): Player {
  // The window's address names the body, so that the first frame is right. Where it does not know it, nothing is
  // drawn until the core reports the look.
  let body = location.hash.slice(1);
  let worn: Worn = body === UNKNOWN_BODY ? BLANK : drawn(root, body);
  let have = "";
  let sheet: SkinSheet | null = null;
  let shown: Pick<Moment, "act" | "frame" | "wear"> = { act: "idle", frame: 0, wear: {} };
  let paused = false;
  let tabOff = false;
  let hush = false;
  let life: PetLife = { holds: false, wears: "", weather: "", ways: [] };
  let leans = 0;
  const player = new Player(
    {
      show(act, frame, wear) {
        root.dataset["act"] = player.act;
        shown = { act, frame, wear };
        worn.show(act, frame, wear);
      },
      look: (direction, wear) => worn.look(direction, wear),
    },
    ownTiming,
    { pointer: () => whereIsPointer(root) },
  );
  /** Move the window by an offset from the start of a walk, or of a throw. */
  const move = (dx: number, dy: number, done: boolean) => call("move_pet", { dx, dy, done, walk: travels.walk });
  const slide = new Slide(move);
  /** Another pet's body is drawn already, which comes at this one's place. */
  let replaced = false;
  const showState = () => {
    if (replaced) return;
    const near = life.weather === "near";
    const side = player.mood === "asleep" ? leans : 0;
    const state = { bud: paused || tabOff, drowsy: paused, hush, holds: life.holds, near };
    root.dataset["state"] = Object.entries({ ...state, leans: side !== 0, [life.wears]: life.wears !== "" })
      .flatMap(([name, on]) => (on ? [name] : []))
      .join(" ");
    player.live(life);
    player.state({ ...state, wears: life.wears, leans: side });
  };

  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let motion: PetLook["reduced_motion"] = "system";
  const isCalm = () => motion === "on" || (motion === "system" && calm.matches);
  const travels = new Travels(root, player, slide, {
    move: (dx, dy) => move(dx, dy, true),
    isCalm,
    random: around.random,
    landed: () => player.react("landed"),
  });
  const settle = () => player.hold(document.hidden || isCalm());
  calm.addEventListener("change", settle);
  document.addEventListener("visibilitychange", settle);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return;
    if (slide.moving) travels.stop();
    travels.comeOut();
  });

  root.dataset["skin"] = body;
  function wear(next: Worn): void {
    worn = next;
    player.wear(next.timing, next.settles);
  }

  /** Number of look requests; only the newest answer counts. */
  let requests = 0;
  let answered = 0;
  async function dress(): Promise<void> {
    requests += 1;
    const mine = requests;
    const look = await ask("get_skin", { have });
    if (mine !== requests || replaced) return;
    answered = mine;
    if (!look) {
      if (worn === BLANK) wear(drawn(root));
      return;
    }
    motion = look.reduced_motion;
    hover.allow(look.fades);
    root.ariaLabel = look.name;
    document.documentElement.lang = look.language;
    const waits = worn === BLANK;
    if (look.sheet.stamp !== have) {
      have = look.sheet.stamp;
      const { skin, image } = look.sheet;
      if (image) wear(sheetOf(root, look.sheet, () => wear(drawn(root))));
      else if (skin !== body) wear(drawn(root, skin));
      body = image ? "" : skin;
      sheet = image ? look.sheet : null;
      root.dataset["skin"] = skin;
    }
    if (waits) player.react("wave");
    paused = look.paused;
    tabOff = look.tab_off;
    hush = look.hush;
    life = look.life;
    showState();
    if (look.mood !== player.mood) player.play(look.mood);
    settle();
  }

  const hover = watchHover(root, (faded) => void call("fade_pet", { faded }));
  watchArrival(root, () => {
    if (!replaced) void call("expect_chat", {});
  });
  listen(root, player, slide, travels, isCalm, () => life.holds);
  window.addEventListener("resize", () => wear(worn)); // another size: drawn again at its resolution
  settle();
  player.play("neutral");
  if (worn !== BLANK) player.react("wave");

  let attended = 0;
  let markTimer: ReturnType<typeof setTimeout> | undefined;

  window.__soulpet = {
    deliver({ events, resync }: Delivery) {
      let anew = resync;
      for (const { event } of events) {
        if (event.type === "mood_changed") {
          if (event.mood !== "neutral") travels.comeOut();
          player.play(event.mood);
        } else if (event.type === "memory_paused") paused = event.paused;
        else if (event.type === "tab_memory_changed") tabOff = event.off;
        else if (event.type === "pet_travels") travel(event);
        else if (event.type === "pet_replaced") replace(event.body);
        else if (event.type === "keepsake_asked") void keep();
        else if (event.type === "agents_changed") markRead(event.reads);
        else anew ||= event.type === "settings_changed" || event.type === "life_changed";
      }
      showState();
      if (anew || requests > answered) void dress(); // an answer under way may predate this
    },
  };

  /** Draw the body of the pet that comes at this one's place; "" this one's again. Until it has come, a click pokes it,
      and a double click is left to it. */
  function replace(next: string): void {
    replaced = next !== "";
    root.toggleAttribute("data-replaced", replaced);
    have = "";
    body = next;
    if (!replaced) {
      void dress();
      return;
    }
    leans = 0;
    root.dataset["skin"] = next;
    root.dataset["state"] = "";
    player.live({ weather: "", ways: [] });
    player.state({});
    player.play("neutral");
    wear(drawn(root, next));
    player.react("wave");
  }

  /** Draw the picture or film that the owner asked for. */
  async function keep(): Promise<void> {
    const wish = await ask("get_keepsake", {});
    if (!wish?.number) return;
    const frames = await draw({ ...shown, does: player.act, body, sheet }, wish).catch(() => null);
    if (frames) await call("save_keepsake", { number: wish.number, frames });
  }

  /** Show for some seconds that another agent was given lines of memory. */
  function markRead(reads: boolean): void {
    if (!reads) return;
    clearTimeout(markTimer);
    root.dataset["read"] = "";
    markTimer = setTimeout(() => delete root.dataset["read"], READ_MARK_MS);
  }

  /** Do what the shell has chosen. */
  function travel(where: PetTravels): void {
    const { dx, dy, how } = where;
    if (how === "wave" || how === "sit") player.react(how);
    else if (how === "follow" || how === "drag") {
      travels.comeOut();
      void attend(how === "drag");
    } else if (how === "lean") leans = dx;
    else if (how === "greet" || how === "look" || how === "join") void notice(dx, dy, how);
    else travels.go(where);
  }

  /** Look at the pointer for some seconds and come near: the pet was called, or something is `dragged` close to it. */
  async function attend(dragged: boolean): Promise<void> {
    if (document.hidden || (dragged && !player.idle)) return;
    player.wake();
    attended += 1;
    const mine = attended;
    for (let looks = 0; looks < (dragged ? DRAG_LOOKS : CALL_LOOKS); looks += 1) {
      const at = await ask("find_pointer", {});
      if (mine !== attended) return;
      if (!at?.known && !dragged) player.react("listening");
      if (!at?.known || document.hidden || (dragged && !at.held)) break;
      const { clientWidth: width, clientHeight: height } = root;
      const [x, y] = [at.x - width / 2, at.y - height * FACE];
      if (dragged && Math.hypot(x, y) > DRAGGED_NEAR) player.follow(false);
      else {
        player.follow(true, directionOf(x, y, height * DEAD_ZONE));
        const way = (x - Math.sign(x) * width * 0.6) / STEP_AWAY;
        if (Math.abs(x) > width && !travels.moving) await call("stroll", { way, near: true });
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    if (mine === attended) player.follow(false);
  }

  /** Look at another pet, then nod to it, or go to sleep beside it. */
  async function notice(dx: number, dy: number, how: "greet" | "look" | "join"): Promise<void> {
    if (document.hidden || isCalm() || travels.moving || !player.idle) return;
    attended += 1;
    const mine = attended;
    player.follow(true, directionOf(dx, dy, 0));
    await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
    if (mine !== attended) return;
    player.follow(false);
    if (!player.idle || how === "look") return;
    if (how === "greet") {
      player.react("nod");
      return;
    }
    const steps = dx - Math.sign(dx) * root.clientWidth * BESIDE;
    if (Math.sign(steps) === Math.sign(dx)) await call("stroll", { way: steps / STEP_AWAY, near: true });
    await call("nap", {});
  }

  // A few steps now and then. The core knows when they are unwelcome, the shell where there is room.
  function strollLater(): void {
    const { random } = around;
    setTimeout(
      () => {
        if (!document.hidden && !travels.moving && player.idle) void stroll(random() * 2 - 1);
        strollLater();
      },
      STROLL_AFTER[0] + (STROLL_AFTER[1] - STROLL_AFTER[0]) * random(),
    );
  }
  strollLater();

  /** Take some steps, after a hard day towards where the owner is: the pointer. */
  async function stroll(way: number): Promise<void> {
    const pointer = life.weather === "near" ? await ask("find_pointer", {}) : null;
    const aside = pointer?.known ? pointer.x - root.clientWidth / 2 : 0;
    await call("stroll", { way: aside ? Math.sign(aside) : way });
  }

  void dress();
  return player;
}

function listen(
  root: HTMLElement,
  player: Player,
  slide: Slide,
  travels: Travels,
  isCalm: () => boolean,
  holds: () => boolean,
): void {
  let floats = false;
  const press = trackPress((dx, dy, done) =>
    call("move_pet", { dx, dy, done, ...(done && floats ? { floats } : {}) }),
  );
  let dragged = false;
  let from = { x: 0, y: 0 };
  let trail: Trail = [];
  let lastX = 0;
  let poked: ReturnType<typeof setTimeout> | undefined;

  /** Report the owner's activity to the core, which decides when the pet naps. */
  const active = () => void call("reading", {});
  root.addEventListener("pointerenter", () => {
    if (player.wake()) active();
  });
  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (travels.moving) travels.stop();
    dragged = false;
    if (root.hasAttribute("data-replaced")) return;
    lastX = event.screenX;
    from = { x: event.screenX, y: event.screenY };
    trail = [{ ...from, at: event.timeStamp }]; // a busy computer reports a single move of a quick throw
    root.setPointerCapture?.(event.pointerId);
    press.start(event.screenX, event.screenY);
  });
  root.addEventListener("pointermove", (event) => {
    if (!press.move(event.screenX, event.screenY)) return;
    trail = [...trail.slice(-5), { x: event.screenX, y: event.screenY, at: event.timeStamp }];
    const aside = event.screenX - lastX;
    if (!dragged) {
      travels.take();
      player.react("carried");
    }
    dragged = true;
    root.toggleAttribute("data-dragging", true);
    if (Math.abs(aside) < SIDEWAYS) return;
    lastX = event.screenX;
    const way = aside > 0 ? "carried-right" : "carried-left";
    if (player.act !== way) player.react(way);
  });
  const land = () => player.react("landed");
  const release = (event: PointerEvent) => {
    floats = event.shiftKey;
    const speed = dragged && !isCalm() && !floats ? speedOf(trail, event.timeStamp) : null;
    const moved = { x: event.screenX - from.x, y: event.screenY - from.y };
    if (!press.end(event.screenX, event.screenY, speed === null)) return;
    root.toggleAttribute("data-dragging", false);
    if (speed) {
      player.react(speed.x < 0 ? "thrown-left" : "thrown-right");
      slide.throw(moved, speed, land);
    } else {
      player.react("dropped");
    }
    active();
    void call("touched", {});
  };
  // Hidden for a full-screen program, the pet is no longer held, and no event reports the release.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden || !press.end(0, 0, false)) return;
    root.toggleAttribute("data-dragging", false);
    player.react(null);
  });
  root.addEventListener("pointerup", release);
  root.addEventListener("pointercancel", release);
  root.addEventListener("click", (event) => {
    if (dragged || event.detail > 1) return;
    if (root.hasAttribute("data-replaced")) {
      player.poke();
      return;
    }
    const talks = player.mood === "talking";
    if (talks) void call("stop_aloud", {});
    travels.comeOut();
    player.poke();
    active();
    clearTimeout(poked);
    if (talks) return; // it was asked for silence, not for its note
    poked = setTimeout(() => void call(holds() ? "take_held" : "touched", {}), DOUBLE_MS); // a double click opens the chat: no reaction
  });
  root.addEventListener("dblclick", () => {
    clearTimeout(poked);
    if (!dragged) void call("toggle_chat", {});
  });
  root.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    if (!root.hasAttribute("data-replaced")) void call("pet_menu", {});
  });
  // Without these a dropped file replaces the page; entering another element fires dragenter alone.
  for (const name of ["dragenter", "dragover"]) root.addEventListener(name, (event) => event.preventDefault());
  let expects = false;
  root.addEventListener("dragenter", () => {
    if (expects || slide.moving) return;
    expects = true;
    if (player.wake()) active();
    player.react("listening"); // it looks up
  });
  root.addEventListener("dragleave", (event) => {
    if (!expects || (event.relatedTarget instanceof Node && root.contains(event.relatedTarget))) return;
    expects = false;
    if (player.act === "listening") player.react(null);
  });
  root.addEventListener("drop", (event) => {
    event.preventDefault();
    expects = false;
    player.react("given");
    if (!root.hasAttribute("data-replaced")) void give(event.dataTransfer);
  });
  watchPointer(root, (direction) => player.look(direction));
}

/** Send what was dropped to the field, or to the composer: then the chat opens and reports what was refused. */
async function give(dropped: DataTransfer | null): Promise<void> {
  if (!(await giveDropped(dropped, (things) => call("drop_on_pet", things))))
    await call("show_view", { view: "chat" });
}

/** Return the pointer's direction from the pet's face, of 16. Null near the face, and where the platform hides it. */
async function whereIsPointer(root: HTMLElement): Promise<number | null> {
  const pointer = await ask("find_pointer", {});
  if (!pointer?.known) return null;
  const height = root.clientHeight;
  return directionOf(pointer.x - root.clientWidth / 2, pointer.y - height * FACE, height * DEAD_ZONE);
}

/** Resolve once the bridge is there, so that an early click is not lost. */
function ready(): Promise<void> {
  if (window.pywebview?.api?.invoke) return Promise.resolve();
  return new Promise((resolve) => {
    window.addEventListener("pywebviewready", () => resolve(), { once: true });
  });
}

/** Failures are in the core's log: the pet shows no error texts. */
async function call<N extends CommandName>(name: N, args: CommandTypes[N]["args"]): Promise<void> {
  await ask(name, args);
}

async function ask<N extends CommandName>(
  name: N,
  args: CommandTypes[N]["args"],
): Promise<CommandTypes[N]["reply"] | null> {
  await ready();
  const envelope = await window.pywebview?.api?.invoke?.(name, JSON.stringify(args)).catch(() => "");
  if (!envelope) return null;
  const reply = JSON.parse(envelope) as { ok: boolean; value: CommandTypes[N]["reply"] };
  return reply.ok ? reply.value : null;
}

const root = document.getElementById("pet");
if (root) mount(root);

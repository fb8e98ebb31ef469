/** The pet's page: a drawn character that shows a mood, reacts, is dragged, and opens chat and menu. */
import drawing from "@assets/pet/pet.svg?raw";
import type { CommandName, CommandTypes, Delivery, Mood } from "../bindings";
import { trackPress } from "./drag";
import "./pet.css";
import { Player } from "./steps";

const LOVED_MS = 1600;

export function mount(root: HTMLElement): Player {
  const art = new DOMParser().parseFromString(drawing, "image/svg+xml").documentElement;
  root.replaceChildren(document.importNode(art, true));
  const player = new Player({
    show(mood, frame, blink) {
      root.dataset["mood"] = mood;
      root.dataset["frame"] = String(frame);
      root.toggleAttribute("data-blink", blink);
    },
  });
  let told: Mood = "neutral";
  listen(root, player, () => told);

  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const settle = () => player.hold(calm.matches || document.hidden);
  calm.addEventListener("change", settle);
  document.addEventListener("visibilitychange", settle);
  settle();
  player.play(told);

  window.__soulpet = {
    deliver({ events }: Delivery) {
      for (const { event } of events) {
        if (event.type !== "mood_changed") continue;
        told = event.mood;
        player.play(event.mood);
      }
    },
  };
  return player;
}

function listen(root: HTMLElement, player: Player, told: () => Mood): void {
  const press = trackPress((dx, dy, done) => call("move_pet", { dx, dy, done }));
  let dragged = false;
  let loved: ReturnType<typeof setTimeout> | undefined;

  root.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    dragged = false;
    root.setPointerCapture?.(event.pointerId);
    press.start(event.screenX, event.screenY);
  });
  root.addEventListener("pointermove", (event) => {
    if (!press.move(event.screenX, event.screenY) || dragged) return;
    dragged = true;
    root.toggleAttribute("data-dragging", true);
    player.play("surprised");
  });
  const release = (event: PointerEvent) => {
    if (!press.end(event.screenX, event.screenY)) return;
    root.toggleAttribute("data-dragging", false);
    player.play(told());
  };
  root.addEventListener("pointerup", release);
  root.addEventListener("pointercancel", release);
  root.addEventListener("click", (event) => {
    if (dragged || event.detail > 1) return;
    clearTimeout(loved);
    root.toggleAttribute("data-loved", true);
    if (told() === "neutral" || told() === "asleep" || told() === "happy") player.play("happy");
    loved = setTimeout(() => {
      root.toggleAttribute("data-loved", false);
      if (player.mood === "happy") player.play(told());
    }, LOVED_MS);
  });
  root.addEventListener("dblclick", () => {
    if (!dragged) void call("toggle_chat", {});
  });
  root.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    void call("pet_menu", {});
  });
}

/** Whoever is quicker than the bridge need not click again. */
function ready(): Promise<void> {
  if (window.pywebview?.api?.invoke) return Promise.resolve();
  return new Promise((resolve) => {
    window.addEventListener("pywebviewready", () => resolve(), { once: true });
  });
}

/** The pet has no place for an error sentence: what fails here, the log of the core has. */
async function call<N extends CommandName>(name: N, args: CommandTypes[N]["args"]): Promise<void> {
  await ready();
  await window.pywebview?.api?.invoke?.(name, JSON.stringify(args)).catch(() => "");
}

const root = document.getElementById("pet");
if (root) mount(root);

/** The pet's ways over the screen: on foot, falling, half behind its chat and back; in fades with reduced motion. */
import type { PetTravels } from "../bindings";
import type { Slide } from "./pointer";
import type { Player } from "./timeline";

/** Milliseconds of a fade, as in pet.css, and for which the pet looks out from behind its chat. */
const FADE_MS = 180;
const PEEK_MS = 5_800;

/** `move`: to an offset, at once. `landed`: after a fall. */
interface Around {
  move(dx: number, dy: number): Promise<void>;
  isCalm(): boolean;
  random(): number;
  landed(): void;
}

export class Travels {
  readonly #root: HTMLElement;
  readonly #player: Player;
  readonly #slide: Slide;
  readonly #around: Around;
  /** The number of its newest walk; 0 once its owner takes it. */
  walk = 0;
  #fading: ReturnType<typeof setTimeout> | undefined;
  /** While it looks out from behind its chat: the end of that, and how far it is out. */
  #behind: { timer: ReturnType<typeof setTimeout>; out: number } | null = null;

  constructor(root: HTMLElement, player: Player, slide: Slide, around: Around) {
    this.#root = root;
    this.#player = player;
    this.#slide = slide;
    this.#around = around;
  }

  get moving(): boolean {
    return this.#slide.moving || this.#fading !== undefined;
  }

  /** Go to a place that the shell has chosen. */
  go({ dx, dy, how, walk }: Pick<PetTravels, "dx" | "dy" | "how" | "walk">): void {
    this.stop();
    this.walk = walk;
    if (document.hidden) void this.#around.move(dx, dy);
    else if (how === "peek") this.#peek(dx);
    else if (this.#around.isCalm()) this.#fade(dx, dy);
    else if (how === "fall") {
      this.#player.react("carried");
      this.#slide.fall(dy, this.#around.landed);
    } else {
      const there = how !== "walk_to_edge" ? "landed" : this.#around.random() < 0.5 ? "sit" : "peek";
      this.#walk(dx, dy, () => this.#player.react(there));
    }
  }

  /** End where it is, and be seen whole there. */
  stop(): void {
    if (this.#fading !== undefined) {
      clearTimeout(this.#fading);
      this.#fading = undefined;
      delete this.#root.dataset["fading"];
      void this.#around.move(0, 0);
    }
    if (this.#slide.moving) this.#player.react(null); // else it would hang in the air
    this.#slide.stop();
    this.#uncover();
  }

  /** Its owner takes it, from wherever it is. */
  take(): void {
    this.walk = 0;
    this.#uncover();
  }

  /** Be seen whole. */
  #uncover(): void {
    if (this.#behind) clearTimeout(this.#behind.timer);
    this.#behind = null;
    this.#root.style.clipPath = "";
  }

  /** Come out from behind its chat, if it is there. */
  comeOut(): void {
    const out = this.#behind?.out;
    if (out === undefined) return;
    clearTimeout(this.#behind?.timer);
    this.#behind = null;
    if (document.hidden || this.#around.isCalm()) {
      this.#fade(out, 0, () => this.#uncover());
      return;
    }
    const ended = () => {
      this.#uncover();
      this.#player.react("landed");
    };
    this.#walk(out, 0, ended, (from) => this.#cover(out, from - out));
  }

  /** Go half behind the chat, look out for some seconds, and come back. */
  #peek(dx: number): void {
    const look = () => {
      this.#player.react(dx < 0 ? "spy-right" : "spy-left");
      this.#behind = { timer: setTimeout(() => this.comeOut(), PEEK_MS), out: -dx };
    };
    if (this.#around.isCalm()) {
      this.#fade(dx, 0, () => {
        this.#cover(-dx, dx);
        look();
      });
    } else this.#walk(dx, 0, look, (_from, to) => this.#cover(-dx, to));
  }

  #walk(dx: number, dy: number, ended: () => void, step?: (from: number, to: number) => void): void {
    this.#player.react(dx < 0 ? "walk-left" : "walk-right");
    this.#slide.walk(dx, dy, ended, step);
  }

  /** Leave out what is behind the chat. `out`: the way out; `at`: where it is, from its place outside. */
  #cover(out: number, at: number): void {
    const hidden = Math.round(Math.max(0, Math.abs(at) - Math.abs(out) + this.#root.clientWidth / 2));
    const [right, left] = out > 0 ? [0, hidden] : [hidden, 0];
    this.#root.style.clipPath = hidden ? `inset(0 ${right}px 0 ${left}px)` : "";
  }

  /** Vanish, be there, and appear. `unseen`: called meanwhile. */
  #fade(dx: number, dy: number, unseen: () => void = () => undefined): void {
    this.#root.dataset["fading"] = "";
    this.#fading = setTimeout(async () => {
      this.#fading = undefined;
      unseen();
      await this.#around.move(dx, dy);
      delete this.#root.dataset["fading"];
    }, FADE_MS);
  }
}

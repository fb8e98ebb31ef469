/**
 * Remote pictures in replies. Loaded only by the owner's click, and kept in this page's memory for that reply alone.
 */
import { type Signal, signal } from "@preact/signals";
import type { Commands, ErrorInfo, LoadedPicture } from "../../bindings";
import { errorOf } from "../../texts";
import { getOrMake } from "../get_or_make";

export type RemotePicture =
  | { is: "closed" }
  | { is: "loading" }
  | { is: "failed"; error: ErrorInfo }
  | { is: "shown"; picture: LoadedPicture };

/** The pictures of a reply: the state of each, and the click that loads it. */
export interface Pictures {
  at: (address: string) => Signal<RemotePicture>;
  load: (address: string) => void;
}

/** Loaded pictures kept; the oldest become placeholders again. */
const KEPT = 30;
const CLOSED: RemotePicture = { is: "closed" };

export class RemotePictures {
  readonly #commands: Commands;
  readonly #known = new Map<string, Signal<RemotePicture>>();
  readonly #shown: string[] = [];

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  /** Return the pictures of one reply. */
  of(conversation: string, turn: string): Pictures {
    const key = (address: string) => `${conversation} ${turn} ${address}`;
    return {
      at: (address) => this.#at(key(address)),
      load: (address) => void this.#load(key(address), { conversation, turn, address }),
    };
  }

  /** Drop the pictures of a deleted conversation. */
  clear(conversation: string): void {
    for (const [key, state] of this.#known) if (key.startsWith(`${conversation} `)) state.value = CLOSED;
  }

  #at(key: string): Signal<RemotePicture> {
    return getOrMake(this.#known, key, () => signal<RemotePicture>(CLOSED));
  }

  async #load(key: string, args: Parameters<Commands["loadPicture"]>[0]): Promise<void> {
    const state = this.#at(key);
    if (state.value.is === "loading" || state.value.is === "shown") return;
    state.value = { is: "loading" };
    try {
      const picture = await this.#commands.loadPicture(args);
      if (state.value.is !== "loading") return; // the conversation was deleted meanwhile
      state.value = { is: "shown", picture };
      this.#shown.push(key);
      const oldest = this.#shown.length > KEPT ? this.#shown.shift() : undefined;
      if (oldest !== undefined) this.#at(oldest).value = CLOSED;
    } catch (thrown) {
      state.value = { is: "failed", error: errorOf(thrown) };
    }
  }
}

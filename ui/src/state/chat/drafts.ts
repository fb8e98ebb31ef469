/** Unsent text and the scroll position of each conversation, and texts being rewritten outside of the composer. */
import { type Signal, signal } from "@preact/signals";
import type { ArgsOf, Commands } from "../../bindings";
import { errorOf } from "../../texts";
import { getOrMake } from "../get_or_make";
import type { Notices } from "../notices";

/** Key of the draft for a tab that is being created. */
export const NEW = "";

/** Milliseconds after the last change, and after the first unsaved one. */
const SAVED_AFTER = 400;
const SAVED_AT_LAST = 2000;

export class Drafts {
  /** texts being rewritten, by what they replace: a message, a proposal */
  readonly rewrites = new Map<string, string>();
  readonly #texts = new Map<string, Signal<string>>();
  readonly #scroll = new Map<string, number>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  of(conversation: string): Signal<string> {
    return getOrMake(this.#texts, conversation, () => signal(""));
  }

  set(conversation: string, text: string): void {
    this.of(conversation).value = text;
    this.#changed();
  }

  /** Put a text in front of the draft, on separate lines. */
  prepend(conversation: string, text: string): void {
    this.set(conversation, [text, this.of(conversation).value].filter(Boolean).join("\n"));
  }

  /** Return the scroll position in CSS pixels from the end. */
  scroll(conversation: string): number {
    return this.#scroll.get(conversation) ?? 0;
  }

  setScroll(conversation: string, fromEnd: number): void {
    this.#scroll.set(conversation, fromEnd);
    this.#changed();
  }

  /** Set both as they were saved. */
  restore(conversation: string, text: string, fromEnd: number): void {
    this.of(conversation).value = text;
    this.#scroll.set(conversation, fromEnd);
  }

  /** Forget the text; the scroll position stays for a tab that is opened again. */
  drop(conversation: string): void {
    this.#texts.delete(conversation);
  }
}

/** Saves open tabs, drafts and scroll positions for the next start, debounced. */
export class TabSaver {
  readonly #commands: Commands;
  readonly #notices: Notices;
  readonly #snapshot: () => ArgsOf<"save_tabs">;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** since when a change is unsaved, on the monotonic clock */
  #unsavedSince: number | null = null;
  /** code of the last save's error, or "" */
  #failure = "";

  constructor(commands: Commands, notices: Notices, snapshot: () => ArgsOf<"save_tabs">) {
    this.#commands = commands;
    this.#notices = notices;
    this.#snapshot = snapshot;
  }

  /** Save soon, once for many changes, and at the latest two seconds after the first. */
  soon(): void {
    const now = performance.now();
    this.#unsavedSince ??= now;
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(SAVED_AFTER, this.#unsavedSince + SAVED_AT_LAST - now));
    this.#timer = setTimeout(() => void this.now(), wait);
  }

  /** Save if a change is unsaved or the last save failed; never before the saved tabs are restored. */
  async pending(): Promise<void> {
    if (this.#unsavedSince !== null || this.#failure !== "") await this.now();
  }

  async now(): Promise<void> {
    clearTimeout(this.#timer);
    this.#unsavedSince = null;
    try {
      await this.#commands.saveTabs(this.#snapshot());
      this.#failure = "";
    } catch (thrown) {
      const error = errorOf(thrown);
      if (error.code !== this.#failure) this.#notices.notify("", error); // once, not at every key
      this.#failure = error.code;
    }
  }
}

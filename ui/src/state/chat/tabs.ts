/**
 * The tabs: which conversations are open, in what order, and what is being written in each.
 * Owns what is kept of them for the next start. Knows nothing of what was said in them.
 */
import { batch, type Signal, signal } from "@preact/signals";
import type { Commands, TabState } from "../../bindings";
import { errorOf } from "../../texts";
import { getOrMake } from "../get_or_make";
import { Standing } from "../navigation";
import { Attaching } from "./attachments";
import { Heights } from "./virtual_list";

/** Milliseconds after the last change, and after the first one that is not saved. */
const SAVED_AFTER = 400;
const SAVED_AT_LAST = 2000;

export class Tabs extends Standing {
  readonly tabs = signal<string[]>([]);
  readonly active = signal<string | null>(null);
  readonly commands: Commands;
  readonly attaching: Attaching;
  /** what is being rewritten, by what it is: a message, a change that the pet proposed */
  readonly begun = new Map<string, string>();
  readonly #drafts = new Map<string, Signal<string>>();
  readonly #scroll = new Map<string, number>();
  readonly #heights = new Map<string, Heights>();
  #saving: ReturnType<typeof setTimeout> | undefined;
  /** since when something is not saved yet, on the monotonic clock */
  #unsavedSince: number | null = null;
  /** why the tabs could not be kept the last time, or not whole */
  #unkept = "";

  constructor(commands: Commands) {
    super();
    this.commands = commands;
    this.attaching = new Attaching(
      commands,
      (error) => this.notify("", error),
      () => this.saveTabs(),
    );
  }

  // --- what is in one ---------------------------------------------------------------------------

  draft(id: string): Signal<string> {
    return getOrMake(this.#drafts, id, () => signal(""));
  }

  setDraft(id: string, text: string): void {
    this.draft(id).value = text;
    this.saveTabs();
  }

  /** Puts a text in front of what was written since. */
  giveBack(id: string, text: string): void {
    this.setDraft(id, [text, this.draft(id).value].filter(Boolean).join("\n"));
  }

  scroll(id: string): number {
    return this.#scroll.get(id) ?? 0;
  }

  setScroll(id: string, fromEnd: number): void {
    this.#scroll.set(id, fromEnd);
    this.saveTabs();
  }

  /** How tall the turns of a conversation were drawn. */
  heights(id: string): Heights {
    return getOrMake(this.#heights, id, () => new Heights());
  }

  // --- which there are --------------------------------------------------------------------------

  /** As they were kept. */
  protected restoreTabs(kept: readonly TabState[], active: string | null): void {
    for (const tab of kept) {
      this.draft(tab.conversation).value = tab.draft;
      this.#scroll.set(tab.conversation, tab.scroll);
      this.attaching.restore(tab.conversation, tab.attachments);
    }
    const open = kept.map((tab) => tab.conversation);
    batch(() => {
      this.tabs.value = open;
      this.active.value = active ?? open[0] ?? null;
    });
  }

  /** Behind the others, and not in front of the owner. */
  protected addTab(id: string): void {
    this.tabs.value = [...this.tabs.value, id];
    this.saveTabs();
  }

  protected showTab(id: string): void {
    batch(() => {
      if (!this.tabs.value.includes(id)) this.tabs.value = [...this.tabs.value, id];
      if (this.active.value !== id) this.finding.value = null;
      this.active.value = id;
      this.view.value = "chat";
      this.askFocus();
    });
    this.saveTabs();
  }

  /** Puts one back where it was. */
  protected putBack(id: string, at: number, draft: string, scroll: number): void {
    this.giveBack(id, draft);
    this.#scroll.set(id, scroll);
    this.tabs.value = this.tabs.value.toSpliced(at, 0, id);
  }

  /** Whether there was one. */
  protected dropTab(id: string): boolean {
    const at = this.tabs.value.indexOf(id);
    if (at < 0) return false;
    batch(() => {
      this.tabs.value = this.tabs.value.filter((each) => each !== id);
      if (this.active.value === id)
        this.active.value = this.tabs.value[Math.min(at, this.tabs.value.length - 1)] ?? null;
    });
    this.#drafts.delete(id);
    this.#heights.delete(id);
    this.saveTabs();
    return true;
  }

  /** Puts a tab at another place among the others. */
  placeTab(id: string, at: number): void {
    const tabs = this.tabs.value;
    if (!tabs.includes(id) || tabs[at] === id || at < 0 || at >= tabs.length) return;
    this.tabs.value = tabs.filter((each) => each !== id).toSpliced(at, 0, id);
    this.saveTabs();
  }

  /** The next or the previous tab. */
  moveTab(by: 1 | -1): void {
    const tabs = this.tabs.value;
    const at = tabs.indexOf(this.active.value ?? "");
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next) this.showTab(next);
  }

  // --- for the next start -----------------------------------------------------------------------

  /** Soon, and once for many changes; changes without end don't put it off for ever. */
  saveTabs(): void {
    const now = performance.now();
    this.#unsavedSince ??= now;
    clearTimeout(this.#saving);
    const wait = Math.max(0, Math.min(SAVED_AFTER, this.#unsavedSince + SAVED_AT_LAST - now));
    this.#saving = setTimeout(() => void this.saveTabsNow(), wait);
  }

  /** Where nothing changed, nothing is saved: least of all before the kept ones are there again. */
  async saveWaiting(): Promise<void> {
    if (this.#unsavedSince !== null || this.#unkept !== "") await this.saveTabsNow();
  }

  async saveTabsNow(): Promise<void> {
    clearTimeout(this.#saving);
    this.#unsavedSince = null;
    const tabs: TabState[] = this.tabs.value.map((conversation) => ({
      conversation,
      draft: this.draft(conversation).value,
      scroll: this.scroll(conversation),
      attachments: this.attaching.taken(conversation),
    }));
    try {
      await this.commands.saveTabs({ tabs, active: this.active.value });
      this.#unkept = "";
    } catch (thrown) {
      const error = errorOf(thrown);
      if (error.code !== this.#unkept) this.notify("", error); // once, not at every key
      this.#unkept = error.code;
    }
  }
}

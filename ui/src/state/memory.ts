/**
 * What the page knows of the pet's memory as a whole: reminders, conflict copies, the index, and where the browser of
 * Settings > Memory stands. Asks quietly: a failure here leaves what was known, and the views tell their own.
 */
import { batch, signal } from "@preact/signals";
import {
  CommandError,
  type Commands,
  type ConflictCopy,
  type IndexState,
  type PetEvent,
  type ReminderList,
} from "../bindings";

export type MemoryTab = "browse" | "reminders" | "settings" | "sees" | "import";

/** Somewhere in the pet's files: of a conversation, the turn says where; else the lines do, 1-based and inclusive. */
export interface Place {
  path: string;
  start_line: number;
  end_line: number;
  turn: string | null;
}

export class MemoryState {
  readonly reminders = signal<ReminderList | null>(null);
  readonly copies = signal<ConflictCopy[]>([]);
  readonly index = signal<IndexState | null>(null);
  /** counts up when something was forgotten: what is shown is to be asked for again */
  readonly forgotten = signal(0);
  /** counts up when a pet was made, renamed or deleted */
  readonly pets = signal(0);

  // --- where the browser stands: kept while other views are open
  readonly tab = signal<MemoryTab>("browse");
  readonly sought = signal("");
  /** the day or core file under the reader's eyes; "" for the newest day */
  readonly file = signal("");
  /** what an opened view shall bring into sight, until it did */
  readonly place = signal<Place | null>(null);

  readonly #commands: Commands;
  #asked = 0;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  async start(): Promise<void> {
    await Promise.all([this.loadReminders(), this.loadCopies()]);
  }

  apply(event: PetEvent): void {
    switch (event.type) {
      case "reminders_changed":
        void this.loadReminders();
        break;
      case "copies_found":
        if (event.count === 0) this.copies.value = [];
        else void this.loadCopies();
        break;
      case "index_progress":
        if (this.index.value) this.index.value = { ...this.index.value, done: event.done, total: event.total };
        break;
      case "pets_changed":
        this.pets.value += 1;
        break;
      case "forgotten":
        this.forgotten.value += 1;
        void this.loadReminders();
        break;
      default:
        break;
    }
  }

  async loadReminders(): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    const list = await quietly(() => this.#commands.listReminders());
    if (list?.due && asked === this.#asked) this.reminders.value = list; // else a newer one is on its way, or here
  }

  async loadCopies(): Promise<void> {
    const list = await quietly(() => this.#commands.listCopies());
    if (list?.copies) this.copies.value = list.copies;
  }

  async loadIndex(): Promise<void> {
    const state = await quietly(() => this.#commands.getIndexState());
    if (state) this.index.value = state;
  }

  /** Shows a day or a core file in the browser, at a place of it. */
  browse(file: string, place: Place | null = null): void {
    batch(() => {
      this.tab.value = "browse";
      this.sought.value = "";
      this.file.value = file;
      this.place.value = place;
    });
  }
}

/** For what nobody waits for: where the core refuses, nothing happens. */
export async function quietly<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (thrown) {
    if (thrown instanceof CommandError) return null;
    throw thrown;
  }
}

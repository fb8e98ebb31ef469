/**
 * The pet's memory as a whole: reminders, conflict copies, the index, and the position in Settings > Memory. Failed
 * loads leave the last state; views report their own errors.
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

/** A place in the pet's files: a turn of a conversation, else lines (1-based, inclusive). */
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
  /** counts up when something was forgotten: views load again */
  readonly forgotten = signal(0);
  /** counts up when a pet was made, renamed or deleted */
  readonly pets = signal(0);

  // --- the browser's position, kept while other views are open
  readonly sought = signal("");
  /** the day or core file shown; "" for the newest day */
  readonly file = signal("");
  /** the entry that the page about the owner shows first, with where it comes from; `snippet`: "" for its place alone */
  readonly asked = signal<(Place & { snippet: string }) | null>(null);
  /** the place an opened view shall scroll to; null once it has */
  readonly place = signal<Place | null>(null);

  readonly #commands: Commands;
  #request = 0;

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
    this.#request += 1;
    const request = this.#request;
    const list = await orNull(() => this.#commands.listReminders());
    if (list?.due && request === this.#request) this.reminders.value = list; // else a newer one is loading or loaded
  }

  async loadCopies(): Promise<void> {
    const list = await orNull(() => this.#commands.listCopies());
    if (list?.copies) this.copies.value = list.copies;
  }

  async loadIndex(): Promise<void> {
    const state = await orNull(() => this.#commands.getIndexState());
    if (state) this.index.value = state;
  }

  /** The browser shows a day or a core file, at `place`. */
  browse(file: string, place: Place | null = null): void {
    batch(() => {
      this.sought.value = "";
      this.file.value = file;
      this.place.value = place;
    });
  }
}

/** Return the reply, or null if the command fails. */
export async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (thrown) {
    if (thrown instanceof CommandError) return null;
    throw thrown;
  }
}

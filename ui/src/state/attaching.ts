/**
 * Pictures and text files on their way into a message, for each conversation, and what was sent as the page shows it.
 * The core looks at every file and decides; here only its size is known beforehand.
 */
import { type Signal, signal } from "@preact/signals";
import type { Attachment, AttachmentView, Commands, ErrorInfo, GivenFile } from "../bindings";
import { packed } from "../settings/given";
import { errorOf } from "../texts";

export interface Pending {
  key: number;
  name: string;
  /** null while the core still looks at it */
  taken: Attachment | null;
}

/** As the core's own limits: what is larger is not even read. */
const LARGEST = 20 * 1024 * 1024;
const MOST = 10;
/** Pictures kept for drawing again; the core has them all. */
const KEPT = 80;

export class Attaching {
  readonly #commands: Commands;
  readonly #tell: (error: ErrorInfo) => void;
  readonly #pending = new Map<string, Signal<Pending[]>>();
  readonly #views = new Map<string, Signal<AttachmentView | "gone" | null>>();
  #made = 0;

  constructor(commands: Commands, tell: (error: ErrorInfo) => void) {
    this.#commands = commands;
    this.#tell = tell;
  }

  pending(conversation: string): Signal<Pending[]> {
    const found = this.#pending.get(conversation) ?? signal<Pending[]>([]);
    this.#pending.set(conversation, found);
    return found;
  }

  async add(conversation: string, files: readonly File[]): Promise<void> {
    await Promise.all(files.map((file) => this.#add(conversation, file)));
  }

  async #add(conversation: string, file: File): Promise<void> {
    if (file.size > LARGEST) return this.#refuse("too_large", { name: file.name, limit: LARGEST / 1024 / 1024 });
    await this.#send(conversation, file.name, () => packed(file));
  }

  /** Files that were packed already: they were dropped on the pet. */
  async addGiven(conversation: string, files: readonly GivenFile[]): Promise<void> {
    await Promise.all(files.map((file) => this.#send(conversation, file.name, () => Promise.resolve(file))));
  }

  async #send(conversation: string, name: string, pack: () => Promise<GivenFile>): Promise<void> {
    const list = this.pending(conversation);
    if (list.value.length >= MOST) return this.#refuse("too_many", { limit: MOST });
    this.#made += 1;
    const key = this.#made;
    list.value = [...list.value, { key, name, taken: null }];
    try {
      const taken = await this.#commands.addAttachment({ conversation, file: await pack() });
      list.value = list.value.map((each) => (each.key === key ? { ...each, taken } : each));
    } catch (thrown) {
      this.remove(conversation, key);
      this.#tell(errorOf(thrown));
    }
  }

  #refuse(problem: string, args: ErrorInfo["args"]): void {
    this.#tell({ code: `attachment_${problem}`, args, retryable: false });
  }

  remove(conversation: string, key: number): void {
    const list = this.pending(conversation);
    list.value = list.value.filter((each) => each.key !== key);
  }

  /** The files that go with the message now; they are no longer pending. */
  take(conversation: string): Pending[] {
    const list = this.pending(conversation);
    const taken = list.value;
    list.value = [];
    return taken;
  }

  giveBack(conversation: string, pending: Pending[]): void {
    const list = this.pending(conversation);
    list.value = [...pending, ...list.value];
  }

  /** A small copy of what was sent; null while it is fetched. */
  view(attachment: string): Signal<AttachmentView | "gone" | null> {
    const known = this.#views.get(attachment);
    if (known) return known;
    const made = signal<AttachmentView | "gone" | null>(null);
    this.#views.set(attachment, made);
    const oldest = this.#views.keys().next().value;
    if (this.#views.size > KEPT && oldest !== undefined) this.#views.delete(oldest);
    void this.read(attachment, false).then((view) => {
      made.value = view ?? "gone";
    });
    return made;
  }

  /** Null where it isn't there any more. */
  async read(attachment: string, whole: boolean): Promise<AttachmentView | null> {
    try {
      return await this.#commands.readAttachment({ attachment, whole });
    } catch (thrown) {
      errorOf(thrown); // whatever it is, there is nothing to show
      return null;
    }
  }
}

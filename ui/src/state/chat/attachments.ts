/**
 * Pictures and text files on their way into a message, for each conversation, and what was sent as the page shows it.
 * The core looks at every file and decides; here only its size is known beforehand.
 */
import { type Signal, signal } from "@preact/signals";
import type { Attachment, AttachmentView, Commands, ErrorInfo, GivenFile } from "../../bindings";
import { LARGEST_FILE, LARGEST_TEXT, MEGABYTE, MOST_FILES, packed } from "../../ipc/upload";
import { errorOf, t } from "../../texts";

export interface Pending {
  key: number;
  name: string;
  /** null while the core still looks at it */
  taken: Attachment | null;
}

/** What the words of a refusal name. */
const LIMITS = {
  too_large: LARGEST_FILE / MEGABYTE,
  too_many: MOST_FILES,
  text_too_large: LARGEST_TEXT / MEGABYTE,
  paste_too_large: LARGEST_TEXT / MEGABYTE,
  unreadable: 0,
};
/** Pictures kept for drawing again; the core has them all. */
const KEPT = 80;

export class Attachments {
  readonly #commands: Commands;
  readonly #report: (error: ErrorInfo) => void;
  readonly #changed: () => void;
  readonly #pending = new Map<string, Signal<Pending[]>>();
  readonly #views = new Map<string, Signal<AttachmentView | "gone" | null>>();
  #made = 0;

  /** `changed`: what is on its way is other than before, and to be kept with the drafts. */
  constructor(commands: Commands, report: (error: ErrorInfo) => void, changed: () => void = () => undefined) {
    this.#commands = commands;
    this.#report = report;
    this.#changed = changed;
  }

  pending(conversation: string): Signal<Pending[]> {
    const found = this.#pending.get(conversation) ?? signal<Pending[]>([]);
    this.#pending.set(conversation, found);
    return found;
  }

  /** What was taken in before a restart. */
  restore(conversation: string, attachments: readonly Attachment[]): void {
    this.pending(conversation).value = attachments.map((taken) => {
      this.#made += 1;
      return { key: this.#made, name: taken.name, taken };
    });
  }

  /** What has been taken in for a message that was not sent yet. */
  taken(conversation: string): Attachment[] {
    return this.pending(conversation).value.flatMap(({ taken }) => taken ?? []);
  }

  async add(conversation: string, files: readonly File[]): Promise<void> {
    await Promise.all(files.map((file) => this.#add(conversation, file)));
  }

  async #add(conversation: string, file: File): Promise<void> {
    if (file.size > LARGEST_FILE) return this.refuse("too_large", file.name);
    if (file.type === "text/plain" && file.size > LARGEST_TEXT) return this.refuse("text_too_large", file.name);
    await this.#send(conversation, file.name, () => packed(file));
  }

  /** Files that were packed already: they were dropped on the pet. */
  async addGiven(conversation: string, files: readonly GivenFile[]): Promise<void> {
    await Promise.all(files.map((file) => this.#send(conversation, file.name, () => Promise.resolve(file))));
  }

  async #send(conversation: string, name: string, pack: () => Promise<GivenFile>): Promise<void> {
    const list = this.pending(conversation);
    if (list.value.length >= MOST_FILES) return this.refuse("too_many", name);
    this.#made += 1;
    const key = this.#made;
    list.value = [...list.value, { key, name, taken: null }];
    const file = await pack().catch(() => null);
    if (file === null) {
      this.#drop(conversation, key);
      return this.refuse("unreadable", name);
    }
    try {
      const taken = await this.#commands.addAttachment({ conversation, file });
      if (!list.value.some((each) => each.key === key)) return this.#discard(taken);
      list.value = list.value.map((each) => (each.key === key ? { ...each, taken } : each));
      this.#changed();
    } catch (thrown) {
      this.#drop(conversation, key);
      this.#report(errorOf(thrown));
    }
  }

  refuse(problem: keyof typeof LIMITS, called: string): void {
    const name = called || t("ui.attach.dropped");
    this.#report({ code: `attachment_${problem}`, args: { name, limit: LIMITS[problem] }, retryable: false });
  }

  remove(conversation: string, key: number): void {
    const gone = this.pending(conversation).value.find((each) => each.key === key);
    this.#drop(conversation, key);
    if (gone?.taken) this.#discard(gone.taken);
  }

  /** Its conversation is gone. */
  clear(conversation: string): void {
    for (const { key } of this.pending(conversation).value) this.remove(conversation, key);
  }

  #drop(conversation: string, key: number): void {
    const list = this.pending(conversation);
    list.value = list.value.filter((each) => each.key !== key);
    this.#changed();
  }

  /** The core need not keep it, unless another message on its way has the same. */
  #discard({ id }: Attachment): void {
    for (const list of this.#pending.values()) if (list.value.some(({ taken }) => taken?.id === id)) return;
    void this.#commands.discardAttachment({ attachment: id }).catch(errorOf);
  }

  /** The files that go with the message now; they are no longer pending. */
  take(conversation: string): Pending[] {
    const list = this.pending(conversation);
    const taken = list.value;
    list.value = [];
    this.#changed();
    return taken;
  }

  giveBack(conversation: string, pending: Pending[]): void {
    const list = this.pending(conversation);
    list.value = [...pending, ...list.value];
    this.#changed();
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

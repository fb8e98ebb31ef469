/**
 * Pictures and text files being attached, by conversation, and small copies of those sent. The core decides about
 * every file; here only its size is checked.
 */
import { type Signal, signal } from "@preact/signals";
import type { Attachment, AttachmentView, Commands, ErrorInfo, GivenFile } from "../../bindings";
import { LARGEST_FILE, LARGEST_TEXT, MEGABYTE, MOST_FILES, packFile } from "../../ipc/upload";
import { errorOf, t } from "../../texts";
import { getOrMake } from "../get_or_make";

interface Pending {
  key: number;
  name: string;
  /** null until the core has accepted it */
  taken: Attachment | null;
  /** Pages of a text that one message can take, from the first. */
  fitting: number;
}

/** Limits named in the refusals' texts. */
const LIMITS = {
  too_large: LARGEST_FILE / MEGABYTE,
  too_many: MOST_FILES,
  text_too_large: LARGEST_TEXT / MEGABYTE,
  paste_too_large: LARGEST_TEXT / MEGABYTE,
  unreadable: 0,
};
/** Small copies kept in memory. */
const KEPT = 80;

export class Attachments {
  readonly #commands: Commands;
  readonly #report: (error: ErrorInfo) => void;
  readonly #changed: () => void;
  readonly #pending = new Map<string, Signal<Pending[]>>();
  readonly #views = new Map<string, Signal<AttachmentView | "gone" | null>>();
  #made = 0;

  /** `changed`: called when pending files changed, to save them with the drafts. */
  constructor(commands: Commands, report: (error: ErrorInfo) => void, changed: () => void = () => undefined) {
    this.#commands = commands;
    this.#report = report;
    this.#changed = changed;
  }

  pending(conversation: string): Signal<Pending[]> {
    return getOrMake(this.#pending, conversation, () => signal<Pending[]>([]));
  }

  /** Restore files accepted before a restart. */
  restore(conversation: string, attachments: readonly Attachment[]): void {
    this.pending(conversation).value = attachments.map((taken) => {
      this.#made += 1;
      if (taken.pages > 1) void this.#fit(conversation, this.#made, taken.id);
      return { key: this.#made, name: taken.name, taken, fitting: taken.pages };
    });
  }

  /** Learn how many pages of a restored document fit. */
  async #fit(conversation: string, key: number, attachment: string): Promise<void> {
    try {
      const { fitting } = await this.#commands.fitAttachment({ conversation, attachment });
      const list = this.pending(conversation);
      list.value = list.value.map((each) => (each.key === key ? { ...each, fitting } : each));
    } catch (thrown) {
      errorOf(thrown); // it is gone: sending says so
    }
  }

  /** Return the accepted files of an unsent message. */
  taken(conversation: string): Attachment[] {
    return this.pending(conversation).value.flatMap(({ taken }) => taken ?? []);
  }

  async add(conversation: string, files: readonly File[]): Promise<void> {
    await Promise.all(files.map((file) => this.#add(conversation, file)));
  }

  async #add(conversation: string, file: File): Promise<void> {
    if (file.size > LARGEST_FILE) return this.refuse("too_large", file.name);
    if (file.type === "text/plain" && file.size > LARGEST_TEXT) return this.refuse("text_too_large", file.name);
    await this.#send(conversation, file.name, () => packFile(file));
  }

  /** Add files dropped on the pet, which are packed already. */
  async addGiven(conversation: string, files: readonly GivenFile[]): Promise<void> {
    await Promise.all(files.map((file) => this.#send(conversation, file.name, () => Promise.resolve(file))));
  }

  async #send(conversation: string, name: string, pack: () => Promise<GivenFile>): Promise<void> {
    const list = this.pending(conversation);
    if (list.value.length >= MOST_FILES) return this.refuse("too_many", name);
    this.#made += 1;
    const key = this.#made;
    list.value = [...list.value, { key, name, taken: null, fitting: 0 }];
    const file = await pack().catch(() => null);
    if (file === null) {
      this.#drop(conversation, key);
      return this.refuse("unreadable", name);
    }
    try {
      const { files } = await this.#commands.addAttachment({ conversation, file });
      if (!list.value.some((each) => each.key === key)) {
        for (const { attachment } of files) this.#discard(attachment);
        return;
      }
      // A document without text comes as several pictures.
      const added = files.map(({ attachment: taken, fitting }, place) => {
        if (place > 0) this.#made += 1;
        return { key: place > 0 ? this.#made : key, name: taken.name, taken, fitting };
      });
      list.value = list.value.flatMap((each) => (each.key === key ? added : [each])).slice(0, MOST_FILES);
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

  /** Set the pages of a document that go along, such as "1-40"; "" for those that answer the message. */
  choosePages(conversation: string, key: number, sent: string): void {
    const list = this.pending(conversation);
    list.value = list.value.map((each) =>
      each.key === key && each.taken ? { ...each, taken: { ...each.taken, sent } } : each,
    );
    this.#changed();
  }

  /** Remove all files of a deleted conversation. */
  clear(conversation: string): void {
    for (const { key } of this.pending(conversation).value) this.remove(conversation, key);
  }

  #drop(conversation: string, key: number): void {
    const list = this.pending(conversation);
    list.value = list.value.filter((each) => each.key !== key);
    this.#changed();
  }

  /** Discard a file in the core, unless another unsent message has it. */
  #discard({ id }: Attachment): void {
    for (const list of this.#pending.values()) if (list.value.some(({ taken }) => taken?.id === id)) return;
    void this.#commands.discardAttachment({ attachment: id }).catch(errorOf);
  }

  /** Take the pending files for sending. */
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

  /** Return a small copy of a sent file; null while it loads. */
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

  /** Return a sent file, or null if it is gone. */
  async read(attachment: string, whole: boolean): Promise<AttachmentView | null> {
    try {
      return await this.#commands.readAttachment({ attachment, whole });
    } catch (thrown) {
      errorOf(thrown); // nothing to show, whatever the error
      return null;
    }
  }
}

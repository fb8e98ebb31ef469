/** Notices above every view: errors stay until they are dismissed, confirmations go by themselves. */
import { signal } from "@preact/signals";
import type { ArgsOf, ErrorInfo } from "../bindings";
import { errorOf, errorText } from "../texts";

/** One of the program's folders, by name. */
type Folder = NonNullable<ArgsOf<"open_folder">["place"]>;

export interface Notice {
  id: number;
  error: ErrorInfo | null;
  text: string;
  /** a confirmation, which closes by itself */
  goes: boolean;
  /** the folder that the notice offers to open */
  opens: Folder | null;
}

export class Notices {
  /** at most three, oldest first */
  readonly list = signal<Notice[]>([]);
  #count = 0;

  /**
   * Run `action`. A failure becomes a notice, and null is returned.
   *
   *     const saved = await store.notices.attempt(() => store.commands.saveConnection(draft));
   *     if (saved === null) return;
   */
  async attempt<T>(action: () => Promise<T>): Promise<T | null> {
    try {
      return await action();
    } catch (thrown) {
      this.notify("", errorOf(thrown));
      return null;
    }
  }

  /** Show a notice until it is dismissed; returns its id. */
  notify(text: string, error: ErrorInfo | null = null): number {
    this.#show({ error, text, goes: false, opens: null });
    return this.#count;
  }

  /** Show a confirmation; `opens`: the folder in which the result is. */
  tell(text: string, opens: Folder | null = null): void {
    this.#show({ error: null, text, goes: true, opens });
  }

  /** A notice with the same words is replaced: on a full disk every save fails. */
  #show(notice: Omit<Notice, "id">): void {
    this.#count += 1;
    const others = this.list.value.filter((each) => words(each) !== words(notice));
    this.list.value = [...others.slice(-2), { id: this.#count, ...notice }];
  }

  dismiss(id: number): void {
    this.list.value = this.list.value.filter((notice) => notice.id !== id);
  }
}

const words = (notice: Omit<Notice, "id">) => (notice.error ? errorText(notice.error) : notice.text);

/**
 * Where the owner stands in the page, what is asked of the view in front, and what is told above it. Knows no core:
 * what is shown there, and all that is done, belongs to the store.
 */
import { batch, signal } from "@preact/signals";
import type { ErrorInfo, OpenFolderArgs } from "../bindings";
import { errorOf, errorText } from "../texts";

export type View = "chat" | "settings" | "history";
export type Section = "soul" | "thinking" | "memory" | "pets" | "look" | "keys" | "quiet" | "privacy";

/** One of our folders, by name. */
export type Folder = NonNullable<OpenFolderArgs["place"]>;

export interface Notice {
  id: number;
  error: ErrorInfo | null;
  text: string;
  /** it only says that something was done: it goes by itself */
  goes: boolean;
  /** the folder in which that lies now */
  opens: Folder | null;
}

export class Standing {
  readonly view = signal<View>("chat");
  readonly section = signal<Section>("soul");
  /** the file in the editor of the settings */
  readonly file = signal("SOUL.md");
  readonly notices = signal<Notice[]>([]);
  /** counts up when the composer shall take the focus */
  readonly focus = signal(0);
  /** the turn that the chat shall bring into sight, until it did */
  readonly turnAsked = signal<{ conversation: string; turn: string } | null>(null);
  /** what is looked for in the open conversation; null: nothing, and no field for it */
  readonly finding = signal<string | null>(null);
  /** counts up when that field shall take the focus */
  readonly findAsked = signal(0);
  /** the tab whose title is being written */
  readonly renaming = signal<string | null>(null);
  /** who hears the next message in place of the model: the demo, while it asks */
  readonly told = signal<((text: string) => void) | null>(null);
  /** whether the list of keys is open */
  readonly keys = signal(false);
  /** whether what today took is shown */
  readonly counting = signal(false);
  #noticed = 0;

  /** Runs something that may fail; a failure becomes a notice, and null. */
  async attempt<T>(action: () => Promise<T>): Promise<T | null> {
    try {
      return await action();
    } catch (thrown) {
      this.notify("", errorOf(thrown));
      return null;
    }
  }

  notify(text: string, error: ErrorInfo | null = null): void {
    this.#show({ error, text, goes: false, opens: null });
  }

  /** What only says that something is done goes by itself. `opens`: where it was put. */
  tell(text: string, opens: Folder | null = null): void {
    this.#show({ error: null, text, goes: true, opens });
  }

  /** What is there already is not said twice: on a full disk every save fails. */
  #show(notice: Omit<Notice, "id">): void {
    this.#noticed += 1;
    const others = this.notices.value.filter((each) => words(each) !== words(notice));
    this.notices.value = [...others.slice(-2), { id: this.#noticed, ...notice }];
  }

  dismiss(id: number): void {
    this.notices.value = this.notices.value.filter((notice) => notice.id !== id);
  }

  askFocus(): void {
    this.focus.value += 1;
  }

  /** Opens the field that finds words in the conversation. */
  find(words = ""): void {
    batch(() => {
      this.finding.value = words || (this.finding.value ?? "");
      this.findAsked.value += 1;
    });
  }

  /** Back to the conversation. */
  toChat(): void {
    this.view.value = "chat";
    this.askFocus();
  }

  show(view: View): void {
    this.view.value = view;
  }

  openSettings(section: Section): void {
    batch(() => {
      this.section.value = section;
      this.view.value = "settings";
    });
  }
}

const words = (notice: Omit<Notice, "id">) => (notice.error ? errorText(notice.error) : notice.text);

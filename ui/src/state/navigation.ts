/** The owner's position in the page, and requests to the view in front. */
import { batch, signal } from "@preact/signals";

export type View = "chat" | "settings" | "history";
/** The pages of the settings. */
export type Section = "me" | "us" | "model" | "desktop" | "privacy";
/** A page below one of them; "" for none. */
export type Below = "" | "days" | "reminders" | "memory" | "sees" | "keys" | "advanced" | `extra_${string}`;

export class Navigation {
  readonly view = signal<View>("chat");
  readonly section = signal<Section>("me");
  readonly below = signal<Below>("");
  /** the file in the editor of the settings; "" while none is open */
  readonly file = signal("");
  /** counts up when the composer shall take the focus */
  readonly composerFocus = signal(0);
  /** the turn that the chat shall scroll to; null once it has */
  readonly targetTurn = signal<{ conversation: string; turn: string } | null>(null);
  /** the words in the Find bar of the open conversation; null: it is closed */
  readonly finding = signal<string | null>(null);
  /** counts up when the Find bar shall take the focus */
  readonly findFocus = signal(0);
  /** the tab whose title is being edited */
  readonly renaming = signal<string | null>(null);
  readonly keyMapOpen = signal(false);
  readonly usageOpen = signal(false);

  focusComposer(): void {
    this.composerFocus.value += 1;
  }

  /** Open the Find bar. */
  find(words = ""): void {
    batch(() => {
      this.finding.value = words || (this.finding.value ?? "");
      this.findFocus.value += 1;
    });
  }

  /** Return to the conversation. */
  toChat(): void {
    this.view.value = "chat";
    this.focusComposer();
  }

  show(view: View): void {
    this.view.value = view;
  }

  openSettings(section: Section, below: Below = ""): void {
    batch(() => {
      this.section.value = section;
      this.below.value = below;
      this.file.value = "";
      this.view.value = "settings";
    });
  }

  /** Open a file in the editor; a profile, memories and days belong to the page about owner and pet. */
  openFile(file: string, owned: boolean): void {
    const section = owned ? "us" : "me";
    batch(() => {
      this.openSettings(section, section === this.section.value ? this.below.value : "");
      this.file.value = file;
    });
  }
}

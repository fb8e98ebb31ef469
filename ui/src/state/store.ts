/**
 * What the page shows, as signals, and what happens to it: deliveries in, commands out.
 * Owns what each event means for the page. How it comes to what it shows is in session.ts, the open conversations are in
 * chat/open_tabs.ts, drafts in chat/tabs.ts, where the owner stands in navigation.ts, words and drawing elsewhere.
 */
import { batch, signal } from "@preact/signals";
import type { Delivery, PetEvent, WorkspaceChanged } from "../bindings";
import { noteDay, t } from "../texts";
import { dirty, type Editing } from "./editing";
import type { Place } from "./memory";
import { Session } from "./session";

export type { Section, View } from "./navigation";

export class Store extends Session {
  /** files that changed, for an open editor */
  readonly fileChange = signal<WorkspaceChanged | null>(null);
  /** the version that was heard of last, by file: several may change in one delivery */
  readonly #versions = new Map<string, string>();
  /** files under edit: unsaved text outlives the view */
  readonly edits = new Map<string, Editing>();
  /** counts up when one of them began or ceased to differ from its file */
  readonly unsaved = signal(0);

  /** What tells one state of these files from another, as far as the page heard of them. */
  versionsOf(which: (file: string) => boolean): string {
    void this.fileChange.value;
    return [...this.#versions].flatMap(([file, version]) => (which(file) ? version : [])).join(" ");
  }

  // --- events -----------------------------------------------------------------------------------

  deliver = (delivery: Delivery): void => {
    batch(() => {
      if (delivery.resync) void this.attempt(() => this.resync());
      for (const { seq, event } of delivery.events) this.#apply(seq, event);
    });
  };

  #apply(seq: number, event: PetEvent): void {
    this.held.hear(seq, event);
    this.memory.apply(event);
    this.minds.apply(event);
    this.moving.apply(event);
    switch (event.type) {
      case "conversation_changed":
        this.listed.value += 1;
        break;
      case "receipts_changed":
      case "variant_chosen":
        if (this.tabs.value.includes(event.conversation)) void this.load(event.conversation);
        break;
      case "turns_removed":
        if (!event.removed) void this.load(event.conversation);
        break;
      case "turn_ended":
        noteDay();
        this.listed.value += 1;
        this.summaries.turnEnded(event.conversation, event.error);
        break;
      case "conversation_deleted":
        this.listed.value += 1;
        this.attaching.clear(event.conversation);
        this.pictures.clear(event.conversation);
        this.forget(event.conversation);
        if (this.tabs.value.length === 0) void this.newTab();
        break;
      case "compaction_ended":
        this.summaries.ended(event.conversation, event.after_turn !== null, event.error);
        break;
      case "forgotten":
        this.#refetch(event.conversations);
        break;
      case "brain_paused":
        this.paused.value = event.paused;
        this.askAnew();
        break;
      case "settings_changed":
        this.settingsChange.value += 1;
        this.loadAnew();
        break;
      case "desktop_changed":
        this.desktopChange.value += 1;
        this.loadAnew(); // abilities come and go with a compositor or a tray
        if (event.error !== null) this.notify("", event.error);
        break;
      case "workspace_changed":
        this.#versions.set(event.file, event.version);
        this.fileChange.value = event;
        if (event.lost !== null) this.notify(t("ui.file.lost", { file: event.file }));
        break;
      case "chat_shown":
        // A search that was left is over: whoever opens the chat wants to say something. Settings may hold unsaved text.
        if (event.shown && this.view.value === "history") this.view.value = "chat";
        if (event.shown) this.askFocus();
        if (event.shown) noteDay();
        break;
      case "unread_changed":
        this.unread.value = new Set(event.conversations);
        this.askAnew();
        void this.bringBack(event.conversations);
        break;
      case "page_asked":
        this.view.value = event.view;
        break;
      case "skin_arriving":
        this.skinArriving.value = event;
        break;
      case "import_moved":
        if (event.phase === "done") this.listed.value += 1;
        break;
      case "dropped_on_pet":
        if (this.restored) void this.attempt(() => this.takeDropped());
        break;
      case "conversation_asked":
        if (this.restored) void this.openTab(event.conversation);
        break;
      default:
        break;
    }
  }

  /** What was forgotten must not stay on the screen, nor in a text that waits to be saved unchanged. */
  #refetch(ids: string[]): void {
    for (const [file, editing] of this.edits) if (!dirty(editing)) this.edits.delete(file);
    this.listed.value += 1;
    // A question that nobody answered yet is in no file, and may be what was forgotten.
    const asked = this.tabs.value.filter((id) => this.conversation(id).value?.opening);
    for (const id of new Set([...ids, ...asked])) {
      if (this.tabs.value.includes(id)) void this.load(id);
    }
  }

  // --- going there ------------------------------------------------------------------------------

  /** Where memories and conversations of other programs come in. */
  openMoving(): void {
    this.memory.tab.value = "moving";
    this.openSettings("memory");
  }

  openFile(file: string, place: Place | null = null): void {
    batch(() => {
      this.file.value = file;
      this.memory.place.value = place;
      this.openSettings("soul");
    });
  }

  /** Opens where something stands: in a log, in one of the pet's files, or in a conversation. */
  async openPlace(place: Place): Promise<void> {
    const conversation = /^conversations\/([^/]+)\.jsonl$/.exec(place.path)?.[1];
    if (conversation !== undefined) {
      await this.openTab(conversation);
      if (!this.isThere(conversation)) this.notify(t("ui.place.gone"));
      else if (place.turn !== null) this.turnAsked.value = { conversation, turn: place.turn };
    } else if (place.path.startsWith("memory/")) {
      batch(() => {
        this.memory.browse(place.path, place);
        this.openSettings("memory");
      });
    } else {
      this.openFile(place.path, place);
    }
  }
}

/**
 * What the page shows, as signals, and what happens to it: deliveries in, commands out.
 * Owns what each event means for the page; the open conversations are in chat/held_conversations.ts, tabs and drafts
 * in chat/tabs.ts, where the owner stands in navigation.ts, words and drawing elsewhere.
 */
import { batch, computed, effect, type Signal, signal } from "@preact/signals";
import type { AppState, Commands, Delivery, ErrorInfo, PetEvent, TabState, WorkspaceChanged } from "../bindings";
import { errorOf, language, noteDay, t } from "../texts";
import { type Conversation, runningTurn, type Turn } from "./chat/conversation";
import { HeldConversations } from "./chat/held_conversations";
import { RemotePictures } from "./chat/images";
import { Summaries } from "./chat/summaries";
import { Tabs } from "./chat/tabs";
import { ConnectionsState } from "./connections";
import { dirty, type Editing } from "./editing";
import { MemoryState, type Place } from "./memory";
import { MindsState } from "./minds";
import { MovingState } from "./moving";

export type { Section, View } from "./navigation";

/** The draft of a tab that is on its way. */
export const NEW = "";

interface Closed extends Omit<TabState, "attachments"> {
  /** its place among the tabs */
  at: number;
}

export class Store extends Tabs {
  readonly app = signal<AppState | null>(null);
  /** why there is nothing to show yet */
  readonly unstarted = signal<ErrorInfo | null>(null);
  readonly paused = signal(false);
  /** conversations that could not be read, and why */
  readonly unreadable = signal<ReadonlyMap<string, ErrorInfo>>(new Map());
  /** conversations that hold something nobody has seen */
  readonly unread = signal<ReadonlySet<string>>(new Set());
  /** counts up when the list of conversations may look different */
  readonly listed = signal(0);
  /** files that changed, for an open editor */
  readonly fileChange = signal<WorkspaceChanged | null>(null);
  /** the version that was heard of last, by file: several may change in one delivery */
  readonly #versions = new Map<string, string>();
  readonly settingsChange = signal(0);
  /** how far the skin is that is being downloaded */
  readonly skinArriving = signal<{ done: number; of: number | null } | null>(null);
  /** counts up when starting at login or the shortcuts for everywhere may be other ones */
  readonly desktopChange = signal(0);
  /** how many new tabs are on their way; what is written meanwhile belongs to the last of them */
  readonly opening = signal(0);
  /** files under edit: unsaved text outlives the view */
  readonly edits = new Map<string, Editing>();
  /** counts up when one of them began or ceased to differ from its file */
  readonly unsaved = signal(0);

  readonly memory: MemoryState;
  readonly minds: MindsState;
  readonly connections: ConnectionsState;
  readonly moving: MovingState;
  readonly pictures: RemotePictures;
  readonly #held: HeldConversations;
  readonly #closed: Closed[] = [];
  /** the tabs are there again; what came before that would be covered by them, and is asked for */
  #restored = false;
  /** the tab that was asked for last: one that comes later stays behind it */
  #wantedTab: string | null = null;
  /** the newest answer on its way */
  #appAsked: Promise<AppState> | null = null;
  readonly summaries = new Summaries({
    runs: (id) => {
      const held = this.conversation(id).value;
      return held !== null && runningTurn(held) !== undefined;
    },
    done: () => this.tell(t("ui.compact.done")),
    failed: (error) => this.notify("", error),
  });

  constructor(commands: Commands) {
    super(commands);
    this.#held = new HeldConversations(commands);
    this.memory = new MemoryState(commands);
    this.minds = new MindsState(commands);
    this.connections = new ConnectionsState(commands, () => this.loadApp());
    this.moving = new MovingState(commands);
    this.pictures = new RemotePictures(commands);
  }

  // --- reading ----------------------------------------------------------------------------------

  conversation(id: string): Signal<Conversation | null> {
    return this.#held.of(id);
  }

  /** What tells one state of these files from another, as far as the page heard of them. */
  versionsOf(which: (file: string) => boolean): string {
    void this.fileChange.value;
    return [...this.#versions].flatMap(([file, version]) => (which(file) ? version : [])).join(" ");
  }

  // --- starting ---------------------------------------------------------------------------------

  /** May be called again where the core did not answer. */
  async start(): Promise<void> {
    const app = await this.#begin();
    if (!app) return;
    await this.attempt(async () => {
      this.restoreTabs(app.tabs, app.active_tab);
      this.#restored = true;
      await Promise.all(app.tabs.map((tab) => this.#loadTab(tab.conversation)));
      await this.#bringBack(app.unread);
      await this.#doAsRequested();
      if (this.tabs.value.length === 0) await this.newTab();
      await this.#takeDropped();
      this.askFocus();
    });
    const seen = computed(() =>
      this.view.value === "chat" && this.app.value?.welcome === 0 ? this.active.value : null,
    );
    // The core marks what came where nobody looked.
    let told: Promise<unknown> = Promise.resolve();
    effect(() => {
      const conversation = seen.value;
      told = told.then(() => this.commands.lookAt({ conversation })).catch(errorOf); // in this order
    });
    await this.memory.start();
  }

  async #begin(): Promise<AppState | null> {
    try {
      const app = await this.loadApp();
      this.unstarted.value = null;
      return app;
    } catch (thrown) {
      this.unstarted.value = errorOf(thrown);
      return null;
    }
  }

  /** Only the newest answer counts: an older one may come after it, or after an event that it knows nothing of. */
  loadApp(): Promise<AppState> {
    const asked: Promise<AppState> = this.commands.getAppState().then((app) => {
      if (this.#appAsked === asked) return this.#holdApp(app);
      return this.#appAsked ?? this.app.value ?? app;
    });
    this.#appAsked = asked;
    return asked;
  }

  #holdApp(app: AppState): AppState {
    this.#appAsked = null;
    const spokenAnew = this.app.value !== null && app.language !== language.value;
    batch(() => {
      this.app.value = app;
      this.paused.value = app.paused;
      this.unread.value = new Set(app.unread);
      language.value = app.language;
    });
    if (spokenAnew) void this.memory.loadPromises(); // how one repeats is said in the owner's language
    return app;
  }

  /** An answer that is on its way may not know of what was just heard. */
  #askAnew(): void {
    if (this.#appAsked && this.app.value) void this.attempt(() => this.loadApp());
  }

  /** Once more, as its owner asks. */
  async reload(id: string): Promise<void> {
    await this.#loadTab(id);
  }

  /** One that can't be read must not keep the others away: its tab says so. */
  async #loadTab(id: string): Promise<void> {
    await this.attempt(() => this.load(id));
  }

  /** What came into a tab that was closed meanwhile brings it back, behind the others. */
  async #bringBack(unread: readonly string[]): Promise<void> {
    for (const id of unread) {
      if (this.tabs.value.includes(id)) continue;
      await this.attempt(() => this.load(id));
      if (!this.conversation(id).value || this.tabs.value.includes(id)) continue;
      this.#takeUp(id);
      this.addTab(id);
    }
  }

  /** Fetches a conversation; a tab whose conversation is gone closes. */
  async load(id: string): Promise<void> {
    try {
      await this.#held.fetch(id);
      this.#noteRead(id, null);
    } catch (thrown) {
      const error = errorOf(thrown);
      const gone = error.code === "unknown_conversation";
      this.#noteRead(id, gone ? null : error);
      if (!gone) throw thrown;
      this.#forget(id);
    }
  }

  #noteRead(id: string, error: ErrorInfo | null): void {
    const { value: before } = this.unreadable;
    if (error === null && !before.has(id)) return;
    const others = [...before].filter(([each]) => each !== id);
    this.unreadable.value = new Map(error === null ? others : [...others, [id, error]]);
  }

  /** Fetches what `load` left out. Events go on meanwhile: what is shown is not fetched again. */
  async loadEarlier(id: string): Promise<void> {
    await this.attempt(() => this.#held.fetchEarlier(id));
  }

  // --- events -----------------------------------------------------------------------------------

  deliver = (delivery: Delivery): void => {
    batch(() => {
      if (delivery.resync) void this.attempt(() => this.resync());
      for (const { seq, event } of delivery.events) this.#apply(seq, event);
    });
  };

  async resync(): Promise<void> {
    this.summaries.clear();
    const app = await this.loadApp();
    const { forgotten, pets } = this.memory;
    for (const count of [this.listed, forgotten, pets, this.settingsChange, this.desktopChange]) count.value += 1;
    this.skinArriving.value = null; // one that still comes says so again
    const tabs = this.tabs.value.map((id) => this.#loadTab(id));
    await Promise.all([...tabs, this.memory.start(), this.minds.resync(), this.moving.resync()]);
    await this.#bringBack(app.unread);
    await this.#takeDropped();
  }

  #apply(seq: number, event: PetEvent): void {
    this.#held.hear(seq, event);
    this.memory.apply(event);
    this.minds.apply(event);
    this.moving.apply(event);
    switch (event.type) {
      case "conversation_changed":
        this.listed.value += 1;
        break;
      case "receipts_changed":
      case "variant_chosen":
        if (this.tabs.value.includes(event.conversation)) void this.attempt(() => this.load(event.conversation));
        break;
      case "turns_removed":
        if (!event.removed) void this.attempt(() => this.load(event.conversation));
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
        this.#forget(event.conversation);
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
        this.#askAnew();
        break;
      case "settings_changed":
        this.settingsChange.value += 1;
        void this.attempt(() => this.loadApp());
        break;
      case "desktop_changed":
        this.desktopChange.value += 1;
        void this.attempt(() => this.loadApp()); // abilities come and go with a compositor or a tray
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
        this.#askAnew();
        void this.#bringBack(event.conversations);
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
        if (this.#restored) void this.attempt(() => this.#takeDropped());
        break;
      case "conversation_asked":
        if (this.#restored) void this.openTab(event.conversation);
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
      if (this.tabs.value.includes(id)) void this.attempt(() => this.load(id));
    }
  }

  /** Where memories and conversations of other programs come in. */
  openMoving(): void {
    this.memory.tab.value = "moving";
    this.openSettings("memory");
  }

  changeTurn(conversation: string, turn: string, alter: (turn: Turn) => Turn): void {
    this.#held.change(conversation, turn, alter);
  }

  // --- tabs -------------------------------------------------------------------------------------

  async newTab(temporary = false): Promise<void> {
    this.#wantedTab = null;
    this.opening.value += 1;
    this.askFocus();
    const view = await this.attempt(() => this.commands.newConversation(temporary ? { temporary } : {}));
    batch(() => {
      if (view) {
        this.#held.take(view);
        this.showTab(view.info.id);
      }
      this.opening.value -= 1;
      if (this.opening.value === 0) this.#takeWritten();
    });
  }

  /** A new tab with the conversation up to this turn. */
  async branch(conversation: string, turn: string): Promise<void> {
    const view = await this.attempt(() => this.commands.branchConversation({ conversation, turn }));
    if (!view) return;
    batch(() => {
      this.#held.take(view);
      this.showTab(view.info.id);
    });
    this.tell(t("ui.turn.branched"));
  }

  /** What was written before the new tab was there; without one it stays where its writer was. */
  #takeWritten(): void {
    const id = this.active.value;
    const written = this.draft(NEW).value;
    if (id === null || written === "") return;
    this.draft(NEW).value = "";
    this.setDraft(id, this.draft(id).value + written);
  }

  /** What was asked for before this page listened. */
  async #doAsRequested(): Promise<void> {
    const { view, conversation } = await this.commands.takeRequest();
    if (conversation !== null) await this.openTab(conversation);
    if (view !== null) this.view.value = view;
  }

  /** What was dropped on the pet goes into the message that is being written. */
  async #takeDropped(): Promise<void> {
    if (this.active.value === null) await this.newTab();
    const id = this.active.value;
    if (id === null) return;
    for (;;) {
      const { text, files, refused } = await this.commands.takeDropped();
      if (!text && files.length === 0 && refused.length === 0) return;
      const before = this.draft(id).value;
      if (text) this.setDraft(id, before.trim() ? `${before.trimEnd()}\n${text}` : text);
      for (const { problem, name } of refused) this.attaching.refuse(problem, name);
      await this.attaching.addGiven(id, files);
    }
  }

  async openTab(id: string): Promise<void> {
    this.#wantedTab = id;
    if (!this.conversation(id).value) await this.attempt(() => this.load(id));
    if (!this.#isThere(id)) return;
    this.#takeUp(id);
    if (this.#wantedTab === id) this.showTab(id);
    else if (!this.tabs.value.includes(id)) this.addTab(id);
  }

  /** Also one that can't be read now, as its tab says. */
  #isThere(id: string): boolean {
    return this.conversation(id).value !== null || this.unreadable.value.has(id);
  }

  /** What was being written in it when its tab was closed. */
  #takeUp(id: string): void {
    if (this.tabs.value.includes(id)) return;
    const at = this.#closed.findLastIndex((each) => each.conversation === id);
    const [last] = at < 0 ? [] : this.#closed.splice(at, 1);
    if (last) this.giveBack(id, last.draft);
  }

  closeTab(id: string): void {
    const info = this.conversation(id).value?.info;
    const draft = this.draft(id).value;
    // A temporary one is gone with its tab, and there is nothing to bring back of one that never began.
    if (!info?.temporary && (!info || info.turns > 0 || draft || this.attaching.taken(id).length > 0))
      this.#closed.push({ conversation: id, draft, scroll: this.scroll(id), at: this.tabs.value.indexOf(id) });
    this.#forget(id);
    if (this.unread.value.has(id)) void this.attempt(() => this.commands.markSeen({ conversation: id }));
    if (this.tabs.value.length === 0) void this.newTab();
  }

  /** The tab closed last, with what was being written in it. */
  async reopenTab(): Promise<void> {
    const last = this.#closed.pop();
    if (!last) return;
    const { conversation: id, draft, scroll, at } = last;
    if (!this.tabs.value.includes(id)) {
      await this.attempt(() => this.load(id));
      if (!this.#isThere(id)) return this.reopenTab(); // it was deleted since
      if (!this.tabs.value.includes(id)) this.putBack(id, at, draft, scroll);
    }
    this.showTab(id);
  }

  async renameTab(id: string, title: string): Promise<void> {
    const held = this.conversation(id).value;
    const wanted = title.trim();
    if (!held || !wanted || wanted === held.info.title) return;
    const done = await this.attempt(() => this.commands.renameConversation({ conversation: id, title: wanted }));
    if (done !== null) this.#held.setTitle(id, wanted);
  }

  #forget(id: string): void {
    if (this.dropTab(id)) this.#held.drop(id);
  }

  // --- going there ------------------------------------------------------------------------------

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
      if (!this.#isThere(conversation)) this.notify(t("ui.place.gone"));
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

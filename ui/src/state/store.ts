/**
 * What the page shows, as signals, and what happens to it: deliveries in, commands out.
 * Owns tabs, drafts and the open conversations; where the owner stands is in standing.ts, words and drawing elsewhere.
 */
import { batch, computed, effect, type Signal, signal } from "@preact/signals";
import type { AppState, Commands, Delivery, ErrorInfo, PetEvent, TabState, WorkspaceChanged } from "../bindings";
import { Heights } from "../chat/windowed";
import { dirty, type Editing } from "../settings/editing";
import { errorOf, language, t } from "../texts";
import { Attaching } from "./attaching";
import { type Conversation, change, conversationOf, fromView, reduce, type Turn, withEarlier } from "./conversation";
import { MemoryState, type Place } from "./memory";
import { RemotePictures } from "./pictures";
import { Standing } from "./standing";

export type { Section, View } from "./standing";

/** The draft of a tab that is on its way. */
export const NEW = "";

/** Turns that are fetched at once; the rest when they are shown. */
const AT_ONCE = 60;

interface Closed extends Omit<TabState, "attachments"> {
  /** its place among the tabs */
  at: number;
}

export class Store extends Standing {
  readonly app = signal<AppState | null>(null);
  /** why there is nothing to show yet */
  readonly unstarted = signal<ErrorInfo | null>(null);
  readonly tabs = signal<string[]>([]);
  readonly active = signal<string | null>(null);
  readonly paused = signal(false);
  /** conversations that hold something nobody has seen */
  readonly unread = signal<ReadonlySet<string>>(new Set());
  /** counts up when the list of conversations may look different */
  readonly listed = signal(0);
  /** files that changed, for an open editor */
  readonly fileChange = signal<WorkspaceChanged | null>(null);
  readonly settingsChange = signal(0);
  /** how far the skin is that is being downloaded */
  readonly skinArriving = signal<{ done: number; of: number | null } | null>(null);
  /** counts up when starting at login or the shortcuts for everywhere may be other ones */
  readonly desktopChange = signal(0);
  /** how many new tabs are on their way; what is written meanwhile belongs to the last of them */
  readonly opening = signal(0);
  /** conversations whose owner asked for a summary, and hears when it is there; others are made quietly */
  readonly summaryAsked = new Set<string>();
  /** files under edit: unsaved text outlives the view */
  readonly edits = new Map<string, Editing>();
  /** counts up when one of them began or ceased to differ from its file */
  readonly unsaved = signal(0);

  readonly commands: Commands;
  readonly memory: MemoryState;
  readonly attaching: Attaching;
  readonly pictures: RemotePictures;
  readonly #conversations = new Map<string, Signal<Conversation | null>>();
  readonly #drafts = new Map<string, Signal<string>>();
  readonly #scroll = new Map<string, number>();
  readonly #heights = new Map<string, Heights>();
  readonly #closed: Closed[] = [];
  /** events that came while their conversation was being fetched */
  readonly #early = new Map<string, { seq: number; event: PetEvent }[]>();
  /** conversations whose earlier turns are being fetched */
  readonly #reaching = new Set<string>();
  #saving: ReturnType<typeof setTimeout> | undefined;
  /** why the tabs could not be kept the last time, or not whole */
  #unsaved = "";

  constructor(commands: Commands) {
    super();
    this.commands = commands;
    this.memory = new MemoryState(commands);
    this.pictures = new RemotePictures(commands);
    this.attaching = new Attaching(
      commands,
      (error) => this.notify("", error),
      () => this.saveTabs(),
    );
  }

  // --- reading ----------------------------------------------------------------------------------

  conversation(id: string): Signal<Conversation | null> {
    return getOrMake(this.#conversations, id, () => signal<Conversation | null>(null));
  }

  draft(id: string): Signal<string> {
    return getOrMake(this.#drafts, id, () => signal(""));
  }

  scroll(id: string): number {
    return this.#scroll.get(id) ?? 0;
  }

  /** How tall the turns of a conversation were drawn. */
  heights(id: string): Heights {
    return getOrMake(this.#heights, id, () => new Heights());
  }

  // --- starting ---------------------------------------------------------------------------------

  /** May be called again where the core did not answer. */
  async start(): Promise<void> {
    const app = await this.#begin();
    if (!app) return;
    await this.attempt(async () => {
      for (const tab of app.tabs) {
        this.draft(tab.conversation).value = tab.draft;
        this.#scroll.set(tab.conversation, tab.scroll);
        this.attaching.restore(tab.conversation, tab.attachments);
      }
      const open = app.tabs.map((tab) => tab.conversation);
      batch(() => {
        this.tabs.value = open;
        this.active.value = app.active_tab ?? open[0] ?? null;
      });
      await Promise.all(open.map((id) => this.load(id)));
      await this.#bringBack(app.unread);
      if (this.tabs.value.length === 0) await this.newTab();
      this.askFocus();
    });
    const seen = computed(() =>
      this.view.value === "chat" && this.app.value?.welcome === 0 ? this.active.value : null,
    );
    // The core marks what came where nobody looked.
    effect(() => void this.commands.lookAt({ conversation: seen.value }).catch(errorOf));
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

  async loadApp(): Promise<AppState> {
    const app = await this.commands.getAppState();
    batch(() => {
      this.app.value = app;
      this.paused.value = app.paused;
      this.unread.value = new Set(app.unread);
      language.value = app.language;
    });
    return app;
  }

  /** What came into a tab that was closed meanwhile brings it back, behind the others. */
  async #bringBack(unread: readonly string[]): Promise<void> {
    for (const id of unread) {
      if (this.tabs.value.includes(id)) continue;
      await this.attempt(() => this.load(id));
      if (!this.conversation(id).value || this.tabs.value.includes(id)) continue;
      this.tabs.value = [...this.tabs.value, id];
      this.saveTabs();
    }
  }

  /** Fetches a conversation; a tab whose conversation is gone closes. */
  async load(id: string): Promise<void> {
    this.#early.set(id, []);
    try {
      // One that is here whole stays whole: who reads far up is not thrown to its end.
      const held = this.conversation(id).value;
      const whole = held?.earlier === 0 && held.turns.length > AT_ONCE;
      const view = await this.commands.openConversation({ conversation: id, ...(!whole && { newest: AT_ONCE }) });
      this.#take(fromView(view));
    } catch (thrown) {
      this.#early.delete(id);
      if (errorOf(thrown).code !== "unknown_conversation") throw thrown;
      this.#forget(id);
    }
  }

  /** Fetches what `load` left out. Events go on meanwhile: what is shown is not fetched again. */
  async loadEarlier(id: string): Promise<void> {
    const held = this.conversation(id);
    if (!held.value || held.value.earlier === 0 || this.#reaching.has(id)) return;
    this.#reaching.add(id);
    const whole = await this.attempt(() => this.commands.openConversation({ conversation: id }));
    this.#reaching.delete(id);
    if (whole && held.value) held.value = withEarlier(held.value, whole);
  }

  // --- events -----------------------------------------------------------------------------------

  deliver = (delivery: Delivery): void => {
    batch(() => {
      if (delivery.resync) void this.attempt(() => this.resync());
      for (const { seq, event } of delivery.events) this.#apply(seq, event);
    });
  };

  async resync(): Promise<void> {
    await this.loadApp();
    this.listed.value += 1;
    this.memory.forgotten.value += 1;
    await Promise.all([...this.tabs.value.map((id) => this.load(id)), this.memory.start()]);
  }

  #apply(seq: number, event: PetEvent): void {
    const id = conversationOf(event);
    if (id !== null) {
      const waiting = this.#early.get(id);
      const held = this.#conversations.get(id);
      if (waiting) waiting.push({ seq, event });
      else if (held?.value && seq > held.value.seq) held.value = { ...reduce(held.value, event), seq };
    }
    this.memory.apply(event);
    switch (event.type) {
      case "conversation_changed":
        this.listed.value += 1;
        void this.#retitle(event.conversation);
        break;
      case "turns_removed":
        if (!event.removed) void this.attempt(() => this.load(event.conversation));
        break;
      case "turn_ended":
        this.listed.value += 1;
        break;
      case "conversation_deleted":
        this.listed.value += 1;
        this.attaching.clear(event.conversation);
        this.pictures.clear(event.conversation);
        this.#forget(event.conversation);
        if (this.tabs.value.length === 0) void this.newTab();
        break;
      case "compaction_ended":
        if (event.error !== null) this.notify("", event.error);
        else if (event.after_turn !== null && this.summaryAsked.has(event.conversation))
          this.tell(t("ui.compact.done"));
        this.summaryAsked.delete(event.conversation);
        break;
      case "forgotten":
        this.#refetch(event.conversations);
        break;
      case "brain_paused":
        this.paused.value = event.paused;
        break;
      case "settings_changed":
        this.settingsChange.value += 1;
        void this.attempt(() => this.loadApp());
        break;
      case "desktop_changed":
        this.desktopChange.value += 1;
        if (event.error !== null) this.notify("", event.error);
        break;
      case "workspace_changed":
        this.fileChange.value = event;
        if (event.lost !== null) this.notify(t("ui.file.lost", { file: event.file }));
        break;
      case "chat_shown":
        if (event.shown) this.askFocus();
        break;
      case "unread_changed":
        this.unread.value = new Set(event.conversations);
        void this.#bringBack(event.conversations);
        break;
      case "page_asked":
        this.view.value = event.view;
        break;
      case "skin_arriving":
        this.skinArriving.value = event;
        break;
      case "dropped_on_pet":
        void this.attempt(() => this.#takeDropped());
        break;
      case "conversation_asked":
        void this.openTab(event.conversation);
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

  changeTurn(conversation: string, turn: string, alter: (turn: Turn) => Turn): void {
    const held = this.conversation(conversation);
    if (held.value) held.value = change(held.value, turn, alter);
  }

  #take(conversation: Conversation): void {
    const { id } = conversation.info;
    let taken = conversation;
    for (const { seq, event } of this.#early.get(id) ?? []) {
      if (seq > taken.seq) taken = { ...reduce(taken, event), seq };
    }
    this.#early.delete(id);
    const held = this.conversation(id);
    const known = new Set(taken.turns.map((turn) => turn.turn));
    const gone = held.value?.gone.filter(({ after }) => after === null || known.has(after)) ?? [];
    held.value = { ...taken, gone: [...gone, ...taken.gone] };
  }

  async #retitle(id: string): Promise<void> {
    const held = this.#conversations.get(id);
    if (!held?.value) return;
    const known = await this.attempt(() => this.commands.listConversations());
    const info = known?.conversations.find((each) => each.id === id);
    if (info && held.value) held.value = { ...held.value, info: { ...held.value.info, title: info.title } };
  }

  // --- tabs -------------------------------------------------------------------------------------

  async newTab(temporary = false): Promise<void> {
    this.opening.value += 1;
    this.askFocus();
    const view = await this.attempt(() => this.commands.newConversation(temporary ? { temporary } : {}));
    batch(() => {
      if (view) {
        this.#take(fromView(view));
        this.#show(view.info.id);
      }
      this.opening.value -= 1;
      if (this.opening.value === 0) this.#takeWritten();
    });
  }

  /** What was written before the new tab was there; without one it stays where its writer was. */
  #takeWritten(): void {
    const id = this.active.value;
    const written = this.draft(NEW).value;
    if (id === null || written === "") return;
    this.draft(NEW).value = "";
    this.setDraft(id, this.draft(id).value + written);
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
    if (!this.conversation(id).value) await this.attempt(() => this.load(id));
    if (this.conversation(id).value) this.#show(id);
  }

  #show(id: string): void {
    batch(() => {
      if (!this.tabs.value.includes(id)) this.tabs.value = [...this.tabs.value, id];
      if (this.active.value !== id) this.finding.value = null;
      this.active.value = id;
      this.view.value = "chat";
      this.askFocus();
    });
    this.saveTabs();
  }

  closeTab(id: string): void {
    const info = this.#conversations.get(id)?.value?.info;
    const draft = this.draft(id).value;
    // A temporary one is gone with its tab, and there is nothing to bring back of one that never began.
    if (info && !info.temporary && (info.turns > 0 || draft || this.attaching.taken(id).length > 0))
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
      if (!this.conversation(id).value) return this.reopenTab(); // it was deleted since
      this.draft(id).value = draft;
      this.#scroll.set(id, scroll);
      this.tabs.value = this.tabs.value.toSpliced(at, 0, id);
    }
    this.#show(id);
  }

  /** Puts a tab at another place among the others. */
  placeTab(id: string, at: number): void {
    const tabs = this.tabs.value;
    if (!tabs.includes(id) || tabs[at] === id || at < 0 || at >= tabs.length) return;
    this.tabs.value = tabs.filter((each) => each !== id).toSpliced(at, 0, id);
    this.saveTabs();
  }

  async renameTab(id: string, title: string): Promise<void> {
    const held = this.conversation(id);
    const wanted = title.trim();
    if (!held.value || !wanted || wanted === held.value.info.title) return;
    const done = await this.attempt(() => this.commands.renameConversation({ conversation: id, title: wanted }));
    if (done !== null && held.value) held.value = { ...held.value, info: { ...held.value.info, title: wanted } };
  }

  /** The next or the previous tab. */
  moveTab(by: 1 | -1): void {
    const tabs = this.tabs.value;
    const at = tabs.indexOf(this.active.value ?? "");
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next) this.#show(next);
  }

  #forget(id: string): void {
    const at = this.tabs.value.indexOf(id);
    if (at < 0) return;
    batch(() => {
      this.tabs.value = this.tabs.value.filter((each) => each !== id);
      if (this.active.value === id)
        this.active.value = this.tabs.value[Math.min(at, this.tabs.value.length - 1)] ?? null;
    });
    this.#conversations.delete(id);
    this.#drafts.delete(id);
    this.#heights.delete(id);
    this.saveTabs();
  }

  setDraft(id: string, text: string): void {
    this.draft(id).value = text;
    this.saveTabs();
  }

  setScroll(id: string, fromEnd: number): void {
    this.#scroll.set(id, fromEnd);
    this.saveTabs();
  }

  /** Soon, and once for many changes. */
  saveTabs(): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => void this.saveTabsNow(), 400);
  }

  async saveTabsNow(): Promise<void> {
    clearTimeout(this.#saving);
    const tabs: TabState[] = this.tabs.value.map((conversation) => ({
      conversation,
      draft: this.draft(conversation).value,
      scroll: this.scroll(conversation),
      attachments: this.attaching.taken(conversation),
    }));
    try {
      await this.commands.saveTabs({ tabs, active: this.active.value });
      this.#unsaved = "";
    } catch (thrown) {
      const error = errorOf(thrown);
      if (error.code !== this.#unsaved) this.notify("", error); // once, not at every key
      this.#unsaved = error.code;
    }
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
      if (!this.conversation(conversation).value) this.notify(t("ui.place.gone"));
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

function getOrMake<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}

/**
 * The page's state: one part for each subject, and here the program's own state, the start, and the events that concern
 * several parts. Draws nothing; texts come from the catalogues.
 */
import { batch, computed, effect, signal } from "@preact/signals";
import type { AppState, Commands, Delivery, ErrorInfo, GivenFile, PetEvent } from "../bindings";
import { errorOf, errorText, language, noteDay, t } from "../texts";
import { Attachments } from "./chat/attachments";
import { Conversations, Summaries } from "./chat/conversations";
import { Drafts, TabSaver } from "./chat/drafts";
import { RemotePictures } from "./chat/remote_pictures";
import { Tabs } from "./chat/tabs";
import { ConnectionsState } from "./connections";
import { OpenFiles } from "./editing";
import type { ExtraPage, MakeExtra, OtherPets, OwnModels } from "./extra";
import { MemoryState, type Place } from "./memory";
import { Navigation } from "./navigation";
import { Notices } from "./notices";

export class Store {
  readonly commands: Commands;
  readonly navigation = new Navigation();
  readonly notices = new Notices();
  readonly saver: TabSaver;
  readonly drafts: Drafts;
  readonly attachments: Attachments;
  readonly conversations: Conversations;
  readonly summaries: Summaries;
  readonly tabs: Tabs;
  readonly files = new OpenFiles();
  readonly memory: MemoryState;
  readonly connections: ConnectionsState;
  readonly pictures: RemotePictures;
  readonly extras: readonly ExtraPage[];

  // --- the program's state ----------------------------------------------------------------------

  readonly app = signal<AppState | null>(null);
  /** why the page could not start, or null */
  readonly unstarted = signal<ErrorInfo | null>(null);
  readonly paused = signal(false);
  /** counts up when the list of conversations may look different */
  readonly listed = signal(0);
  readonly settingsChange = signal(0);
  /** resolves once the last change of the settings was saved or refused */
  settingsSaved: Promise<unknown> = Promise.resolve();
  /** counts up when the start at login or a global shortcut may have changed */
  readonly desktopChange = signal(0);
  /** whether the saved tabs are restored; earlier requests would be covered by them, and are fetched at the start */
  #restored = false;
  /** reports the conversation in view once more; nothing until the page has started */
  #reportAgain: () => void = () => undefined;
  /** id of the notice that SOUL.md can't be used, 0 for none */
  #soulNotice = 0;
  /** the newest request for the app's state under way */
  #appRequest: Promise<AppState> | null = null;

  constructor(commands: Commands, extras: readonly MakeExtra[] = []) {
    this.commands = commands;
    const { notices, navigation } = this;
    this.saver = new TabSaver(commands, notices, () => ({
      tabs: this.tabs.ids.value.map((conversation) => ({
        conversation,
        draft: this.drafts.of(conversation).value,
        scroll: this.drafts.scroll(conversation),
        attachments: this.attachments.taken(conversation),
        pinned: this.tabs.pinned.value.has(conversation),
      })),
      active: this.tabs.active.value,
    }));
    const save = () => this.saver.soon();
    const { saver } = this;
    const drafts = new Drafts(save);
    const attachments = new Attachments(commands, (error) => notices.notify("", error), save);
    const conversations = new Conversations(commands, notices, (id) => this.tabs.drop(id));
    this.drafts = drafts;
    this.attachments = attachments;
    this.conversations = conversations;
    this.tabs = new Tabs({ commands, conversations, drafts, attachments, navigation, notices, saver });
    this.summaries = new Summaries(conversations, notices);
    this.memory = new MemoryState(commands);
    this.connections = new ConnectionsState(commands, () => this.loadApp());
    this.pictures = new RemotePictures(commands);
    this.extras = extras.map((make) => make(this));
  }

  /** The models on this computer; undefined without the extra that runs them. */
  get models(): OwnModels | undefined {
    return this.extras.find((each) => each.models)?.models;
  }

  /** The pets beside this one; undefined without the extra that lets them come. */
  get others(): OtherPets | undefined {
    return this.extras.find((each) => each.others)?.others;
  }

  // --- start ------------------------------------------------------------------------------------

  /** Whether there is something to show: the conversation in front, the first start, or why there is neither. */
  get drawable(): boolean {
    const { app, unstarted, tabs, conversations } = this;
    if (app.value === null) return unstarted.value !== null;
    return app.value.welcome > 0 || (tabs.active.value !== null && conversations.has(tabs.active.value));
  }

  /** Load everything the page shows. May be called again after a failure. */
  async start(): Promise<void> {
    const app = await this.#begin();
    if (!app) return;
    await this.notices.attempt(async () => {
      this.tabs.restore(app.tabs, app.active_tab);
      this.#restored = true;
      const front = this.tabs.active.value;
      if (front !== null) await this.conversations.load(front); // the first that is drawn
      const others = app.tabs.filter((tab) => tab.conversation !== front);
      await Promise.all(others.map((tab) => this.conversations.load(tab.conversation)));
      await this.tabs.reopenUnread(app.unread);
      await this.#takeRequest();
      if (this.tabs.ids.value.length === 0) await this.tabs.create();
      await this.#takeDropped();
      this.navigation.focusComposer();
    });
    this.#reportSeen();
    this.#reportFocus();
    await this.memory.start();
    await this.#reportSoul();
  }

  /** Announce that messages go out without SOUL.md, as long as it can't be used. */
  async #reportSoul(): Promise<void> {
    const file = "SOUL.md";
    const soul = await this.commands.readFile({ file }).catch(errorOf);
    if (!("problem" in soul)) return;
    this.notices.dismiss(this.#soulNotice);
    if (!soul.problem) return;
    const reason = errorText({ code: soul.problem, args: { file }, retryable: false });
    this.#soulNotice = this.notices.notify(t("ui.file.no_soul", { reason }));
  }

  /** Bring a lost file back, or begin it anew. */
  async settleLost(act: () => Promise<unknown>): Promise<void> {
    await this.notices.attempt(act);
    this.#reloadApp();
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

  /** Report the conversation in view, in order; the core marks what arrives elsewhere as unread. */
  #reportSeen(): void {
    const seen = computed(() =>
      this.navigation.view.value === "chat" && this.app.value?.welcome === 0 ? this.tabs.active.value : null,
    );
    let reports: Promise<unknown> = Promise.resolve();
    const report = (conversation: string | null) => {
      reports = reports.then(() => this.commands.setInFront({ conversation })).catch(errorOf);
    };
    effect(() => report(seen.value));
    this.#reportAgain = () => report(seen.value);
  }

  /** Report the window's focus, in order: a reminder that comes due shows as a bubble unless the chat has it. */
  #reportFocus(): void {
    let reports: Promise<unknown> = Promise.resolve();
    const report = () => {
      const focused = document.hasFocus();
      reports = reports.then(() => this.commands.setFocused({ focused })).catch(errorOf);
    };
    window.addEventListener("focus", report);
    window.addEventListener("blur", report);
    report();
  }

  /** Fetch the app's state. Only the newest answer counts: an older one may arrive after it, or after an event. */
  loadApp(): Promise<AppState> {
    const request: Promise<AppState> = this.commands.getAppState().then((app) => {
      if (this.#appRequest === request) return this.#holdApp(app);
      return this.#appRequest ?? this.app.value ?? app;
    });
    this.#appRequest = request;
    return request;
  }

  #holdApp(app: AppState): AppState {
    this.#appRequest = null;
    const otherLanguage = this.app.value !== null && app.language !== language.value;
    batch(() => {
      this.app.value = app;
      this.paused.value = app.paused;
      this.tabs.unread.value = new Set(app.unread);
      language.value = app.language;
    });
    if (otherLanguage) void this.memory.loadReminders(); // repetitions are worded in the owner's language
    return app;
  }

  /** Fetch the app's state again. A failed start is only repeated by the owner. */
  #reloadApp(): void {
    if (this.app.value || !this.unstarted.value) void this.notices.attempt(() => this.loadApp());
  }

  /** Repeat a request under way, whose answer may be older than the event just received. */
  #repeatAppRequest(): void {
    if (this.#appRequest) this.#reloadApp();
  }

  /** Do what was requested before the page received events. */
  async #takeRequest(): Promise<void> {
    const { view, conversation } = await this.commands.takeRequest();
    if (conversation !== null) await this.tabs.open(conversation);
    if (view !== null) this.navigation.view.value = view;
  }

  /** Put what was dropped on the pet into the message being written. */
  async #takeDropped(): Promise<void> {
    if (this.tabs.active.value === null) await this.tabs.create();
    const id = this.tabs.active.value;
    if (id === null) return;
    for (;;) {
      const { text, files, refused } = await this.commands.takeDropped();
      if (!text && files.length === 0 && refused.length === 0) return;
      const before = this.drafts.of(id).value;
      if (text) this.drafts.set(id, before.trim() ? `${before.trimEnd()}\n${text}` : text);
      for (const { problem, name } of refused) this.attachments.refuse(problem, name);
      const others: GivenFile[] = [];
      for (const file of files) if (!(await this.#isTaken(id, file))) others.push(file);
      await this.attachments.addGiven(id, others);
    }
  }

  /** Whether an extra takes a file, which then isn't attached. */
  async #isTaken(conversation: string, file: GivenFile): Promise<boolean> {
    for (const each of this.extras) if (await each.takesDropped?.(conversation, file)) return true;
    return false;
  }

  /** Be silent at once. Return whether anything sounded. */
  hush(): boolean {
    const sounds = this.extras.some((each) => each.sounds?.());
    if (sounds) void this.notices.attempt(() => this.commands.hush());
    return sounds;
  }

  /** Fetch everything again, after events were lost. */
  async resync(): Promise<void> {
    if (this.unstarted.value) return;
    this.summaries.clear();
    const app = await this.loadApp();
    const { forgotten, pets } = this.memory;
    for (const count of [this.listed, forgotten, pets, this.settingsChange, this.desktopChange]) count.value += 1;
    const tabs = this.tabs.ids.value.map((id) => this.conversations.load(id));
    await Promise.all([...tabs, this.memory.start(), ...this.extras.map((each) => each.resync?.())]);
    await this.tabs.reopenUnread(app.unread);
    await this.#takeDropped();
  }

  // --- events -----------------------------------------------------------------------------------

  deliver = (delivery: Delivery): void => {
    batch(() => {
      if (delivery.resync) void this.notices.attempt(() => this.resync());
      for (const { seq, event } of delivery.events) this.#apply(seq, event);
    });
  };

  #apply(seq: number, event: PetEvent): void {
    this.conversations.apply(seq, event);
    this.memory.apply(event);
    for (const each of this.extras) each.onEvent?.(event);
    switch (event.type) {
      case "conversation_changed":
        this.listed.value += 1;
        break;
      case "receipts_changed":
      case "variant_chosen":
        if (this.tabs.ids.value.includes(event.conversation)) void this.conversations.load(event.conversation);
        break;
      case "turns_removed":
        if (!event.removed) void this.conversations.load(event.conversation);
        break;
      case "turn_ended":
        noteDay();
        this.listed.value += 1;
        // Not while the owner reads what would be dropped.
        if (this.drafts.scroll(event.conversation) === 0 && this.navigation.finding.value === null)
          this.conversations.trim(event.conversation);
        this.summaries.turnEnded(event.conversation, event.error);
        break;
      case "conversation_deleted":
        this.listed.value += 1;
        this.attachments.clear(event.conversation);
        this.pictures.clear(event.conversation);
        this.tabs.drop(event.conversation);
        if (this.tabs.ids.value.length === 0) void this.tabs.create();
        break;
      case "compaction_ended":
        this.summaries.ended(event.conversation, event.after_turn !== null, event.error);
        break;
      case "forgotten":
        this.#refetch(event.conversations);
        break;
      case "memory_paused":
        this.paused.value = event.paused;
        this.#reloadApp(); // which says why
        break;
      case "settings_changed":
        this.settingsChange.value += 1;
        this.#reloadApp();
        break;
      case "desktop_changed":
        this.desktopChange.value += 1;
        this.#reloadApp(); // abilities come and go with a compositor or a tray
        if (event.error !== null) this.notices.notify("", event.error);
        break;
      case "workspace_changed":
        this.files.apply(event);
        if (event.file === "SOUL.md") void this.#reportSoul();
        if (event.version === "missing" || this.app.value?.lost_files.some(({ file }) => file === event.file)) {
          this.#reloadApp();
        }
        if (event.lost !== null) this.notices.notify(t("ui.file.lost", { file: event.file }));
        break;
      case "chat_shown":
        if (event.shown) this.#chatShown();
        break;
      case "unread_changed":
        this.tabs.unread.value = new Set(event.conversations);
        this.#repeatAppRequest();
        void this.tabs.reopenUnread(event.conversations);
        break;
      case "page_asked":
        if (event.view === "chat") this.navigation.toChat();
        else this.navigation.view.value = event.view;
        break;
      case "dropped_on_pet":
        if (this.#restored) void this.notices.attempt(() => this.#takeDropped());
        break;
      case "conversation_asked":
        if (this.#restored) void this.tabs.open(event.conversation);
        break;
      default:
        break;
    }
  }

  /** Return from the history, but not from the settings, which may hold unsaved text. */
  #chatShown(): void {
    if (this.navigation.view.value === "history") this.navigation.view.value = "chat";
    this.navigation.focusComposer();
    noteDay();
    // Again once this is painted: at another pet's place the chat is seen from then on.
    requestAnimationFrame(() => requestAnimationFrame(() => this.#reportAgain()));
  }

  /** Fetch again what may show forgotten text. */
  #refetch(ids: string[]): void {
    this.files.dropClean();
    this.listed.value += 1;
    // The pet's unanswered opening is in no file, and may be what was forgotten.
    const opened = this.tabs.ids.value.filter((id) => this.conversations.of(id).value?.opening);
    for (const id of new Set([...ids, ...opened])) {
      if (this.tabs.ids.value.includes(id)) void this.conversations.load(id);
    }
  }

  // --- opening places ---------------------------------------------------------------------------

  /** Open one of the pet's files in the editor. */
  openFile(file: string, place: Place | null = null): void {
    batch(() => {
      this.memory.place.value = place;
      this.navigation.openFile(file, file === "USER.md" || file === "MEMORY.md" || file.startsWith("memory/"));
    });
  }

  /** Open what the pet knows at a place of its memory files, with where it comes from; `snippet`: what stood there. */
  openWhy(place: Place, snippet: string): void {
    batch(() => {
      this.memory.asked.value = { ...place, snippet };
      this.navigation.openSettings("us");
    });
  }

  /** Open a place in a log, in one of the pet's files, or in a conversation. */
  async openPlace(place: Place): Promise<void> {
    const conversation = /^conversations\/([^/]+)\.jsonl$/.exec(place.path)?.[1];
    if (conversation !== undefined) {
      await this.tabs.open(conversation);
      if (!this.conversations.has(conversation)) this.notices.notify(t("ui.place.gone"));
      else if (place.turn !== null) this.navigation.targetTurn.value = { conversation, turn: place.turn };
    } else if (place.path.startsWith("memory/")) {
      batch(() => {
        this.memory.browse(place.path, place);
        this.navigation.openSettings("us", "days");
      });
    } else {
      this.openFile(place.path, place);
    }
  }
}

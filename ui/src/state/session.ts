/**
 * The page's frame, and how it comes to what it shows: at its start, and again after events were lost. Only the newest
 * answer counts, and what was asked for before the page listened is done once its tabs are there.
 */
import { batch, computed, effect, signal } from "@preact/signals";
import type { AppState, Commands, ErrorInfo } from "../bindings";
import { errorOf, language, t } from "../texts";
import { runningTurn } from "./chat/conversation";
import { OpenTabs } from "./chat/open_tabs";
import { RemotePictures } from "./chat/remote_pictures";
import { Summaries } from "./chat/summaries";
import { ConnectionsState } from "./connections";
import { MovingState } from "./imports";
import { MemoryState } from "./memory";
import { MindsState } from "./minds";

export class Session extends OpenTabs {
  readonly app = signal<AppState | null>(null);
  /** why there is nothing to show yet */
  readonly unstarted = signal<ErrorInfo | null>(null);
  readonly paused = signal(false);
  /** counts up when the list of conversations may look different */
  readonly listed = signal(0);
  readonly settingsChange = signal(0);
  /** how far the skin is that is being downloaded */
  readonly skinArriving = signal<{ done: number; of: number | null } | null>(null);
  /** counts up when starting at login or the shortcuts for everywhere may be other ones */
  readonly desktopChange = signal(0);

  readonly memory: MemoryState;
  readonly minds: MindsState;
  readonly connections: ConnectionsState;
  readonly moving: MovingState;
  readonly pictures: RemotePictures;
  /** the tabs are there again; what came before that would be covered by them, and is asked for */
  protected restored = false;
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
    this.memory = new MemoryState(commands);
    this.minds = new MindsState(commands);
    this.connections = new ConnectionsState(commands, () => this.loadApp());
    this.moving = new MovingState(commands);
    this.pictures = new RemotePictures(commands);
  }

  /** May be called again where the core did not answer. */
  async start(): Promise<void> {
    const app = await this.#begin();
    if (!app) return;
    await this.attempt(async () => {
      this.restoreTabs(app.tabs, app.active_tab);
      this.restored = true;
      await Promise.all(app.tabs.map((tab) => this.load(tab.conversation)));
      await this.bringBack(app.unread);
      await this.#doAsRequested();
      if (this.tabs.value.length === 0) await this.newTab();
      await this.takeDropped();
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
    this.#reportFocus();
    await this.memory.start();
  }

  /** A reminder that comes due shows as a bubble unless the chat has the focus. */
  #reportFocus(): void {
    let told: Promise<unknown> = Promise.resolve();
    const report = () => {
      const focused = document.hasFocus();
      told = told.then(() => this.commands.setFocused({ focused })).catch(errorOf); // in this order
    };
    window.addEventListener("focus", report);
    window.addEventListener("blur", report);
    report();
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

  /** It may be another one by now; of a start that failed its owner says when it is tried again. */
  protected loadAnew(): void {
    if (this.app.value || !this.unstarted.value) void this.attempt(() => this.loadApp());
  }

  /** An answer that is on its way may not know of what was just heard. */
  protected askAnew(): void {
    if (this.#appAsked) this.loadAnew();
  }

  /** What was asked for before this page listened. */
  async #doAsRequested(): Promise<void> {
    const { view, conversation } = await this.commands.takeRequest();
    if (conversation !== null) await this.openTab(conversation);
    if (view !== null) this.view.value = view;
  }

  /** What was dropped on the pet goes into the message that is being written. */
  protected async takeDropped(): Promise<void> {
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

  async resync(): Promise<void> {
    if (this.unstarted.value) return;
    this.summaries.clear();
    const app = await this.loadApp();
    const { forgotten, pets } = this.memory;
    for (const count of [this.listed, forgotten, pets, this.settingsChange, this.desktopChange]) count.value += 1;
    this.skinArriving.value = null; // one that still comes says so again
    const tabs = this.tabs.value.map((id) => this.load(id));
    await Promise.all([...tabs, this.memory.start(), this.minds.resync(), this.moving.resync()]);
    await this.bringBack(app.unread);
    await this.takeDropped();
  }
}

/**
 * The tabs with their conversations: reading them, opening, closing and bringing back, and what was being written in
 * them. Says nothing of when; the events are the store's.
 */
import { batch, type Signal, signal } from "@preact/signals";
import type { Commands, ErrorInfo, TabState } from "../../bindings";
import { errorOf, t } from "../../texts";
import type { Conversation, Turn } from "./conversation";
import { HeldConversations } from "./held_conversations";
import { Tabs } from "./tabs";

/** The draft of a tab that is on its way. */
export const NEW = "";

interface Closed extends Omit<TabState, "attachments"> {
  /** its place among the tabs */
  at: number;
}

export class OpenTabs extends Tabs {
  /** conversations that could not be read, and why */
  readonly unreadable = signal<ReadonlyMap<string, ErrorInfo>>(new Map());
  /** conversations that hold something nobody has seen */
  readonly unread = signal<ReadonlySet<string>>(new Set());
  /** how many new tabs are on their way; what is written meanwhile belongs to the last of them */
  readonly opening = signal(0);
  protected readonly held: HeldConversations;
  readonly #closed: Closed[] = [];
  /** the tab that was asked for last: one that comes later stays behind it */
  #wantedTab: string | null = null;

  constructor(commands: Commands) {
    super(commands);
    this.held = new HeldConversations(commands);
  }

  // --- reading ----------------------------------------------------------------------------------

  conversation(id: string): Signal<Conversation | null> {
    return this.held.of(id);
  }

  /** Fetches a conversation. A tab whose conversation is gone closes; one that can't be read says so. */
  async load(id: string): Promise<void> {
    try {
      await this.held.fetch(id);
      this.#noteRead(id, null);
    } catch (thrown) {
      const error = errorOf(thrown);
      const gone = error.code === "unknown_conversation";
      this.#noteRead(id, gone ? null : error);
      if (gone) this.forget(id);
      else this.notify("", error);
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
    await this.attempt(() => this.held.fetchEarlier(id));
  }

  changeTurn(conversation: string, turn: string, alter: (turn: Turn) => Turn): void {
    this.held.change(conversation, turn, alter);
  }

  /** What came into a tab that was closed meanwhile brings it back, behind the others. */
  protected async bringBack(unread: readonly string[]): Promise<void> {
    for (const id of unread) {
      if (this.tabs.value.includes(id)) continue;
      await this.load(id);
      if (!this.conversation(id).value || this.tabs.value.includes(id)) continue;
      this.#takeUp(id);
      this.addTab(id);
    }
  }

  // --- opening and closing ----------------------------------------------------------------------

  async newTab(temporary = false): Promise<void> {
    this.#wantedTab = null;
    this.opening.value += 1;
    this.askFocus();
    const view = await this.attempt(() => this.commands.newConversation(temporary ? { temporary } : {}));
    batch(() => {
      if (view) {
        this.held.take(view);
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
      this.held.take(view);
      this.showTab(view.info.id);
    });
    this.tell(t("ui.turn.branched"));
  }

  override moveTab(by: 1 | -1): void {
    this.#wantedTab = null;
    super.moveTab(by);
  }

  /** What was written before the new tab was there; without one it stays where its writer was. */
  #takeWritten(): void {
    const id = this.active.value;
    const written = this.draft(NEW).value;
    if (id === null || written === "") return;
    this.draft(NEW).value = "";
    this.setDraft(id, this.draft(id).value + written);
  }

  async openTab(id: string): Promise<void> {
    this.#wantedTab = id;
    if (!this.conversation(id).value) await this.load(id);
    if (!this.isThere(id)) return;
    this.#takeUp(id);
    if (this.#wantedTab === id) this.showTab(id);
    else if (!this.tabs.value.includes(id)) this.addTab(id);
  }

  /** Also one that can't be read now, as its tab says. */
  protected isThere(id: string): boolean {
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
    this.forget(id);
    if (this.unread.value.has(id)) void this.attempt(() => this.commands.markSeen({ conversation: id }));
    if (this.tabs.value.length === 0) void this.newTab();
  }

  /** The tab closed last, with what was being written in it. */
  async reopenTab(): Promise<void> {
    const last = this.#closed.pop();
    if (!last) return;
    const { conversation: id, draft, scroll, at } = last;
    if (!this.tabs.value.includes(id)) {
      await this.load(id);
      if (!this.isThere(id)) return this.reopenTab(); // it was deleted since
      if (!this.tabs.value.includes(id)) this.putBack(id, at, draft, scroll);
    }
    this.showTab(id);
  }

  async renameTab(id: string, title: string): Promise<void> {
    const held = this.conversation(id).value;
    const wanted = title.trim();
    if (!held || !wanted || wanted === held.info.title) return;
    const done = await this.attempt(() => this.commands.renameConversation({ conversation: id, title: wanted }));
    if (done !== null) this.held.setTitle(id, wanted);
  }

  protected forget(id: string): void {
    if (this.dropTab(id)) this.held.drop(id);
  }
}

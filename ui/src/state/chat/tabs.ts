/** The open tabs: their order, the one in front, opening, closing and restoring. Conversations are elsewhere. */
import { batch, signal } from "@preact/signals";
import type { Commands, TabState } from "../../bindings";
import { t } from "../../texts";
import { getOrMake } from "../get_or_make";
import type { Navigation } from "../navigation";
import type { Notices } from "../notices";
import type { Attachments } from "./attachments";
import type { Conversations } from "./conversations";
import { type Drafts, NEW, type TabSaver } from "./drafts";
import { Heights } from "./virtual_list";

interface Parts {
  commands: Commands;
  conversations: Conversations;
  drafts: Drafts;
  attachments: Attachments;
  navigation: Navigation;
  notices: Notices;
  saver: TabSaver;
}

interface Closed extends Pick<TabState, "conversation" | "draft" | "scroll"> {
  /** its index among the tabs */
  at: number;
}

export class Tabs {
  /** ids of the open conversations, in order */
  readonly ids = signal<string[]>([]);
  readonly active = signal<string | null>(null);
  /** those that stay before the others */
  readonly pinned = signal<ReadonlySet<string>>(new Set());
  /** conversations with something unseen */
  readonly unread = signal<ReadonlySet<string>>(new Set());
  /** number of tabs being created; what is typed meanwhile belongs to the last of them */
  readonly opening = signal(0);
  readonly #parts: Parts;
  readonly #heights = new Map<string, Heights>();
  readonly #closed: Closed[] = [];
  /** the tab requested last: one that loads later opens behind it */
  #wanted: string | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Return the measured heights of a conversation's turns. */
  heights(id: string): Heights {
    return getOrMake(this.#heights, id, () => new Heights());
  }

  // --- order and front --------------------------------------------------------------------------

  /** Restore the saved tabs. */
  restore(saved: readonly TabState[], active: string | null): void {
    const { drafts, attachments } = this.#parts;
    for (const tab of saved) {
      drafts.restore(tab.conversation, tab.draft, tab.scroll);
      attachments.restore(tab.conversation, tab.attachments);
    }
    const open = saved.map((tab) => tab.conversation);
    batch(() => {
      this.pinned.value = new Set(saved.filter((tab) => tab.pinned).map((tab) => tab.conversation));
      this.ids.value = this.#sorted(open);
      this.active.value = active ?? open[0] ?? null;
    });
  }

  /** Bring a tab to the front; a new one is put last. */
  #show(id: string): void {
    const { navigation, saver } = this.#parts;
    batch(() => {
      if (!this.ids.value.includes(id)) this.ids.value = [...this.ids.value, id];
      if (this.active.value !== id) navigation.finding.value = null;
      this.active.value = id;
      navigation.toChat();
    });
    saver.soon();
  }

  /** Put a tab last, without bringing it to the front. */
  #append(id: string): void {
    this.ids.value = [...this.ids.value, id];
    this.#parts.saver.soon();
  }

  /** Move a tab to another index, among the pinned ones or among the others. */
  place(id: string, at: number): void {
    const ids = this.ids.value;
    if (!ids.includes(id) || ids[at] === id || at < 0 || at >= ids.length) return;
    this.ids.value = this.#sorted(ids.filter((each) => each !== id).toSpliced(at, 0, id));
    this.#parts.saver.soon();
  }

  /** Pin a tab, which puts it last of the pinned ones, or unpin it. */
  pin(id: string, pinned: boolean): void {
    const others = [...this.pinned.value].filter((each) => each !== id);
    batch(() => {
      this.pinned.value = new Set(pinned ? [...others, id] : others);
      this.ids.value = this.#sorted(this.ids.value);
    });
    this.#parts.saver.soon();
  }

  #sorted(ids: readonly string[]): string[] {
    const pinned = this.pinned.value;
    return [...ids.filter((id) => pinned.has(id)), ...ids.filter((id) => !pinned.has(id))];
  }

  /** Show the next (1) or previous (-1) tab. */
  cycle(by: 1 | -1): void {
    this.#wanted = null;
    const ids = this.ids.value;
    const at = ids.indexOf(this.active.value ?? "");
    const next = ids[(at + by + ids.length) % ids.length];
    if (next) this.#show(next);
  }

  // --- opening and closing ----------------------------------------------------------------------

  async create(temporary = false): Promise<void> {
    const { commands, conversations, navigation, notices } = this.#parts;
    this.#wanted = null;
    this.opening.value += 1;
    navigation.focusComposer();
    const view = await notices.attempt(() => commands.newConversation(temporary ? { temporary } : {}));
    batch(() => {
      if (view) {
        conversations.take(view);
        this.#show(view.info.id);
      }
      this.opening.value -= 1;
      if (this.opening.value === 0) this.#moveNewDraft();
    });
  }

  /** Move what was typed before the new tab was there into the tab in front. */
  #moveNewDraft(): void {
    const { drafts } = this.#parts;
    const id = this.active.value;
    const typed = drafts.of(NEW).value;
    if (id === null || typed === "") return;
    drafts.of(NEW).value = "";
    drafts.set(id, drafts.of(id).value + typed);
  }

  /** Open a new tab with the conversation up to `turn`. */
  async branch(conversation: string, turn: string): Promise<void> {
    const { commands, conversations, notices } = this.#parts;
    const view = await notices.attempt(() => commands.branchConversation({ conversation, turn }));
    if (!view) return;
    batch(() => {
      conversations.take(view);
      this.#show(view.info.id);
    });
    notices.tell(t("ui.turn.branched"));
  }

  /** Keep a temporary conversation: an ordinary one takes its place. */
  async keep(conversation: string): Promise<void> {
    const { commands, conversations, notices } = this.#parts;
    const view = await notices.attempt(() => commands.keepConversation({ conversation }));
    if (!view) return;
    batch(() => {
      conversations.take(view);
      this.#show(view.info.id);
      this.close(conversation);
    });
  }

  async open(id: string): Promise<void> {
    const { conversations } = this.#parts;
    this.#wanted = id;
    if (!conversations.of(id).value) await conversations.load(id);
    if (!conversations.has(id)) return;
    this.#restoreDraft(id);
    if (this.#wanted === id) this.#show(id);
    else if (!this.ids.value.includes(id)) this.#append(id);
  }

  /** Reopen closed tabs that received something unseen, behind the others. */
  async reopenUnread(unread: readonly string[]): Promise<void> {
    const { conversations } = this.#parts;
    for (const id of unread) {
      if (this.ids.value.includes(id)) continue;
      await conversations.load(id);
      if (!conversations.of(id).value || this.ids.value.includes(id)) continue;
      this.#restoreDraft(id);
      this.#append(id);
    }
  }

  /** Restore the draft that the tab had when it was closed. */
  #restoreDraft(id: string): void {
    if (this.ids.value.includes(id)) return;
    const at = this.#closed.findLastIndex((each) => each.conversation === id);
    const [last] = at < 0 ? [] : this.#closed.splice(at, 1);
    if (last) this.#parts.drafts.prepend(id, last.draft);
  }

  close(id: string): void {
    const { commands, conversations, drafts, attachments, notices } = this.#parts;
    const info = conversations.of(id).value?.info;
    const draft = drafts.of(id).value;
    // A temporary conversation ends with its tab; of an empty one there is nothing to reopen.
    if (!info?.temporary && (!info || info.turns > 0 || draft || attachments.taken(id).length > 0))
      this.#closed.push({ conversation: id, draft, scroll: drafts.scroll(id), at: this.ids.value.indexOf(id) });
    this.drop(id);
    if (this.unread.value.has(id)) void notices.attempt(() => commands.markSeen({ conversation: id }));
    if (this.ids.value.length === 0) void this.create();
  }

  /** Reopen the tab closed last, with its draft and at its index. */
  async reopen(): Promise<void> {
    const { conversations, drafts } = this.#parts;
    const last = this.#closed.pop();
    if (!last) return;
    const { conversation: id, draft, scroll, at } = last;
    if (!this.ids.value.includes(id)) {
      await conversations.load(id);
      if (!conversations.has(id)) return this.reopen(); // it was deleted since
      if (!this.ids.value.includes(id)) {
        drafts.prepend(id, draft);
        drafts.setScroll(id, scroll);
        this.ids.value = this.#sorted(this.ids.value.toSpliced(at, 0, id));
      }
    }
    this.#show(id);
  }

  async rename(id: string, title: string): Promise<void> {
    const { commands, conversations, notices } = this.#parts;
    const current = conversations.of(id).value;
    const wanted = title.trim();
    if (!current || !wanted || wanted === current.info.title) return;
    const done = await notices.attempt(() => commands.renameConversation({ conversation: id, title: wanted }));
    if (done !== null) conversations.setTitle(id, wanted);
  }

  /** Remove a tab, its draft and its conversation from the page. */
  drop(id: string): void {
    const { conversations, drafts, saver } = this.#parts;
    const at = this.ids.value.indexOf(id);
    if (at < 0) return;
    batch(() => {
      this.ids.value = this.ids.value.filter((each) => each !== id);
      this.pinned.value = new Set([...this.pinned.value].filter((each) => each !== id));
      if (this.active.value === id)
        this.active.value = this.ids.value[Math.min(at, this.ids.value.length - 1)] ?? null;
    });
    drafts.drop(id);
    this.#heights.delete(id);
    saver.soon();
    conversations.drop(id);
  }
}

/**
 * The conversations in the page: fetched once, then kept current by events. Events that arrive while a conversation is
 * being fetched are applied after it, each exactly once.
 */
import { type Signal, signal } from "@preact/signals";
import type { Commands, ConversationView, ErrorInfo, PetEvent } from "../../bindings";
import { errorOf, t } from "../../texts";
import { getOrMake } from "../get_or_make";
import type { Notices } from "../notices";
import {
  type Conversation,
  type ConversationEvent,
  change,
  fromView,
  type Gone,
  isOfConversation,
  reduce,
  runningTurn,
  type Turn,
  trimmed,
  withEarlier,
} from "./conversation";

/** Turns fetched at first; the rest when they are scrolled to. */
const AT_ONCE = 60;
/** Turns kept of a conversation whose end is in sight, so that it doesn't grow without end. */
const MOST = 2 * AT_ONCE;

type Events = { seq: number; event: ConversationEvent }[];

export class Conversations {
  /** conversations that could not be read, and why */
  readonly unreadable = signal<ReadonlyMap<string, ErrorInfo>>(new Map());
  readonly #commands: Commands;
  readonly #notices: Notices;
  readonly #gone: (id: string) => void;
  readonly #held = new Map<string, Signal<Conversation | null>>();
  /** events during each fetch of a conversation; fetches may overlap */
  readonly #early = new Map<string, Set<Events>>();
  /** the sequence number of the newest view taken, by conversation */
  readonly #taken = new Map<string, number>();
  /** conversations whose earlier turns are being fetched */
  readonly #reaching = new Set<string>();

  /** `gone`: called when a conversation turns out not to exist any more. */
  constructor(commands: Commands, notices: Notices, gone: (id: string) => void) {
    this.#commands = commands;
    this.#notices = notices;
    this.#gone = gone;
  }

  /** Return the conversation; null until it is fetched. */
  of(id: string): Signal<Conversation | null> {
    return getOrMake(this.#held, id, () => signal<Conversation | null>(null));
  }

  drop(id: string): void {
    this.#held.delete(id);
    this.#taken.delete(id);
  }

  /** Whether the page holds it, or knows why it can't be read. */
  has(id: string): boolean {
    return this.of(id).value !== null || this.unreadable.value.has(id);
  }

  /** Fetch a conversation. A failure is a notice and an entry in `unreadable`. */
  async load(id: string): Promise<void> {
    try {
      await this.#fetch(id);
      this.#noteRead(id, null);
    } catch (thrown) {
      const error = errorOf(thrown);
      const gone = error.code === "unknown_conversation";
      this.#noteRead(id, gone ? null : error);
      if (gone) this.#gone(id);
      else this.#notices.notify("", error);
    }
  }

  #noteRead(id: string, error: ErrorInfo | null): void {
    const { value: before } = this.unreadable;
    if (error === null && !before.has(id)) return;
    const others = [...before].filter(([each]) => each !== id);
    this.unreadable.value = new Map(error === null ? others : [...others, [id, error]]);
  }

  async #fetch(id: string): Promise<void> {
    const early: Events = [];
    const fetches = getOrMake(this.#early, id, () => new Set());
    fetches.add(early);
    try {
      // A conversation that is here whole stays whole, so that the scroll position stays.
      const before = this.of(id).value;
      const whole = before?.earlier === 0 && before.turns.length > AT_ONCE;
      const view = await this.#commands.openConversation({ conversation: id, ...(!whole && { newest: AT_ONCE }) });
      const held = this.of(id);
      // A later fetch was answered first: keep its result.
      if (held.value && view.seq < (this.#taken.get(id) ?? 0)) held.value = caughtUp(held.value, early);
      else this.take(view, early);
    } catch (thrown) {
      const held = this.#held.get(id);
      if (held?.value) held.value = caughtUp(held.value, early);
      throw thrown;
    } finally {
      fetches.delete(early);
      if (fetches.size === 0) this.#early.delete(id);
    }
  }

  /** Fetch the turns that `load` left out; turns already here are kept. */
  async loadEarlier(id: string): Promise<void> {
    const held = this.of(id);
    if (!held.value || held.value.earlier === 0 || this.#reaching.has(id)) return;
    this.#reaching.add(id);
    const whole = await this.#notices.attempt(() => this.#commands.openConversation({ conversation: id }));
    if (whole && held.value) held.value = withEarlier(held.value, whole);
    this.#reaching.delete(id);
  }

  /** Drop the first turns of a conversation that has become long; `loadEarlier` fetches them again. */
  trim(id: string): void {
    const held = this.#held.get(id);
    if (held?.value && held.value.turns.length > MOST) held.value = trimmed(held.value, MOST / 2);
  }

  /** Hold a fetched view, with the events that arrived during its fetch. */
  take(view: ConversationView, early: Events = []): void {
    const taken = caughtUp(fromView(view), early);
    const held = this.of(view.info.id);
    this.#taken.set(view.info.id, view.seq ?? 0);
    const known = new Set(taken.turns.map((turn) => turn.turn));
    const removed = new Set(taken.gone.flatMap(({ turns }) => turns));
    const stands = ({ after, turns }: Gone) =>
      (after === null || known.has(after)) && !turns.some((turn) => removed.has(turn));
    const gone = held.value?.gone.filter(stands) ?? [];
    held.value = { ...taken, gone: [...gone, ...taken.gone] };
  }

  apply(seq: number, event: PetEvent): void {
    if (!isOfConversation(event)) return;
    const id = event.conversation;
    const fetches = this.#early.get(id);
    const held = this.#held.get(id);
    if (fetches) for (const early of fetches) early.push({ seq, event });
    else if (held?.value) held.value = caughtUp(held.value, [{ seq, event }]);
  }

  changeTurn(id: string, turn: string, alter: (turn: Turn) => Turn): void {
    const held = this.of(id);
    if (held.value) held.value = change(held.value, turn, alter);
  }

  setTitle(id: string, title: string): void {
    const held = this.#held.get(id);
    if (held?.value) held.value = { ...held.value, info: { ...held.value.info, title } };
  }
}

/** Return the conversation with the events that are not in it yet. */
function caughtUp(conversation: Conversation, events: Events): Conversation {
  let now = conversation;
  for (const { seq, event } of events) if (seq > now.seq) now = { ...reduce(now, event), seq };
  return now;
}

/** Reports summaries of earlier turns: those the owner asked for, and failures that stop no reply. */
export class Summaries {
  /** conversations with a summary the owner asked for; others are made silently */
  readonly requested = new Set<string>();
  /** errors of summaries, until the turn that needed them has ended */
  readonly #failed = new Map<string, ErrorInfo>();
  readonly #conversations: Conversations;
  readonly #notices: Notices;

  constructor(conversations: Conversations, notices: Notices) {
    this.#conversations = conversations;
    this.#notices = notices;
  }

  clear(): void {
    this.#failed.clear();
  }

  /** `made`: older turns were replaced by a summary. */
  ended(conversation: string, made: boolean, error: ErrorInfo | null): void {
    if (error !== null) this.#fail(conversation, error);
    else if (made && this.requested.has(conversation)) this.#notices.tell(t("ui.compact.done"));
    this.requested.delete(conversation);
  }

  turnEnded(conversation: string, error: ErrorInfo | null): void {
    const failure = this.#failed.get(conversation);
    this.#failed.delete(conversation);
    if (failure && error === null) this.#notices.notify("", failure); // the reply came without the summary
  }

  /** While a reply runs, the failure may be that reply's own error, which is shown there. */
  #fail(conversation: string, error: ErrorInfo): void {
    const held = this.#conversations.of(conversation).value;
    if (held && runningTurn(held)) this.#failed.set(conversation, error);
    else this.#notices.notify("", error);
  }
}

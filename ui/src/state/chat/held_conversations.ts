/**
 * The conversations that the page holds: fetched, and from then on as the events say.
 * Owns their order: what happens while a conversation is being fetched counts after it, and nothing counts twice.
 */
import { type Signal, signal } from "@preact/signals";
import type { Commands, ConversationView, PetEvent } from "../../bindings";
import { getOrMake } from "../get_or_make";
import {
  type Conversation,
  change,
  conversationOf,
  fromView,
  type Gone,
  reduce,
  type Turn,
  withEarlier,
} from "./conversation";

/** Turns that are fetched at once; the rest when they are shown. */
const AT_ONCE = 60;

type Heard = { seq: number; event: PetEvent }[];

export class HeldConversations {
  readonly #commands: Commands;
  readonly #held = new Map<string, Signal<Conversation | null>>();
  /** events that came while their conversation was being fetched, for each fetch: two may overlap */
  readonly #early = new Map<string, Set<Heard>>();
  /** the number of the newest view of each that was taken */
  readonly #taken = new Map<string, number>();
  /** conversations whose earlier turns are being fetched */
  readonly #reaching = new Set<string>();

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  of(id: string): Signal<Conversation | null> {
    return getOrMake(this.#held, id, () => signal<Conversation | null>(null));
  }

  drop(id: string): void {
    this.#held.delete(id);
    this.#taken.delete(id);
  }

  async fetch(id: string): Promise<void> {
    const early: Heard = [];
    const fetches = getOrMake(this.#early, id, () => new Set());
    fetches.add(early);
    try {
      // One that is here whole stays whole: who reads far up is not thrown to its end.
      const before = this.of(id).value;
      const whole = before?.earlier === 0 && before.turns.length > AT_ONCE;
      const view = await this.#commands.openConversation({ conversation: id, ...(!whole && { newest: AT_ONCE }) });
      const held = this.of(id);
      // A later fetch was answered before: what it brought stays.
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

  /** Fetches what `fetch` left out. Events go on meanwhile: what is shown is not fetched again. */
  async fetchEarlier(id: string): Promise<void> {
    const held = this.of(id);
    if (!held.value || held.value.earlier === 0 || this.#reaching.has(id)) return;
    this.#reaching.add(id);
    try {
      const whole = await this.#commands.openConversation({ conversation: id });
      if (held.value) held.value = withEarlier(held.value, whole);
    } finally {
      this.#reaching.delete(id);
    }
  }

  take(view: ConversationView, early: Heard = []): void {
    const taken = caughtUp(fromView(view), early);
    const held = this.of(view.info.id);
    this.#taken.set(view.info.id, view.seq ?? 0);
    const known = new Set(taken.turns.map((turn) => turn.turn));
    const told = new Set(taken.gone.flatMap(({ turns }) => turns));
    const stands = ({ after, turns }: Gone) =>
      (after === null || known.has(after)) && !turns.some((turn) => told.has(turn));
    const gone = held.value?.gone.filter(stands) ?? [];
    held.value = { ...taken, gone: [...gone, ...taken.gone] };
  }

  hear(seq: number, event: PetEvent): void {
    const id = conversationOf(event);
    if (id === null) return;
    const fetches = this.#early.get(id);
    const held = this.#held.get(id);
    if (fetches) for (const early of fetches) early.push({ seq, event });
    else if (held?.value) held.value = caughtUp(held.value, [{ seq, event }]);
  }

  change(id: string, turn: string, alter: (turn: Turn) => Turn): void {
    const held = this.of(id);
    if (held.value) held.value = change(held.value, turn, alter);
  }

  setTitle(id: string, title: string): void {
    const held = this.#held.get(id);
    if (held?.value) held.value = { ...held.value, info: { ...held.value.info, title } };
  }
}

/** With the events that are not in it yet. */
function caughtUp(conversation: Conversation, heard: Heard): Conversation {
  let now = conversation;
  for (const { seq, event } of heard) if (seq > now.seq) now = { ...reduce(now, event), seq };
  return now;
}

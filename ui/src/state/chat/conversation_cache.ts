/**
 * The conversations that the page holds: fetched, and from then on as the events say.
 * Owns their order: what happens while a conversation is being fetched counts after it, and nothing counts twice.
 */
import { type Signal, signal } from "@preact/signals";
import type { Commands, ConversationView, PetEvent } from "../../bindings";
import { getOrMake } from "../get_or_make";
import { type Conversation, change, conversationOf, fromView, reduce, type Turn, withEarlier } from "./conversation";

/** Turns that are fetched at once; the rest when they are shown. */
const AT_ONCE = 60;

export class HeldConversations {
  readonly #commands: Commands;
  readonly #held = new Map<string, Signal<Conversation | null>>();
  /** events that came while their conversation was being fetched */
  readonly #early = new Map<string, { seq: number; event: PetEvent }[]>();
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
  }

  async fetch(id: string): Promise<void> {
    this.#early.set(id, []);
    try {
      // One that is here whole stays whole: who reads far up is not thrown to its end.
      const held = this.of(id).value;
      const whole = held?.earlier === 0 && held.turns.length > AT_ONCE;
      this.take(await this.#commands.openConversation({ conversation: id, ...(!whole && { newest: AT_ONCE }) }));
    } catch (thrown) {
      this.#early.delete(id);
      throw thrown;
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

  take(view: ConversationView): void {
    const { id } = view.info;
    let taken = fromView(view);
    for (const { seq, event } of this.#early.get(id) ?? []) {
      if (seq > taken.seq) taken = { ...reduce(taken, event), seq };
    }
    this.#early.delete(id);
    const held = this.of(id);
    const known = new Set(taken.turns.map((turn) => turn.turn));
    const gone = held.value?.gone.filter(({ after }) => after === null || known.has(after)) ?? [];
    held.value = { ...taken, gone: [...gone, ...taken.gone] };
  }

  hear(seq: number, event: PetEvent): void {
    const id = conversationOf(event);
    if (id === null) return;
    const waiting = this.#early.get(id);
    const held = this.#held.get(id);
    if (waiting) waiting.push({ seq, event });
    else if (held?.value && seq > held.value.seq) held.value = { ...reduce(held.value, event), seq };
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

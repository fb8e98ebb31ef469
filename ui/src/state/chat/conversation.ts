/**
 * One conversation in the page, and the reducer that folds events into it. Pure: no clock, no I/O; what did not
 * change keeps its identity, so that a delta re-renders one reply.
 */
import type {
  ConversationView,
  Divider,
  ErrorInfo,
  ExtraEvent,
  LeftView,
  PetEvent,
  RoundView,
  ToolView,
  TurnView,
} from "../../bindings";

export interface RetryWait {
  error: ErrorInfo;
  seconds: number;
  attempt: number;
}

export interface Turn extends TurnView {
  /** a failed request is retried soon */
  wait: RetryWait | null;
  /** characters of thinking in this round */
  thinking: number;
  /** "save it now" found nothing to write */
  noted: boolean;
}

/** Turns deleted while this tab was open, and the turn before their place, where Undo is shown. */
export interface Gone {
  turns: string[];
  after: string | null;
  /** their memory entries stay */
  noted: boolean;
}

export interface Conversation {
  info: ConversationView["info"];
  turns: Turn[];
  dividers: Divider[];
  damaged_lines: number;
  /** earlier messages are being summarised */
  compacting: boolean;
  /** the pet's question before the first message, or "" */
  opening: string;
  /** number of turns before the first one here, not fetched yet */
  earlier: number;
  /** turns were dropped here; they are fetched again when they are scrolled to */
  trimmed: boolean;
  gone: Gone[];
  seq: number;
}

const FRESH = { wait: null, thinking: 0, noted: false };

export function fromView(view: ConversationView): Conversation {
  return {
    ...view,
    opening: view.opening ?? "",
    dividers: latestSummary(view.dividers),
    turns: view.turns.map((turn) => ({ ...turn, ...FRESH })),
    trimmed: false,
    gone: [],
  };
}

/** Return the conversation with its last `count` turns. */
export function trimmed(conversation: Conversation, count: number): Conversation {
  const turns = conversation.turns.slice(-count);
  const earlier = conversation.earlier + conversation.turns.length - turns.length;
  return { ...conversation, turns, earlier, trimmed: true };
}

/** Return the conversation with its earlier turns from `whole`; shown turns stay as they are. */
export function withEarlier(conversation: Conversation, whole: ConversationView): Conversation {
  const first = conversation.turns[0]?.turn;
  const at = whole.turns.findIndex((turn) => turn.turn === first);
  if (at < 0) return fromView(whole);
  const before = whole.turns.slice(0, at).map((turn) => ({ ...turn, ...FRESH }));
  const last = before.at(-1)?.turn ?? null;
  const gone = conversation.gone.map((each) => (each.after === null ? { ...each, after: last } : each));
  return { ...conversation, earlier: 0, trimmed: false, turns: [...before, ...conversation.turns], gone };
}

export function runningTurn(conversation: Conversation): Turn | undefined {
  return conversation.turns.findLast((turn) => turn.end === null);
}

export type ConversationEvent = Extract<PetEvent, { conversation: string }>;

export function isOfConversation(event: PetEvent): event is ConversationEvent {
  return "conversation" in event;
}

export function reduce(conversation: Conversation, event: ConversationEvent): Conversation {
  switch (event.type) {
    case "turn_started":
      return begin(conversation, event);
    case "round_started":
      return change(conversation, event.turn, (turn) => ({
        ...turn,
        wait: null,
        thinking: 0,
        rounds: turn.rounds.filter((each) => each.round !== event.round),
      }));
    case "text_delta":
      return change(conversation, event.turn, (turn) => ({
        ...turn,
        wait: null,
        rounds: withText(turn.rounds, event.round, event.text),
      }));
    case "thinking_delta":
      return change(conversation, event.turn, (turn) => ({ ...turn, thinking: turn.thinking + event.characters }));
    case "tool_started": {
      const tool: ToolView = { ...pick(event), running: true, error: null, receipt: null };
      return change(conversation, event.turn, (turn) => ({
        ...turn,
        tools: [...turn.tools.filter((each) => each.call !== tool.call), tool],
      }));
    }
    case "tool_ended":
      return change(conversation, event.turn, (turn) => ({
        ...turn,
        tools: turn.tools.map((tool) =>
          tool.call === event.call ? { ...tool, running: false, error: event.error, receipt: event.receipt } : tool,
        ),
      }));
    case "retry_waiting": {
      const wait = { error: event.error, seconds: event.seconds, attempt: event.attempt };
      return change(conversation, event.turn, (turn) => ({ ...turn, wait }));
    }
    case "proposal_asked":
      return change(conversation, event.turn, (turn) => ({ ...turn, proposal: event.proposal }));
    case "proposal_closed":
      return change(conversation, event.turn, (turn) =>
        turn.proposal?.id === event.proposal ? { ...turn, proposal: null } : turn,
      );
    case "turn_ended":
      return {
        ...change(conversation, event.turn, (turn) => ({
          ...turn,
          end: event.end,
          error: event.error,
          usage: event.usage,
          claim: event.claim,
          wait: null,
          proposal: null,
          tools: turn.tools.map((tool) => (tool.running ? { ...tool, running: false } : tool)),
        })),
        info: { ...conversation.info, running: false },
      };
    case "context_used":
      return change(conversation, event.turn, (turn) => ({ ...turn, used: event.used, sent: event.sent }));
    case "compaction_started":
      return { ...conversation, compacting: true };
    case "compaction_ended":
      return compacted({ ...conversation, compacting: false }, event);
    case "memory_switched":
      return {
        ...divide(
          conversation,
          event.memory ? "memory_on" : event.read_only ? "memory_read" : "memory_off",
          event.at,
        ),
        info: { ...conversation.info, memory: event.memory, read_only: event.read_only },
      };
    case "extra_switched": {
      const others = conversation.info.switches.filter((each) => each !== event.name);
      const switches = event.on ? [...others, event.name] : others;
      return { ...conversation, info: { ...conversation.info, switches } };
    }
    case "earlier_dropped":
      return divide(conversation, "earlier_dropped", event.at);
    case "turns_removed":
      return event.removed ? takeOut(conversation, event.turns) : putBack(conversation, event.turns);
    case "conversation_changed":
      return { ...conversation, info: { ...conversation.info, title: event.title } };
    case "variant_chosen":
    case "receipts_changed":
    case "conversation_deleted":
    case "conversation_asked":
    case "conversation_closed":
    case "mood_said":
    case "tools_missing":
      return conversation;
    default:
      event satisfies ExtraEvent;
      return conversation;
  }
}

type Started = Extract<PetEvent, { type: "turn_started" }>;

/** Add a turn. One that supersedes another takes its place; the turns after that are removed. */
function begin(conversation: Conversation, event: Started): Conversation {
  const index = conversation.turns.findIndex((turn) => turn.turn === event.supersedes);
  const place = event.supersedes === null || index < 0 ? conversation.turns.length : index;
  const before = place > 0 ? (conversation.turns[place - 1]?.turn ?? null) : null;
  const replaced = conversation.turns.slice(place);
  const gone = new Set(replaced.map((turn) => turn.turn));
  const turn: Turn = {
    turn: event.turn,
    kind: event.kind,
    at: event.at,
    text: event.text,
    attachments: event.attachments,
    memory: event.memory,
    rounds: [],
    tools: [],
    end: null,
    error: null,
    usage: { input_tokens: null, output_tokens: null, cache_read_tokens: null, cache_write_tokens: null },
    proposal: null,
    used: [],
    sent: [],
    claim: null,
    receipts: [],
    variants: variantsWith(replaced[0], event.turn),
    left: stillWritten(replaced),
    ...FRESH,
  };
  return {
    ...conversation,
    info: { ...conversation.info, running: true, turns: conversation.earlier + place + 1, updated_at: event.at },
    turns: [...conversation.turns.slice(0, place), turn],
    dividers: conversation.dividers.map((divider) =>
      divider.after_turn !== null && gone.has(divider.after_turn) ? { ...divider, after_turn: before } : divider,
    ),
    gone: conversation.gone.filter((each) => each.after === null || !gone.has(each.after)),
  };
}

/** Return the variants including `added`; a reply without text and writes is not one. */
function variantsWith(replaced: Turn | undefined, added: string): string[] {
  if (!replaced) return [];
  const known = replaced.variants.length > 0 ? replaced.variants : [replaced.turn];
  const blank = !wrote(replaced) && replaced.rounds.every((round) => round.text.trim() === "");
  const kept = blank ? known.filter((turn) => turn !== replaced.turn) : known;
  return kept.length > 0 ? [...kept, added] : [];
}

/** Return the receipts of replaced turns, oldest first: what they wrote stays written. */
function stillWritten(replaced: Turn[]): LeftView[] {
  return replaced
    .flatMap((turn) => [...turn.left, ...(wrote(turn) ? [leftOf(turn)] : [])])
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function wrote(turn: Turn): boolean {
  return turn.tools.some((tool) => tool.receipt !== null);
}

function leftOf({ turn, at, tools, receipts }: Turn): LeftView {
  return { turn, at, tools: tools.filter((tool) => tool.receipt !== null), receipts };
}

/** Remove turns, leaving an Undo line; a summary of them is removed too. */
function takeOut(conversation: Conversation, ids: string[]): Conversation {
  const { turns } = conversation;
  const out = new Set(ids);
  const first = turns.findIndex((turn) => out.has(turn.turn));
  if (first < 0) return conversation;
  const before = turns[first - 1]?.turn ?? null;
  const place = new Map(turns.map((turn, at) => [turn.turn, at]));
  const removed = (divider: Divider) =>
    divider.kind === "compacted" && divider.after_turn !== null && (place.get(divider.after_turn) ?? -1) >= first;
  const noted = turns.some((turn) => out.has(turn.turn) && turn.tools.some((tool) => tool.receipt !== null));
  const inside = ({ after }: Gone) => after !== null && out.has(after);
  const moved = conversation.gone.filter(inside).map((each) => ({ ...each, after: before }));
  return {
    ...conversation,
    info: { ...conversation.info, turns: conversation.info.turns - out.size },
    turns: turns.filter((turn) => !out.has(turn.turn)),
    dividers: conversation.dividers
      .filter((divider) => !removed(divider))
      .map((divider) =>
        divider.after_turn !== null && out.has(divider.after_turn) ? { ...divider, after_turn: before } : divider,
      ),
    gone: [...conversation.gone.filter((each) => !inside(each)), { turns: ids, after: before, noted }, ...moved],
  };
}

/** Remove the Undo line; the turns are fetched again. */
function putBack(conversation: Conversation, ids: string[]): Conversation {
  return { ...conversation, gone: conversation.gone.filter((each) => !each.turns.some((id) => ids.includes(id))) };
}

function divide(conversation: Conversation, kind: Divider["kind"], at: string): Conversation {
  const after_turn = conversation.turns.at(-1)?.turn ?? null;
  // Switching back and forth without a message leaves one divider or none.
  const dividers = conversation.dividers.filter((each) => each.after_turn !== after_turn || each.kind !== kind);
  return { ...conversation, dividers: [...dividers, { after_turn, at, kind }] };
}

type Compacted = Extract<PetEvent, { type: "compaction_ended" }>;

function compacted(conversation: Conversation, { error, after_turn, at }: Compacted): Conversation {
  if (error !== null || after_turn === null) return conversation; // failed or stopped
  const dividers = latestSummary([...conversation.dividers, { after_turn, at, kind: "compacted" }]);
  return { ...conversation, dividers };
}

/** Keep the newest summary divider: it covers the older ones. */
function latestSummary(dividers: Divider[]): Divider[] {
  const last = dividers.findLast((each) => each.kind === "compacted");
  return dividers.filter((each) => each.kind !== "compacted" || each === last);
}

export function change(conversation: Conversation, id: string, alter: (turn: Turn) => Turn): Conversation {
  const index = conversation.turns.findLastIndex((turn) => turn.turn === id);
  const old = conversation.turns[index];
  if (!old) return conversation;
  const turn = alter(old);
  return turn === old ? conversation : { ...conversation, turns: conversation.turns.with(index, turn) };
}

function withText(rounds: RoundView[], round: number, text: string): RoundView[] {
  const index = rounds.findIndex((each) => each.round === round);
  const old = rounds[index];
  return old ? rounds.with(index, { round, text: old.text + text }) : [...rounds, { round, text }];
}

function pick(tool: { call: string; round: number; tool: string; file: string | null }) {
  return { call: tool.call, round: tool.round, tool: tool.tool, file: tool.file };
}

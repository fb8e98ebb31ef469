/** The reducer of a conversation, and overlapping fetches: no event is lost or counted twice. */
import { describe, expect, it } from "vitest";
import type { Commands, ConversationView } from "../../bindings";
import {
  type Conversation,
  type ConversationEvent,
  fromView,
  reduce,
  runningTurn,
} from "../../state/chat/conversation";
import { Conversations } from "../../state/chat/conversations";
import { Notices } from "../../state/notices";
import { NOW, turnView } from "../core/records";
import { RECEIPT } from "../render";

const AT = { conversation: "c1", turn: "t2" };

function conversation(): Conversation {
  const info = {
    id: "c1",
    title: "",
    memory: true,
    temporary: false,
    read_only: false,
    updated_at: NOW,
    turns: 1,
    running: false,
    chosen: null,
    switches: [],
  };
  return fromView({
    info,
    turns: [turnView("t1", "hi", "hello")],
    dividers: [],
    damaged_lines: 0,
    opening: "",
    compacting: false,
    earlier: 0,
    seq: 0,
  });
}

function started(more: Partial<Extract<ConversationEvent, { type: "turn_started" }>> = {}): ConversationEvent {
  return {
    type: "turn_started",
    ...AT,
    at: NOW,
    text: "again",
    memory: true,
    supersedes: null,
    attachments: [],
    kind: "message",
    ...more,
  };
}

function play(...events: ConversationEvent[]): Conversation {
  return events.reduce(reduce, conversation());
}

const usage = { input_tokens: 1, output_tokens: 2, cache_read_tokens: null, cache_write_tokens: null };

describe("a turn", () => {
  it("streams into its rounds and leaves the other turns the same objects", () => {
    const before = play(started(), { type: "round_started", ...AT, round: 1 });
    const after = reduce(before, { type: "text_delta", ...AT, round: 1, text: "a" });
    const more = reduce(after, { type: "text_delta", ...AT, round: 1, text: "b" });
    expect(more.turns[1]?.rounds).toEqual([{ round: 1, text: "ab" }]);
    expect(more.turns[0]).toBe(before.turns[0]);
    expect(runningTurn(more)?.turn).toBe("t2");
  });

  it("takes a round's text back when it turns out to have been thinking", () => {
    const before = play(
      started(),
      { type: "round_started", ...AT, round: 1 },
      { type: "text_delta", ...AT, round: 1, text: "Let me see" },
      { type: "round_started", ...AT, round: 2 },
      { type: "text_delta", ...AT, round: 2, text: "Hmm" },
      { type: "round_started", ...AT, round: 2 },
      { type: "text_delta", ...AT, round: 2, text: "Hello!" },
    );
    expect(before.turns[1]?.rounds).toEqual([
      { round: 1, text: "Let me see" },
      { round: 2, text: "Hello!" },
    ]);
  });

  it("counts thinking per round and forgets it with the next", () => {
    const thought: ConversationEvent = { type: "thinking_delta", ...AT, round: 1, characters: 40 };
    const once = play(started(), thought, thought);
    expect(once.turns[1]?.thinking).toBe(80);
    expect(reduce(once, { type: "round_started", ...AT, round: 2 }).turns[1]?.thinking).toBe(0);
  });

  it("shows a tool while it runs and its receipt when it is done", () => {
    const call: ConversationEvent = {
      type: "tool_started",
      ...AT,
      round: 1,
      call: "k",
      tool: "edit",
      file: "USER.md",
    };
    const receipt = RECEIPT;
    const running = play(started(), call);
    expect(running.turns[1]?.tools[0]).toMatchObject({ running: true, receipt: null });
    const done = reduce(running, { type: "tool_ended", ...AT, call: "k", error: null, receipt });
    expect(done.turns[1]?.tools[0]).toMatchObject({ running: false, receipt });
  });

  it("waits for a retry until something comes", () => {
    const error = { code: "fault_overloaded", args: {}, retryable: true };
    const waiting = play(started(), { type: "retry_waiting", ...AT, error, seconds: 3, attempt: 1 });
    expect(waiting.turns[1]?.wait?.seconds).toBe(3);
    expect(reduce(waiting, { type: "text_delta", ...AT, round: 1, text: "x" }).turns[1]?.wait).toBeNull();
  });

  it("holds a proposal until it is closed, and none after its end", () => {
    const proposal = {
      id: "p",
      file: "SOUL.md",
      reason: "soul",
      before: "",
      after: "x",
      base: "v",
      category: "",
      call: null,
      noted: null,
      foreign: [] as never[],
    } as const;
    const proposed = play(started(), { type: "proposal_asked", ...AT, proposal });
    const other = reduce(proposed, { type: "proposal_closed", ...AT, proposal: "q", outcome: "refused" });
    expect(other.turns[1]?.proposal).toEqual(proposal);
    const ended = reduce(proposed, { type: "turn_ended", ...AT, end: "stopped", error: null, usage, claim: null });
    expect(ended.turns[1]).toMatchObject({ proposal: null, end: "stopped", usage });
    expect(ended.info.running).toBe(false);
  });

  it("that replaces another takes its place, and what stood behind goes", () => {
    const two = play(started(), { type: "turn_ended", ...AT, end: "done", error: null, usage, claim: null });
    const flipped = reduce(two, {
      type: "memory_switched",
      conversation: "c1",
      memory: false,
      read_only: false,
      at: NOW,
    });
    const edited = reduce(flipped, started({ turn: "t3", supersedes: "t1", attachments: [], kind: "edit" }));
    expect(edited.turns.map((turn) => turn.turn)).toEqual(["t3"]);
    expect(edited.dividers).toEqual([{ after_turn: null, at: NOW, kind: "memory_off" }]);
  });
});

describe("memory", () => {
  it("that was used for a reply is kept with its turn", () => {
    const used = [
      {
        path: "USER.md",
        start_line: 2,
        end_line: 2,
        source: "profile",
        snippet: "tea",
        turn: null,
        sure: true,
        superseded: false,
        heading: "",
        carried: false,
      },
    ];
    const after = play(started(), { type: "context_used", ...AT, used, sent: used });
    expect(after.turns[1]?.used).toEqual(used);
    expect(after.turns[1]?.sent).toEqual(used);
    expect(after.turns[0]?.used).toEqual([]);
  });

  it("that was claimed and not written is marked at the end", () => {
    const claim = { kind: "saved", quote: "Noted!", never_calls: false } as const;
    const after = play(started(), { type: "turn_ended", ...AT, end: "done", error: null, usage, claim });
    expect(after.turns[1]?.claim).toEqual(claim);
  });
});

describe("a summary", () => {
  const begun: ConversationEvent = { type: "compaction_started", conversation: "c1" };
  const ended: ConversationEvent = {
    type: "compaction_ended",
    conversation: "c1",
    after_turn: "t1",
    at: NOW,
    error: null,
  };

  it("is being made until it is there, and then has its line", () => {
    const running = play(begun);
    expect(running.compacting).toBe(true);
    const done = reduce(running, ended);
    expect(done.compacting).toBe(false);
    expect(done.dividers).toEqual([{ after_turn: "t1", at: NOW, kind: "compacted" }]);
  });

  it("takes the line of the one before", () => {
    const twice = play(started(), begun, ended, begun, { ...ended, after_turn: "t2" });
    expect(twice.dividers.map((each) => each.after_turn)).toEqual(["t2"]);
  });

  it("that failed or was stopped leaves everything as it was", () => {
    const error = { code: "fault_timeout", args: {}, retryable: true };
    const after = play(begun, { ...ended, error });
    expect(after).toMatchObject({ compacting: false, dividers: [] });
    expect(play(begun, { ...ended, after_turn: null })).toMatchObject({ compacting: false, dividers: [] });
  });
});

describe("the memory switch", () => {
  it("leaves a divider where it was flipped", () => {
    const off = reduce(conversation(), {
      type: "memory_switched",
      conversation: "c1",
      memory: false,
      read_only: false,
      at: NOW,
    });
    expect(off.info.memory).toBe(false);
    expect(off.dividers).toEqual([{ after_turn: "t1", at: NOW, kind: "memory_off" }]);
  });

  it("leaves another where earlier messages were dropped", () => {
    const dropped = reduce(conversation(), { type: "earlier_dropped", conversation: "c1", at: NOW });
    expect(dropped.dividers.at(-1)?.kind).toBe("earlier_dropped");
  });
});

it("events of turns that are not here change nothing", () => {
  const before = conversation();
  expect(reduce(before, { type: "text_delta", conversation: "c1", turn: "gone", round: 1, text: "x" })).toBe(before);
});

function view(seq: number, text: string): ConversationView {
  return {
    info: {
      id: "c",
      title: "",
      memory: true,
      read_only: false,
      temporary: false,
      updated_at: NOW,
      turns: 1,
      running: true,
      chosen: null,
      switches: [],
    },
    turns: [{ ...turnView("t", "hi", text), end: null }],
    dividers: [],
    damaged_lines: 0,
    opening: "",
    compacting: false,
    earlier: 0,
    seq,
  };
}

const delta = (text: string): ConversationEvent => ({
  type: "text_delta",
  conversation: "c",
  turn: "t",
  round: 1,
  text,
});

interface Request {
  answer: (view: ConversationView) => void;
  fail: (error: Error) => void;
}

function make() {
  const requests: Request[] = [];
  const openConversation = () =>
    new Promise<ConversationView>((answer, fail) => {
      requests.push({ answer, fail });
    });
  const conversations = new Conversations(
    { openConversation } as unknown as Commands,
    new Notices(),
    () => undefined,
  );
  const text = () => conversations.of("c").value?.turns[0]?.rounds[0]?.text;
  return { requests, conversations, text };
}

describe("a conversation that is fetched twice at once", () => {
  it.each([
    ["in order", [0, 1]],
    ["in the other order", [1, 0]],
  ])("misses nothing, answered %s", async (_name, order) => {
    const { requests, conversations, text } = make();
    const fetches = [conversations.load("c")];
    conversations.apply(1, delta("a"));
    fetches.push(conversations.load("c"));
    conversations.apply(2, delta("b"));
    const later = view(1, "a");
    const views = [view(0, ""), { ...later, info: { ...later.info, title: "renamed" } }];
    let next = 2;
    for (const at of order) {
      requests[at]?.answer(views[at] ?? view(0, ""));
      await fetches[at];
      next += 1;
      conversations.apply(next, delta("abcd"[next - 1] ?? ""));
    }
    expect(text()).toBe("abcd");
    expect(conversations.of("c").value?.info.title).toBe("renamed");
  });

  it("misses nothing where one fails", async () => {
    const { requests, conversations, text } = make();
    const first = conversations.load("c");
    requests[0]?.answer(view(0, ""));
    await first;
    const second = conversations.load("c");
    conversations.apply(1, delta("a"));
    requests[1]?.fail(new Error("no answer"));
    await second;
    expect(conversations.unreadable.value.get("c")).toBeDefined();
    conversations.apply(2, delta("b"));
    expect(text()).toBe("ab");
  });

  it("keeps a title that came meanwhile", async () => {
    const { requests, conversations } = make();
    const fetch = conversations.load("c");
    conversations.apply(1, { type: "conversation_changed", conversation: "c", title: "Walnuts" });
    requests[0]?.answer(view(0, ""));
    await fetch;
    expect(conversations.of("c").value?.info.title).toBe("Walnuts");
  });
});

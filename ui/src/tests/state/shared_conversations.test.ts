/**
 * Conversations as entries, events and views: the reducer gives the same views as the core's fold. The same files are
 * read by tests/bridge/commands/test_shared_conversations.py; a step without events is one that the page
 * reads again.
 */
import { describe, expect, it } from "vitest";
import type { Divider, Receipt, ReceiptStateView, ToolView } from "../../bindings";
import { type Conversation, type ConversationEvent, fromView, reduce } from "../../state/chat/conversation";
import { NOW, turnView } from "../core/records";
import { RECEIPT } from "../render";

interface ShownLeft {
  turn: string;
  tools: string[];
  receipts: Record<string, ReceiptStateView["state"]>;
}

interface ShownTurn extends ShownLeft {
  kind: Conversation["turns"][number]["kind"];
  text: string;
  memory: boolean;
  end: Conversation["turns"][number]["end"];
  variants: string[];
  said: string[];
  left: ShownLeft[];
}

interface Shown {
  memory: boolean;
  dividers: Pick<Divider, "after_turn" | "kind">[];
  turns: ShownTurn[];
}

interface Fixture {
  about: string;
  steps: { events: ConversationEvent[] | null; view: Shown }[];
}

const FIXTURES = import.meta.glob<Fixture>("../../../../tests/fixtures/conversations/*.json", {
  eager: true,
  import: "default",
});

function shown({ info, dividers, turns }: Conversation): Shown {
  const states = (receipts: ReceiptStateView[]) =>
    Object.fromEntries(receipts.map(({ call, state }) => [call, state] as const));
  return {
    memory: info.memory,
    dividers: dividers.map(({ after_turn, kind }) => ({ after_turn, kind })),
    turns: turns.map(({ turn, kind, text, memory, end, variants, rounds, tools, receipts, left }) => ({
      turn,
      kind,
      text,
      memory,
      end,
      variants,
      said: rounds.map((round) => round.text).filter((words) => words !== ""),
      tools: tools.map((tool) => tool.call),
      receipts: states(receipts),
      left: left.map((each) => ({
        turn: each.turn,
        tools: each.tools.map((tool) => tool.call),
        receipts: states(each.receipts),
      })),
    })),
  };
}

/** Return the conversation as the page reads it, with times in the order of the turns. */
function loaded(view: Shown): Conversation {
  const receipts = (states: ShownLeft["receipts"]) =>
    Object.entries(states).map(([call, state]) => ({ call, state, kept: null }));
  return fromView({
    info: {
      id: "c",
      title: "",
      memory: view.memory,
      read_only: false,
      temporary: false,
      updated_at: NOW,
      turns: view.turns.length,
      running: false,
      chosen: null,
      switches: [],
    },
    turns: view.turns.map((turn) => ({
      ...turnView(turn.turn, turn.text, ""),
      ...turn,
      at: "",
      rounds: turn.said.map((text, at) => ({ round: at + 1, text })),
      tools: turn.tools.map(tool),
      receipts: receipts(turn.receipts),
      left: turn.left.map((left) => ({
        turn: left.turn,
        at: "",
        tools: left.tools.map(tool),
        receipts: receipts(left.receipts),
      })),
    })),
    dividers: view.dividers.map((each) => ({ ...each, at: NOW })),
    damaged_lines: 0,
    opening: "",
    compacting: false,
    earlier: 0,
    seq: 0,
  });
}

function tool(call: string): ToolView {
  const receipt: Receipt = RECEIPT;
  return { call, round: 1, tool: "memory_write", file: "MEMORY.md", running: false, error: null, receipt };
}

const NOTHING: Shown = { memory: true, dividers: [], turns: [] };

describe("the reducer agrees with the core's fold", () => {
  it.each(Object.entries(FIXTURES))("%s", (_path, { steps }) => {
    let now = loaded(NOTHING);
    for (const { events, view } of steps) {
      now = events ? events.reduce(reduce, now) : loaded(view);
      expect(shown(now)).toEqual(view);
    }
  });

  it("in several of them", () => {
    expect(Object.keys(FIXTURES).length).toBeGreaterThanOrEqual(6);
  });
});

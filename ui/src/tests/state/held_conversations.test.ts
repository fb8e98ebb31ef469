/** Fetches of one conversation that overlap: in whatever order they answer, and also where one fails, no event is lost. */
import { describe, expect, it } from "vitest";
import type { Commands, ConversationView, PetEvent } from "../../bindings";
import { NOW, turnView } from "../../ipc/fake";
import { HeldConversations } from "../../state/chat/held_conversations";

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

const delta = (text: string): PetEvent => ({ type: "text_delta", conversation: "c", turn: "t", round: 1, text });

interface Asked {
  answer: (found: ConversationView) => void;
  fail: (error: Error) => void;
}

function make() {
  const asked: Asked[] = [];
  const openConversation = () =>
    new Promise<ConversationView>((answer, fail) => {
      asked.push({ answer, fail });
    });
  const held = new HeldConversations({ openConversation } as unknown as Commands);
  const said = () => held.of("c").value?.turns[0]?.rounds[0]?.text;
  return { asked, held, said };
}

describe("a conversation that is fetched twice at once", () => {
  it.each([
    ["in order", [0, 1]],
    ["in the other order", [1, 0]],
  ])("misses nothing, answered %s", async (_name, order) => {
    const { asked, held, said } = make();
    const fetches = [held.fetch("c")];
    held.hear(1, delta("a"));
    fetches.push(held.fetch("c"));
    held.hear(2, delta("b"));
    const later = view(1, "a");
    const views = [view(0, ""), { ...later, info: { ...later.info, title: "renamed" } }];
    let next = 2;
    for (const at of order) {
      asked[at]?.answer(views[at] ?? view(0, ""));
      await fetches[at];
      next += 1;
      held.hear(next, delta("abcd"[next - 1] ?? ""));
    }
    expect(said()).toBe("abcd");
    expect(held.of("c").value?.info.title).toBe("renamed");
  });

  it("misses nothing where one fails", async () => {
    const { asked, held, said } = make();
    const first = held.fetch("c");
    asked[0]?.answer(view(0, ""));
    await first;
    const second = held.fetch("c");
    held.hear(1, delta("a"));
    asked[1]?.fail(new Error("no answer"));
    await expect(second).rejects.toThrow("no answer");
    held.hear(2, delta("b"));
    expect(said()).toBe("ab");
  });

  it("keeps a title that came meanwhile", async () => {
    const { asked, held } = make();
    const fetch = held.fetch("c");
    held.hear(1, { type: "conversation_changed", conversation: "c", title: "Walnuts" });
    asked[0]?.answer(view(0, ""));
    await fetch;
    expect(held.of("c").value?.info.title).toBe("Walnuts");
  });
});

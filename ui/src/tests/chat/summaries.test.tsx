/** Summaries of earlier messages. */
import { describe, expect, it } from "vitest";
import type { TurnView } from "../../bindings";
import type { FakeCore } from "../core/core";
import { NOW, turnView } from "../core/records";
import { button, find, type Mounted, mountApp, mountTalk, settle } from "../render";

function talk(turns: TurnView[], prepare: (core: FakeCore) => void = () => undefined): Promise<Mounted> {
  return mountApp((core) => {
    core.addConversation({ id: "c1", memory: true, turns: turns.length }, turns);
    core.app = {
      ...core.app,
      tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
      active_tab: "c1",
    };
    prepare(core);
  });
}

describe("a summary of earlier messages", () => {
  it("is asked for in the menu, runs with a Stop, and leaves its line", async () => {
    const page = await talk(Array.from({ length: 11 }, (_, at) => turnView(`t${at}`, "hi", "hello")));
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Summarise earlier messages").click());
    expect(page.core.called("compact")).toEqual([{ conversation: "c1" }]);
    await settle(() => page.core.emit({ type: "compaction_started", conversation: "c1" }));
    await settle(() => button(find(page.root, ".compacting"), "Stop").click());
    expect(page.core.called("stop_turn")).toEqual([{ conversation: "c1" }]);
    const done = { conversation: "c1", after_turn: "t1", at: NOW } as const;
    await settle(() => page.core.emit({ type: "compaction_ended", ...done, error: null }));
    expect(page.root.querySelector(".compacting")).toBeNull();
    expect(find(page.root, ".divider.compacted").textContent).toContain("You can still read every word");
    expect(find(page.root, ".notice").textContent).toContain("are summarised");
  });

  it("that nobody asked for is made quietly; one that failed is told", async () => {
    const page = await talk([turnView("t1", "hi", "hello")]);
    const done = { type: "compaction_ended", conversation: "c1", after_turn: "t1", at: NOW } as const;
    await settle(() => page.core.emit({ type: "compaction_started", conversation: "c1" }, { ...done, error: null }));
    expect(page.root.querySelector(".notice")).toBeNull();
    const error = { code: "fault_timeout", args: {}, retryable: true };
    await settle(() => page.core.emit({ type: "compaction_started", conversation: "c1" }, { ...done, error }));
    expect(page.root.querySelectorAll(".notice")).toHaveLength(1);
  });

  it.each([true, false])("that a turn needed and did not get is told once; the turn fails: %s", async (fails) => {
    const page = await mountTalk([turnView("t1", "hi", "hello"), turnView("t2", "and now?", "", { end: null })]);
    const error = { code: "fault_timeout", args: {}, retryable: true };
    const notices = () => page.root.querySelectorAll(".notice").length;
    await settle(() =>
      page.core.emit(
        { type: "compaction_started", conversation: "c1" },
        { type: "compaction_ended", conversation: "c1", after_turn: null, at: NOW, error },
      ),
    );
    expect(notices()).toBe(0);
    const { usage } = turnView("t2", "", "");
    await settle(() =>
      page.core.emit({
        type: "turn_ended",
        conversation: "c1",
        turn: "t2",
        end: fails ? "failed" : "done",
        error: fails ? error : null,
        usage,
        claim: null,
      }),
    );
    expect(page.root.querySelectorAll(".turn .fault")).toHaveLength(fails ? 1 : 0);
    expect(notices()).toBe(fails ? 0 : 1);
  });

  it("is not offered where there is nothing to summarise", async () => {
    const page = await talk([turnView("t1", "hi", "hello")]);
    await settle(() => button(page.root, "More").click());
    expect(() => button(page.root, "Summarise earlier messages")).toThrow();
  });
});

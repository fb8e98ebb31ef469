/** What a reply used, and what it claims to have saved. */
import { describe, expect, it } from "vitest";
import type { Claim, TurnView, UsedMemory } from "../../../../bindings";
import { type FakeCore, turnView } from "../../../../ipc/fake";
import { faults } from "../../../axe";
import { button, find, type Mounted, mountApp, settle } from "../../../render";

const HOSTILE = '<img src=x onerror="window.stolen=1"><script>window.stolen=1</script>';
const LOG: UsedMemory = {
  path: "memory/2026-11-03.md",
  start_line: 5,
  end_line: 7,
  source: "log",
  snippet: "To Xiangshan when the leaves are red.",
  turn: null,
  sure: true,
};
const PROFILE: UsedMemory = { ...LOG, path: "USER.md", source: "profile", snippet: HOSTILE };

function talk(turn: TurnView, prepare: (core: FakeCore) => void = () => undefined): Promise<Mounted> {
  return mountApp((core) => {
    core.addConversation({ id: "c1", memory: turn.memory }, [turn]);
    core.app = {
      ...core.app,
      tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [] }],
      active_tab: "c1",
    };
    prepare(core);
  });
}

describe("used memories", () => {
  it("one is a chip with its words on hover, and opens where it stands", async () => {
    const page = await talk(turnView("t1", "hi", "yes", { used: [LOG] }));
    const chip = find(page.root, ".used-chip");
    expect(chip.dataset["tip"]).toContain("when the leaves are red");
    expect(chip.textContent).toContain("3 Nov");
    await settle(() => chip.click());
    expect(page.store.section.value).toBe("memory");
    expect(page.core.called("read_entries")).toEqual([{ file: "memory/2026-11-03.md" }]);
  });

  it("several fold to their number, unfold with their words, and are inert", async () => {
    const page = await talk(turnView("t1", "hi", "yes", { used: [LOG, PROFILE] }));
    expect(page.root.querySelector(".used-row")).toBeNull();
    await settle(() => button(page.root, "2 memories").click());
    expect(button(page.root, "2 memories").getAttribute("aria-expanded")).toBe("true");
    expect(page.root.querySelectorAll(".used-row .snippet")[1]?.textContent).toBe(HOSTILE);
    expect(page.root.querySelector(".used img, .used script")).toBeNull();
    expect(await faults(page.root)).toEqual([]);
  });

  it("come with the event too", async () => {
    const page = await talk(turnView("t1", "hi", "", { end: null }));
    await settle(() => page.core.emit({ type: "context_used", conversation: "c1", turn: "t1", used: [LOG] }));
    expect(find(page.root, ".used-chip").textContent).toContain("From memory");
  });

  it("of a conversation open it at the turn", async () => {
    const used = { ...LOG, path: "conversations/c2.jsonl", source: "conversation", turn: "t5" };
    const page = await talk(turnView("t1", "hi", "yes", { used: [used] }), (core) => {
      const turns = Array.from({ length: 90 }, (_, at) => turnView(`t${at}`, `message ${at}`, "ok"));
      core.addConversation({ id: "c2", title: "Old" }, turns);
    });
    await settle(() => find(page.root, ".used-chip").click());
    expect(page.store.active.value).toBe("c2");
    expect(find(page.root, ".turn-slot.found").textContent).toContain("message 5");
  });
});

describe("a reply that claims", () => {
  const said: Claim = { kind: "saved", quote: "I've noted that!" };
  const asked: Claim = { kind: "asked_off", quote: "remember this" };

  it("to have saved is marked, and saved at a word", async () => {
    const page = await talk(turnView("t1", "I love tea", "I've noted that!", { claim: said }));
    expect(find(page.root, ".claim").textContent).toContain("nothing was saved");
    await settle(() => button(page.root, "Save it now").click());
    expect(page.core.called("remember_turn")).toEqual([{ conversation: "c1", turn: "t1", switch_on: false }]);
    expect(page.root.querySelector(".claim")).toBeNull();
    expect(find(page.root, ".receipt").textContent).toContain("Wrote down: Green tea, never coffee");
    expect(page.root.querySelectorAll(".receipt")).toHaveLength(1);
  });

  it("what is there already is told, not written twice", async () => {
    const page = await talk(turnView("t1", "I love tea", "Noted!", { claim: said }), (core) => {
      core.memory.remembered = null;
    });
    await settle(() => button(page.root, "Save it now").click());
    expect(page.root.textContent).toContain("already in the log");
  });

  it("while the brain was off is offered with turning it on, the pause included", async () => {
    const page = await talk(turnView("t1", "remember this", "I can't.", { claim: asked, memory: false }));
    await settle(() => page.core.emit({ type: "brain_paused", paused: true }));
    await settle(() => button(page.root, "Turn on and remember").click());
    expect(page.core.called("pause_brain")).toEqual([{ paused: false }]);
    expect(page.core.called("remember_turn")).toEqual([{ conversation: "c1", turn: "t1", switch_on: true }]);
  });

  it.each([asked, said, { ...said, kind: "temporary" } as const])(
    "in a temporary conversation offers nothing",
    async (claim) => {
      const page = await mountApp((core) => {
        core.addConversation({ id: "c1", temporary: true, memory: false }, [
          turnView("t1", "remember this", "Noted!", { claim, memory: false }),
        ]);
        core.app = {
          ...core.app,
          tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [] }],
          active_tab: "c1",
        };
      });
      expect(page.root.querySelector(".claim")).toBeNull();
      expect(page.root.textContent).toContain("temporary, so nothing was saved");
      expect(page.root.textContent).not.toMatch(/Save it now|Turn on and remember/);
    },
  );

  it("keeps its mark when saving failed, and says why", async () => {
    const page = await talk(turnView("t1", "I love tea", "Noted!", { claim: said }));
    page.core.fail("remember_turn", { code: "write_failed", args: { file: "x", reason: "full" }, retryable: true });
    await settle(() => button(page.root, "Save it now").click());
    expect(page.root.querySelector(".claim")).not.toBeNull();
    expect(page.root.querySelectorAll(".notice")).toHaveLength(1);
  });
});

import { describe, expect, it } from "vitest";
import type { TurnView } from "../../../bindings";
import { turnView } from "../../../ipc/fake";
import { faults } from "../../axe";
import { button, find, type Mounted, mountTalk, RECEIPT, settle } from "../../render";

const variants = ["t2", "t2b"];
const before = turnView("t1", "Hi", "Hello");
const first = turnView("t2", "Tea?", "Green tea.", { variants });
const second = turnView("t2b", "Tea?", "Black tea.", { variants });

function mount(shown: TurnView[], others: Record<string, TurnView[]>): Promise<Mounted> {
  return mountTalk(shown, (core) => {
    for (const [turn, turns] of Object.entries(others)) core.variants.set(turn, turns);
  });
}

const replies = (page: Mounted) =>
  [...page.root.querySelectorAll(".pet-reply .bubble")].map((each) => each.textContent);

describe("the other replies to a message", () => {
  it("are counted and shown again with what followed them", async () => {
    const page = await mount([before, second], { t2: [first, turnView("t3", "And cake?", "Cake.")], t2b: [second] });
    expect(find(page.root, ".variants").textContent).toBe("2/2");
    expect(button(page.root, "Next reply").disabled).toBe(true);
    await settle(() => button(page.root, "Previous reply").click());
    expect(page.core.called("choose_variant")).toEqual([{ conversation: "c1", turn: "t2" }]);
    expect(replies(page)).toEqual(["Hello", "Green tea.", "Cake."]);
    expect(find(page.root, ".variants").textContent).toBe("1/2");
    expect(document.activeElement).toBe(button(page.root, "Next reply"));
    expect(await faults(page.root)).toEqual([]);
  });

  it("are not mentioned where there is one", async () => {
    const page = await mountTalk([before]);
    expect(page.root.querySelector(".variants")).toBeNull();
  });

  it("keep in sight what they wrote down", async () => {
    const tool = {
      call: "c1",
      round: 1,
      tool: "memory_write",
      file: "MEMORY.md",
      running: false,
      error: null,
      receipt: { ...RECEIPT, noted: [{ text: "likes tea", due: "", at: "", repeats: "" }] },
    };
    const left = [{ turn: "t2", at: first.at, tools: [tool], receipts: [] }];
    const page = await mountTalk([{ ...second, left }]);
    const card = find(page.root, ".receipts");
    expect(card.textContent).toContain("Written down with an earlier reply");
    expect(card.textContent).toContain("likes tea");
    await settle(() => button(card, "Undo").click());
    expect(page.core.called("undo_receipt")).toEqual([{ conversation: "c1", turn: "t2", call: "c1" }]);
  });
});

describe("a branch", () => {
  it("is a new tab with everything up to the message", async () => {
    const page = await mountTalk([before, first, turnView("t3", "And cake?", "Cake.")]);
    const menus = page.root.querySelectorAll<HTMLButtonElement>('[aria-label="More for this message"]');
    await settle(() => menus[1]?.click());
    await settle(() => button(page.root, "Branch from here").click());
    expect(page.core.called("branch_conversation")).toEqual([{ conversation: "c1", turn: "t2" }]);
    expect(replies(page)).toEqual(["Hello", "Green tea."]);
    expect(find(page.root, "[role=tab][aria-selected=true]").textContent).toContain("A talk (2)");
  });
});

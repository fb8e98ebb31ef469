/** Drawn turns: an empty conversation, a question of the pet, and ten thousand messages. */
import { describe, expect, it, vi } from "vitest";
import { beginning, MOST_DRAWN } from "../../markdown/blocks";
import { fromView } from "../../state/chat/conversation";
import { Heights } from "../../state/chat/virtual_list";
import type { FakeCore } from "../core/core";
import { NOW, turnView } from "../core/records";
import { find, type Mounted, many, mountTalk, settle } from "../render";

const slots = ({ root }: Mounted) =>
  [...root.querySelectorAll<HTMLElement>("[data-slot]")].map((each) => each.dataset["slot"]);

describe("a conversation in which nothing was said", () => {
  it("shows its greeting from the top, however low the window", async () => {
    const height = vi.spyOn(Element.prototype, "scrollHeight", "get").mockReturnValue(900);
    const empty = await mountTalk([]);
    expect(find(empty.root, ".messages").scrollTop).toBe(0);
    const question = await mountTalk(many(1));
    expect(find(question.root, ".messages").scrollTop).toBe(900);
    height.mockRestore();
  });
});

describe("a conversation that answers the pet", () => {
  it("begins with what it had asked, as words, in place of the empty page", async () => {
    const opened = (question: string) => (core: FakeCore) => {
      const view = core.conversations.get("c1");
      if (view) view.opening = question;
    };
    const requests = await mountTalk([], opened("“<b>exam</b>”: how did it go?"));
    expect(find(requests.root, ".opening .bubble").textContent).toBe("“<b>exam</b>”: how did it go?");
    expect(requests.root.querySelector(".empty")).toBeNull();
    const answered = await mountTalk(many(1), opened("How did it go?"));
    const [first, second] = answered.root.querySelectorAll("article");
    expect(first?.classList.contains("opening")).toBe(true);
    expect(second?.dataset["turn"]).toBeDefined();
  });
});

describe("a long talk", () => {
  it("holds no more pages of itself at its hundredth message than it needs", async () => {
    const page = await mountTalk(many(1));
    for (let count = 1; count <= 100; count += 1) {
      const place = { conversation: "c1", turn: `now${count}` };
      await settle(() =>
        page.core.emit({
          type: "turn_started",
          ...place,
          at: NOW,
          text: "and then?",
          memory: true,
          supersedes: null,
          attachments: [],
          kind: "message",
        }),
      );
    }
    const drawn = slots(page);
    expect(drawn.at(-1)).toBe("now100");
    expect(drawn.length).toBeGreaterThan(5);
    expect(drawn.length).toBeLessThan(50);
  });
});

describe("a conversation that began empty", () => {
  it("is drawn wherever its owner scrolls", async () => {
    const page = await mountTalk([]);
    for (const turn of ["a", "b", "c", "d"]) {
      const place = { conversation: "c1", turn };
      await settle(() =>
        page.core.emit({
          type: "turn_started",
          ...place,
          at: NOW,
          text: turn,
          memory: true,
          supersedes: null,
          attachments: [],
          kind: "message",
        }),
      );
    }
    const list = find(page.root, ".messages");
    const height = vi.spyOn(Element.prototype, "scrollHeight", "get").mockReturnValue(1000);
    const scrollTo = (top: number) =>
      settle(() => {
        list.scrollTop = top;
        list.dispatchEvent(new Event("scroll"));
      });
    await scrollTo(1000);
    for (const top of [300, 0, 0]) {
      await scrollTo(top);
      expect(slots(page)).toEqual(["a", "b", "c", "d"]);
    }
    height.mockRestore();
  });

  it("stays whole when it is fetched again while it is read far up", async () => {
    const page = await mountTalk(many(300));
    await settle(() => {
      page.store.navigation.targetTurn.value = { conversation: "c1", turn: "t10" };
    });
    await settle(() => page.store.conversations.load("c1"));
    expect(page.core.called("open_conversation").at(-1)).toEqual({ conversation: "c1" });
    expect(slots(page).length).toBeGreaterThan(0);
  });
});

describe("a reply without an end", () => {
  const PIECE = "word ".repeat(60_000);
  const place = { conversation: "c1", turn: "t1" };
  const drawn = ({ root }: Mounted) => find(root, ".bubble .md").textContent?.length ?? 0;
  const mounted = () => mountTalk([turnView("t1", "Go on for ever", PIECE, { end: null })]);

  it("is drawn up to a limit, and no more of it with any further piece", async () => {
    const page = await mounted();
    expect(drawn(page)).toBeLessThanOrEqual(MOST_DRAWN);
    expect(drawn(page)).toBeGreaterThan(MOST_DRAWN / 2);
    const changes = new MutationObserver(() => undefined);
    changes.observe(find(page.root, ".bubble .md"), { childList: true, characterData: true, subtree: true });
    for (const text of [PIECE, "x".repeat(500_000), "- word\n"]) {
      await settle(() => page.core.emit({ type: "text_delta", ...place, round: 1, text }));
    }
    expect(changes.takeRecords()).toEqual([]);
    expect(find(page.root, ".chip").textContent).toContain("1,0");
  });

  it("shows its end at once, says no more than is drawn, and shows more on request", async () => {
    const page = await mounted();
    const usage = { input_tokens: null, output_tokens: null, cache_read_tokens: null, cache_write_tokens: null };
    await settle(() =>
      page.core.emit({ type: "turn_ended", ...place, end: "stopped", error: null, usage, claim: null }),
    );
    expect(find(page.root, ".pet-reply").getAttribute("aria-busy")).toBe("false");
    expect(find(page.root, ".sr[role=status]").textContent?.length).toBeLessThanOrEqual(MOST_DRAWN);
    const more = [...page.root.querySelectorAll<HTMLButtonElement>(".chip")].find((each) =>
      each.textContent?.startsWith("Show more"),
    );
    await settle(() => more?.click());
    expect(drawn(page)).toBeGreaterThan(MOST_DRAWN);
    expect(drawn(page)).toBeLessThanOrEqual(2 * MOST_DRAWN);
  });

  it("is cut before a word, and never inside a character", () => {
    expect(beginning(PIECE, 1_003)).toHaveLength(1_000);
    expect(beginning("🙂".repeat(1_000), 1_001)).toHaveLength(1_000);
    expect(beginning("short", 1_000)).toBe("short");
  });
});

describe("a conversation of ten thousand messages", () => {
  it("draws its newest turns and leaves the rest to be scrolled to", async () => {
    const page = await mountTalk(many(5000));
    expect(slots(page).length).toBeLessThan(60);
    expect(slots(page).at(-1)).toBe("t4999");
    const heights = [...page.root.querySelectorAll<HTMLElement>(".not-drawn")].map((each) => each.style.height);
    expect(Number.parseFloat(heights[0] ?? "")).toBeGreaterThan(100_000);
    expect(heights[1]).toBe("0px");
  });

  it("brings any turn into sight when it is asked for", async () => {
    const page = await mountTalk(many(5000));
    await settle(() => {
      page.store.navigation.targetTurn.value = { conversation: "c1", turn: "t2500" };
    });
    expect(slots(page)).toContain("t2500");
    expect(slots(page).length).toBeLessThan(60);
    expect(find(page.root, ".turn-slot.found").dataset["slot"]).toBe("t2500");
    expect(page.store.navigation.targetTurn.value).toBeNull();
  });

  it("shows the owner's new message wherever they were reading", async () => {
    const page = await mountTalk(many(5000));
    await settle(() => {
      page.store.navigation.targetTurn.value = { conversation: "c1", turn: "t10" };
    });
    const place = { conversation: "c1", turn: "new", at: NOW, text: "and now?", memory: true };
    await settle(() =>
      page.core.emit({ type: "turn_started", ...place, supersedes: null, attachments: [], kind: "message" }),
    );
    expect(slots(page).at(-1)).toBe("new");
    await settle(() =>
      page.core.emit({ type: "text_delta", conversation: "c1", turn: "new", round: 1, text: "Here." }),
    );
    expect(find(page.root, "[data-slot=new] .md").textContent).toBe("Here.");
  });

  it("is fetched in two parts, and what happens between them is not lost", async () => {
    const page = await mountTalk(many(1), (core) => core.addConversation({ id: "c2", title: "Long" }, many(400)));
    await settle(() => page.store.conversations.load("c2"));
    expect(page.store.conversations.of("c2").value?.turns).toHaveLength(60);
    expect(page.core.called("open_conversation").at(-1)).toEqual({ conversation: "c2", newest: 60 });
    const place = { conversation: "c2", turn: "t399" };
    page.core.emit({ type: "text_delta", ...place, round: 1, text: " and more" });
    await settle(() => page.store.tabs.open("c2"));
    const turns = page.store.conversations.of("c2").value?.turns ?? [];
    expect(turns.map((turn) => turn.turn)).toEqual(many(400).map((turn) => turn.turn));
    expect(turns.at(-1)?.rounds[0]?.text).toBe("reply 399 and more");
    expect(slots(page).at(-1)).toBe("t399");
    await settle(() => {
      page.store.navigation.targetTurn.value = { conversation: "c2", turn: "t5" };
    });
    expect(slots(page)).toContain("t5");
  });

  it("stays whole when the conversation gets shorter", async () => {
    const page = await mountTalk(many(300));
    await settle(() =>
      page.core.emit({
        type: "turn_started",
        conversation: "c1",
        turn: "again",
        at: NOW,
        text: "once more",
        memory: true,
        supersedes: "t3",
        attachments: [],
        kind: "edit",
      }),
    );
    expect(slots(page)).toEqual(["t0", "t1", "t2", "again"]);
  });
});

describe("which turns are drawn", () => {
  const { turns } = fromView({
    info: {
      id: "c",
      title: "",
      memory: true,
      temporary: false,
      read_only: false,
      updated_at: NOW,
      turns: 100,
      running: false,
      chosen: null,
      switches: [],
    },
    turns: many(100),
    dividers: [],
    damaged_lines: 0,
    opening: "",
    compacting: false,
    earlier: 0,
    seq: 0,
  });

  it("are those in sight and a screen or two around, by their real heights once known", () => {
    const heights = new Heights();
    for (const turn of turns) heights.set(turn.turn, 100);
    expect(heights.offset(turns, 100)).toBe(10_000);
    expect(heights.around(turns, 5000, 500, 200)).toEqual({ from: 48, to: 58 });
    expect(heights.fits(turns, { from: 30, to: 70 }, 5000, 500)).toBe(true);
    expect(heights.fits(turns, { from: 47, to: 70 }, 5000, 500)).toBe(false);
    expect(heights.fits(turns, { from: 0, to: 70 }, 5000, 500)).toBe(false);
    expect(heights.fits(turns, { from: 30, to: 70 }, 9000, 500)).toBe(false);
    heights.set("t0", 400);
    expect(heights.offset(turns, 1)).toBe(400);
  });

  it("are known for the turns that are there, however many were", () => {
    const heights = new Heights();
    for (let number = 0; number < 5_000; number += 1) {
      heights.set(`gone${number}`, 80);
      heights.offset(turns, 1);
    }
    heights.set("t0", 400);
    expect(heights.size).toBeLessThan(700);
    expect(heights.offset(turns, 1)).toBe(400);
  });

  it("are never out of bounds, nor none", () => {
    const heights = new Heights();
    expect(heights.around(turns, -9999, 10).from).toBe(0);
    expect(heights.around(turns, 1e9, 10).to).toBe(100);
    expect(heights.around([], 0, 800)).toEqual({ from: 0, to: 0 });
  });
});

describe("a failed reply", () => {
  const failed = (code: string) =>
    turnView("t1", "Look at this", "", { end: "failed", error: { code, args: {}, retryable: true } });

  it.each([
    ["fault_bad_key", "Enter the key", ["Retry"]],
    ["fault_no_key", "Enter the key", ["Retry"]],
    ["key_store_locked", "Enter the key", ["Retry"]],
    ["fault_forbidden", "Open settings", ["Retry"]],
    ["local_model_not_loaded", "Open settings", ["Retry"]],
    ["local_model_memory_now", "Retry", []],
    ["fault_model_unknown", "Open settings", ["Retry"]],
    ["fault_overloaded", "Retry", []],
    ["fault_timeout", "Retry", []],
    ["fault_window_exceeded", "Continue without earlier messages", ["Retry"]],
    ["fault_no_pictures", "Send without pictures", ["Retry"]],
    ["fault_daily_limit", "Go on today", ["Tokens and cost"]],
  ])("offers first what cures it: %s", async (code, first, others) => {
    const page = await mountTalk([failed(code)]);
    const buttons = [...page.root.querySelectorAll(".fault button")];
    expect(buttons.map((each) => each.textContent)).toEqual([first, ...others]);
    expect(buttons.map((each) => each.className)).toEqual(["primary", ...others.map(() => "")]);
  });
});

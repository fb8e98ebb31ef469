/** A reply: its waiting line, variants, remote pictures, tokens and cost. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TurnView } from "../../bindings";
import { faults } from "../axe";
import type { FakeCore } from "../core/core";
import { PICTURE, turnView } from "../core/records";
import { button, find, type Mounted, mountApp, mountTalk, RECEIPT, settle } from "../render";

describe("the waiting line", () => {
  const PLACE = { conversation: "c1", turn: "now" };

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  async function sent(prepare: (core: FakeCore) => void = () => undefined): Promise<Mounted> {
    const page = await mountTalk([], prepare);
    const started = { at: new Date().toISOString(), text: "hi", memory: true, supersedes: null, attachments: [] };
    await settle(() => page.core.emit({ type: "turn_started", ...PLACE, ...started, kind: "message" }));
    return page;
  }

  const here = (core: FakeCore) => {
    core.app = { ...core.app, local_model: "Qwen", demo: false };
  };
  const away = (core: FakeCore) => {
    core.app = { ...core.app, local_model: "", demo: false, key_needed: true, host: "api.example.com" };
  };
  const line = ({ root }: Mounted) => find(root, ".thinking").textContent;
  const wait = (seconds: number) => settle(() => vi.advanceTimersByTime(seconds * 1000));

  describe("a reply of which nothing came yet", () => {
    it("says after a while what a model on this computer does, and after a minute that it may be stopped", async () => {
      const page = await sent(here);
      const status = find(page.root, ".waiting-for[role=status]");
      expect(status.closest("[aria-busy=true]")).toBeNull();
      await wait(9);
      expect(line(page)).toBe("Thinking…");
      await wait(1);
      expect(status.textContent).toContain("reads its instructions");
      expect(line(page)).toContain("reads its instructions");
      expect(line(page)).not.toContain("stop it");
      await wait(50);
      expect(line(page)).toContain("You can stop it any time");
      expect(vi.getTimerCount()).toBe(0);
    });

    it("says that the model is being loaded while it is", async () => {
      const page = await sent(here);
      await settle(() =>
        page.core.emit({ type: "local_model_changed", local_model: "qwen", phase: "starting", problem: "" }),
      );
      await wait(10);
      expect(line(page)).toContain("The model is starting");
      await settle(() =>
        page.core.emit({ type: "local_model_changed", local_model: "qwen", phase: "ready", problem: "" }),
      );
      expect(line(page)).toContain("reads its instructions");
    });

    it("names the host that doesn't answer", async () => {
      const page = await sent(away);
      await wait(60);
      expect(line(page)).toContain("api.example.com hasn't answered yet.");
    });

    it("has nothing to add once the model thinks, speaks or has done something", async () => {
      const page = await sent(here);
      await wait(10);
      await settle(() => page.core.emit({ type: "thinking_delta", ...PLACE, round: 1, characters: 7 }));
      expect(line(page)).toBe("Thinking… (7 characters so far)");
      await settle(() => page.core.emit({ type: "round_started", ...PLACE, round: 2 }));
      expect(line(page)).toContain("reads its instructions");
      const tool = { call: "k", round: 2, tool: "read", file: "USER.md" };
      await settle(() => page.core.emit({ type: "tool_started", ...PLACE, ...tool }));
      await settle(() => page.core.emit({ type: "tool_ended", ...PLACE, call: "k", error: null, receipt: null }));
      expect(line(page)).toBe("Thinking…");
      await settle(() => page.core.emit({ type: "text_delta", ...PLACE, round: 2, text: "Hi" }));
      expect(page.root.querySelector(".waiting-for")).toBeNull();
      expect(vi.getTimerCount()).toBe(0);
    });

    it("keeps no timer while nobody sees it, and knows how long it took when seen again", async () => {
      const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(false);
      const page = await sent(here);
      const turned = () => settle(() => document.dispatchEvent(new Event("visibilitychange")));
      hidden.mockReturnValue(true);
      await turned();
      expect(vi.getTimerCount()).toBe(0);
      await wait(60);
      expect(line(page)).toBe("Thinking…");
      hidden.mockReturnValue(false);
      await turned();
      expect(line(page)).toContain("You can stop it any time");
    });
  });
});

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
      receipt: { ...RECEIPT, noted: [{ text: "likes tea", due: "", at: "", repeats: "", earlier: "" }] },
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

describe("remote pictures", () => {
  const ADDRESS = "https://xn--bcher-kva.example:8443/cat.png?soul=Mochi%20likes%20tea";
  const REPLY = "Look: ![a sleeping cat](https://bücher.example:8443/cat.png?soul=Mochi%20likes%20tea)";

  function talk(...replies: string[]): Promise<Mounted> {
    return mountApp((core) => {
      const turns = replies.map((reply, at) => turnView(`t${at + 1}`, "show me", reply));
      for (const id of ["c1", "c2"]) core.addConversation({ id, title: id }, turns);
      core.app = {
        ...core.app,
        tabs: ["c1", "c2"].map((conversation) => ({
          conversation,
          draft: "",
          scroll: 0,
          attachments: [],
          pinned: false,
        })),
        active_tab: "c1",
      };
    });
  }

  const requests = ({ core }: Mounted) => core.called("load_picture");
  const clickLoad = ({ root }: Mounted) => settle(() => button(root, "Load picture").click());

  describe("a picture that a reply points to", () => {
    it("is named with its whole host and address, and asked for by nobody", async () => {
      const page = await talk(REPLY);
      const card = find(page.root, ".no-image");
      expect(card.textContent).toContain("a sleeping cat");
      expect(find(card, ".address").textContent).toBe("xn--bcher-kva.example:8443");
      for (const each of card.querySelectorAll<HTMLElement>(".address, button"))
        expect(each.dataset["tip"]).toBe(ADDRESS);
      expect(find(card, ".words").dataset["tip"]).toContain(ADDRESS);
      expect(page.root.querySelector(".md img")).toBeNull();
      expect(requests(page)).toEqual([]);
      expect(await faults(page.root)).toEqual([]);
    });

    it("comes on a click, with its words for who can't see it, and large on another", async () => {
      const page = await talk(REPLY);
      const load = button(page.root, "Load picture");
      load.focus();
      await clickLoad(page);
      expect(requests(page)).toEqual([{ conversation: "c1", turn: "t1", address: ADDRESS }]);
      const shown = find<HTMLImageElement>(page.root, ".remote-image img");
      expect(shown.getAttribute("src")).toBe(PICTURE);
      expect(shown.alt).toBe("Open a sleeping cat");
      expect(document.activeElement).toBe(shown.parentElement);
      expect(find(page.root, ".remote-image [role=status]").textContent).toBe("Picture loaded");
      expect(find(page.root, ".remote-image .address").textContent).toBe("xn--bcher-kva.example:8443");
      await settle(() => shown.parentElement?.click());
      expect(find<HTMLImageElement>(page.root, "dialog .whole-picture").alt).toBe("a sleeping cat");
      expect(await faults(page.root)).toEqual([]);
    });

    it("stays where it was loaded, and is a placeholder everywhere else", async () => {
      const page = await talk(REPLY, REPLY);
      await clickLoad(page);
      expect(page.root.querySelectorAll(".remote-image")).toHaveLength(1);
      expect(page.root.querySelectorAll(".no-image")).toHaveLength(1);
      await settle(() => (page.store.tabs.active.value = "c2"));
      expect(page.root.querySelector(".remote-image")).toBeNull();
      await settle(() => (page.store.tabs.active.value = "c1"));
      expect(page.root.querySelectorAll(".remote-image")).toHaveLength(1);
      expect(requests(page)).toHaveLength(1);
    });

    it("says that it is on its way, and is asked for once", async () => {
      const page = await talk(REPLY);
      const answer = page.core.hold("load_picture");
      await clickLoad(page);
      const waiting = button(page.root, "Loading…");
      expect(waiting.getAttribute("aria-disabled")).toBe("true");
      await settle(() => waiting.click());
      expect(requests(page)).toHaveLength(1);
      await settle(answer);
      expect(page.root.querySelector(".remote-image img")).not.toBeNull();
    });

    it("says why it did not come, and can be asked for again", async () => {
      const page = await talk(REPLY);
      page.core.fail("load_picture", {
        code: "fetch_address_private",
        args: { host: "router.example", limit: 20 },
        retryable: false,
      });
      await clickLoad(page);
      expect(find(page.root, ".no-image .why").textContent).toContain("router.example is in your own network");
      expect(await faults(page.root)).toEqual([]);
      await settle(() => button(page.root, "Try again").click());
      expect(page.root.querySelector(".remote-image img")).not.toBeNull();
      expect(requests(page)).toHaveLength(2);
    });

    it("goes with its conversation", async () => {
      const page = await talk(REPLY);
      await clickLoad(page);
      await settle(() => page.core.emit({ type: "conversation_deleted", conversation: "c1" }));
      expect(page.store.pictures.of("c1", "t1").at(ADDRESS).value.is).toBe("closed");
    });

    it("does not come any more once its conversation is gone", async () => {
      const page = await talk(REPLY);
      const answer = page.core.hold("load_picture");
      await clickLoad(page);
      await settle(() => page.core.emit({ type: "conversation_deleted", conversation: "c1" }));
      await settle(answer);
      expect(page.store.pictures.of("c1", "t1").at(ADDRESS).value.is).toBe("closed");
    });
  });
});

describe("tokens and cost", () => {
  const withUsage =
    (prepare: (core: FakeCore) => void = () => undefined) =>
    (core: FakeCore) => {
      core.app = { ...core.app, show_usage: true };
      prepare(core);
    };
  const used = { input_tokens: 1000, output_tokens: 200, cache_read_tokens: 3000, cache_write_tokens: 500 };
  const today = {
    day: "2026-11-21",
    tokens: 4700,
    cost: 0.004,
    models: [{ model: "haiku", usage: used, cost: 0.004, local: false }],
  };

  it("of a reply are shown on request", async () => {
    const page = await mountTalk([turnView("t1", "x", "y", { usage: used })], withUsage());
    const when = find(page.root, "button.when");
    expect(when.textContent).not.toContain("4,500");
    await settle(() => when.click());
    expect(find(page.root, ".spent-line").textContent).toContain(
      "4,500 tokens in, 200 out · 3,000 of them from the cache",
    );
  });

  it("are shown to nobody who did not ask for them in the settings", async () => {
    const page = await mountTalk([turnView("t1", "x", "y", { usage: used })]);
    expect(page.root.querySelector("button.when")).toBeNull();
    await settle(() => button(page.root, "More").click());
    expect(() => button(page.root, "Tokens and cost")).toThrow();
  });

  it("of a server that does not say are not made up", async () => {
    const none = { input_tokens: null, output_tokens: null, cache_read_tokens: null, cache_write_tokens: null };
    const page = await mountTalk([turnView("t1", "x", "y", { usage: none })], withUsage());
    expect(page.root.querySelector("button.when")).toBeNull();
  });

  it("of a model on this computer are free, without a question for prices", async () => {
    const page = await mountTalk(
      [turnView("t1", "x", "y")],
      withUsage((core) => {
        core.spent = { ...core.spent, cost: null, local: core.spent.tokens };
        core.usage = {
          ...core.usage,
          today: { ...today, cost: null, models: [{ model: "Qwen3 4B", usage: used, cost: null, local: true }] },
        };
      }),
    );
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Tokens and cost").click());
    const dialog = find(page.root, "dialog");
    expect(dialog.textContent).toContain("Qwen3 4B · on this computer, free");
    expect(dialog.textContent).not.toContain("Enter your prices");
  });

  it("of the day stand in a dialog, with the limit and the prices", async () => {
    const page = await mountTalk(
      [turnView("t1", "x", "y")],
      withUsage((core) => {
        core.usage = {
          today,
          counted: today.tokens,
          days: [today, { ...today, day: "2026-11-20" }],
          limit: 4000,
          reached: true,
          allowed: false,
        };
      }),
    );
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Tokens and cost").click());
    const dialog = find(page.root, "dialog");
    expect(dialog.textContent).toContain("4,700 tokens today · 0.004 at your prices");
    expect(dialog.textContent).toContain("20 Nov");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(dialog, "Go on today").click());
    expect(dialog.textContent).toContain("You chose to go on");
    const limit = find<HTMLInputElement>(dialog, "#daily_tokens");
    await settle(() => {
      limit.value = "9000";
      limit.dispatchEvent(new Event("change", { bubbles: true }));
    });
    expect(page.core.called("change_settings")).toEqual([{ changes: { daily_tokens: 9000 } }]);
  });

  it("at the limit: one press goes on with the message that was held back", async () => {
    const error = { code: "fault_daily_limit", args: { limit: 4000, used: 4700 }, retryable: false };
    const page = await mountTalk([turnView("t1", "more", "", { end: "failed", error })]);
    expect(find(page.root, ".fault").textContent).toContain("of 4000 tokens are used");
    await settle(() => button(page.root, "Go on today").click());
    expect(page.core.called("allow_today")).toHaveLength(1);
    expect(page.core.called("resend")).toEqual([{ conversation: "c1", turn: "t1" }]);
  });
});

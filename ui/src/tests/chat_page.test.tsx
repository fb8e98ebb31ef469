import { afterEach, describe, expect, it, vi } from "vitest";
import type { TurnView } from "../bindings";
import { Heights } from "../chat/windowed";
import type { FakeCore } from "../ipc/fake";
import { NOW, turnView } from "../ipc/fake";
import { fromView } from "../state/conversation";
import { faults } from "./axe";
import { button, find, type Mounted, mountApp, press, settle, type } from "./render";

function talk(turns: TurnView[], prepare: (core: FakeCore) => void = () => undefined): Promise<Mounted> {
  return mountApp((core) => {
    core.addConversation({ id: "c1", title: "A talk" }, turns);
    core.app = {
      ...core.app,
      tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [] }],
      active_tab: "c1",
    };
    prepare(core);
  });
}

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => turnView(`t${at}`, `message ${at}`, `reply ${at}`));
const slots = ({ root }: Mounted) =>
  [...root.querySelectorAll<HTMLElement>("[data-slot]")].map((each) => each.dataset["slot"]);

afterEach(() => {
  vi.useRealTimers();
});

describe("a conversation in which nothing was said", () => {
  it("shows its greeting from the top, however low the window", async () => {
    const height = vi.spyOn(Element.prototype, "scrollHeight", "get").mockReturnValue(900);
    const empty = await talk([]);
    expect(find(empty.root, ".messages").scrollTop).toBe(0);
    const said = await talk(many(1));
    expect(find(said.root, ".messages").scrollTop).toBe(900);
    height.mockRestore();
  });
});

describe("a conversation that answers the pet", () => {
  it("begins with what it had asked, as words, in place of the empty page", async () => {
    const opened = (said: string) => (core: FakeCore) => {
      const view = core.conversations.get("c1");
      if (view) view.opening = said;
    };
    const asked = await talk([], opened("“<b>exam</b>”: how did it go?"));
    expect(find(asked.root, ".opening .bubble").textContent).toBe("“<b>exam</b>”: how did it go?");
    expect(asked.root.querySelector(".empty")).toBeNull();
    const answered = await talk(many(1), opened("How did it go?"));
    const [first, second] = answered.root.querySelectorAll("article");
    expect(first?.classList.contains("opening")).toBe(true);
    expect(second?.dataset["turn"]).toBeDefined();
  });
});

describe("a conversation that began empty", () => {
  it("is drawn wherever its owner scrolls", async () => {
    const page = await talk([]);
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
    const page = await talk(many(300));
    await settle(() => {
      page.store.turnAsked.value = { conversation: "c1", turn: "t10" };
    });
    await settle(() => page.store.load("c1"));
    expect(page.core.called("open_conversation").at(-1)).toEqual({ conversation: "c1" });
    expect(slots(page).length).toBeGreaterThan(0);
  });
});

describe("a conversation of ten thousand messages", () => {
  it("draws its newest turns and leaves the rest to be scrolled to", async () => {
    const page = await talk(many(5000));
    expect(slots(page).length).toBeLessThan(60);
    expect(slots(page).at(-1)).toBe("t4999");
    const heights = [...page.root.querySelectorAll<HTMLElement>(".not-drawn")].map((each) => each.style.height);
    expect(Number.parseFloat(heights[0] ?? "")).toBeGreaterThan(100_000);
    expect(heights[1]).toBe("0px");
  });

  it("brings any turn into sight when it is asked for", async () => {
    const page = await talk(many(5000));
    await settle(() => {
      page.store.turnAsked.value = { conversation: "c1", turn: "t2500" };
    });
    expect(slots(page)).toContain("t2500");
    expect(slots(page).length).toBeLessThan(60);
    expect(find(page.root, ".turn-slot.found").dataset["slot"]).toBe("t2500");
    expect(page.store.turnAsked.value).toBeNull();
  });

  it("shows the owner's new message wherever they were reading", async () => {
    const page = await talk(many(5000));
    await settle(() => {
      page.store.turnAsked.value = { conversation: "c1", turn: "t10" };
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
    const page = await talk(many(1), (core) => core.addConversation({ id: "c2", title: "Long" }, many(400)));
    await settle(() => page.store.load("c2"));
    expect(page.store.conversation("c2").value?.turns).toHaveLength(60);
    expect(page.core.called("open_conversation").at(-1)).toEqual({ conversation: "c2", newest: 60 });
    const place = { conversation: "c2", turn: "t399" };
    page.core.emit({ type: "text_delta", ...place, round: 1, text: " and more" });
    await settle(() => page.store.openTab("c2"));
    const turns = page.store.conversation("c2").value?.turns ?? [];
    expect(turns.map((turn) => turn.turn)).toEqual(many(400).map((turn) => turn.turn));
    expect(turns.at(-1)?.rounds[0]?.text).toBe("reply 399 and more");
    expect(slots(page).at(-1)).toBe("t399");
    await settle(() => {
      page.store.turnAsked.value = { conversation: "c2", turn: "t5" };
    });
    expect(slots(page)).toContain("t5");
  });

  it("stays whole when the conversation gets shorter", async () => {
    const page = await talk(many(300));
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
    info: { id: "c", title: "", memory: true, temporary: false, updated_at: NOW, turns: 100, running: false },
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
    expect(heights.enough(turns, { from: 30, to: 70 }, 5000, 500)).toBe(true);
    expect(heights.enough(turns, { from: 47, to: 70 }, 5000, 500)).toBe(false);
    heights.set("t0", 400);
    expect(heights.offset(turns, 1)).toBe(400);
  });

  it("are never out of bounds, nor none", () => {
    const heights = new Heights();
    expect(heights.around(turns, -9999, 10).from).toBe(0);
    expect(heights.around(turns, 1e9, 10).to).toBe(100);
    expect(heights.around([], 0, 800)).toEqual({ from: 0, to: 0 });
  });
});

describe("finding in a conversation", () => {
  it("counts, goes from one to the next, and closes", async () => {
    const page = await talk([
      turnView("t1", "Green tea?", "Yes."),
      turnView("t2", "And coffee", "Green TEA it is."),
      turnView("t3", "bye", "bye"),
    ]);
    await settle(() => press(document.body, "f", { ctrlKey: true }));
    const field = find<HTMLInputElement>(page.root, ".find-bar input");
    expect(document.activeElement).toBe(field);
    await settle(() => type(field, "tea green"));
    expect(find(page.root, ".find-bar [role=status]").textContent).toBe("2 messages");
    await settle(() => press(field, "Enter"));
    expect(find(page.root, ".turn-slot.found").dataset["slot"]).toBe("t2");
    await settle(() => press(field, "Enter"));
    expect(find(page.root, ".turn-slot.found").dataset["slot"]).toBe("t1");
    expect(find(page.root, ".find-bar [role=status]").textContent).toBe("1 of 2");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => type(field, "nowhere"));
    expect(find(page.root, ".find-bar").textContent).toContain("Nothing found");
    await settle(() => press(field, "Escape"));
    expect(page.root.querySelector(".find-bar")).toBeNull();
    expect(page.core.called("hide_chat")).toEqual([]);
  });
});

describe("the tabs", () => {
  const three = () =>
    mountApp((core) => {
      for (const id of ["a", "b", "c"])
        core.addConversation({ id, title: id.toUpperCase() }, [turnView("t", "x", "y")]);
      const tabs = ["a", "b", "c"].map((conversation) => ({ conversation, draft: "", scroll: 0, attachments: [] }));
      core.app = { ...core.app, tabs, active_tab: "a" };
    });
  const titles = ({ root }: Mounted) => [...root.querySelectorAll(".tab .title")].map((each) => each.textContent);

  it("come back as they were, draft and place included, the last one closed first", async () => {
    const page = await three();
    await settle(() => page.store.setDraft("b", "half a thought"));
    await settle(() => page.store.closeTab("b"));
    await settle(() => page.store.closeTab("c"));
    await settle(() => press(document.body, "T", { ctrlKey: true, shiftKey: true, code: "KeyT" }));
    expect(titles(page)).toEqual(["A", "C"]);
    await settle(() => press(document.body, "T", { ctrlKey: true, shiftKey: true, code: "KeyT" }));
    expect(titles(page)).toEqual(["A", "B", "C"]);
    expect(find<HTMLTextAreaElement>(page.root, ".composer textarea").value).toBe("half a thought");
  });

  it("that were deleted meanwhile are passed over", async () => {
    const page = await three();
    await settle(() => page.store.closeTab("b"));
    await settle(() => page.store.closeTab("c"));
    page.core.conversations.delete("c");
    await settle(() => page.store.reopenTab());
    expect(titles(page)).toEqual(["A", "B"]);
  });

  it("are moved by keys, and the core is told", async () => {
    const page = await three();
    await settle(() => press(document.body, "PageDown", { ctrlKey: true, shiftKey: true }));
    expect(titles(page)).toEqual(["B", "A", "C"]);
    await settle(() => press(document.body, "PageUp", { ctrlKey: true, shiftKey: true }));
    await settle(() => press(document.body, "PageUp", { ctrlKey: true, shiftKey: true }));
    expect(titles(page)).toEqual(["A", "B", "C"]);
    await settle(() => page.store.saveTabsNow());
    expect(page.core.called("save_tabs").at(-1)).toMatchObject({ active: "a" });
  });

  it("are moved by dragging over others", async () => {
    const page = await three();
    const tabs = [...page.root.querySelectorAll<HTMLElement>(".tab")];
    for (const [at, tab] of tabs.entries()) {
      tab.getBoundingClientRect = () => ({ left: at * 100, width: 100 }) as DOMRect;
    }
    const at = (kind: string, clientX: number) => new MouseEvent(kind, { bubbles: true, clientX, button: 0 });
    await settle(() => find(page.root, "[role=tab]").dispatchEvent(at("pointerdown", 50)));
    await settle(() => window.dispatchEvent(at("pointermove", 53)));
    expect(titles(page)).toEqual(["A", "B", "C"]);
    await settle(() => window.dispatchEvent(at("pointermove", 250)));
    expect(titles(page)).toEqual(["B", "C", "A"]);
    await settle(() => window.dispatchEvent(at("pointerup", 250)));
    await settle(() => window.dispatchEvent(at("pointermove", 50)));
    expect(titles(page)).toEqual(["B", "C", "A"]);
  });

  it("are renamed in their place with F2, and Escape leaves the name", async () => {
    const page = await three();
    await settle(() => press(document.body, "F2"));
    const field = find<HTMLInputElement>(page.root, ".tab .rename");
    await settle(() => {
      field.value = "茶和山";
      press(field, "Enter");
    });
    expect(page.core.called("rename_conversation")).toEqual([{ conversation: "a", title: "茶和山" }]);
    expect(titles(page)[0]).toBe("茶和山");
    await settle(() => press(document.body, "F2"));
    await settle(() => press(find(page.root, ".tab .rename"), "Escape"));
    expect(page.core.called("rename_conversation")).toHaveLength(1);
    expect(page.root.querySelector(".rename")).toBeNull();
  });
});

describe("keys", () => {
  it("are listed by F1, and by ? outside a field", async () => {
    const page = await talk([turnView("t1", "x", "y")]);
    const composer = find(page.root, ".composer textarea");
    await settle(() => press(composer, "?"));
    expect(page.root.querySelector("dialog")).toBeNull();
    await settle(() => press(document.body, "?"));
    expect(find(page.root, "dialog").textContent).toContain("Ctrl+Shift+T");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Close").click());
    await settle(() => press(document.body, "F1"));
    expect(page.root.querySelector("dialog")).not.toBeNull();
  });

  it("Escape hides the chat, but first stops a reply and closes what is open", async () => {
    const page = await talk([turnView("t1", "x", "y")]);
    const composer = find(page.root, ".composer textarea");
    await settle(() => press(composer, "Escape", { isComposing: true }));
    expect(page.core.called("hide_chat")).toHaveLength(0);
    await settle(() => press(composer, "Escape"));
    expect(page.core.called("hide_chat")).toHaveLength(1);
    const place = { conversation: "c1", turn: "t2", at: NOW, text: "x", memory: true };
    await settle(() =>
      page.core.emit({ type: "turn_started", ...place, supersedes: null, attachments: [], kind: "message" }),
    );
    await settle(() => press(composer, "Escape"));
    expect(page.core.called("stop_turn")).toHaveLength(1);
    expect(page.core.called("hide_chat")).toHaveLength(1);
  });

  it("the arrows bring back what was said, only into an empty field", async () => {
    const page = await talk([turnView("t1", "first", "y"), turnView("t2", "second\nline", "y")]);
    const field = find<HTMLTextAreaElement>(page.root, ".composer textarea");
    await settle(() => press(field, "ArrowUp"));
    expect(field.value).toBe("second\nline");
    await settle(() => press(field, "ArrowUp"));
    expect(field.value).toBe("first");
    await settle(() => press(field, "ArrowUp"));
    expect(field.value).toBe("first");
    await settle(() => press(field, "ArrowDown"));
    await settle(() => press(field, "ArrowDown"));
    expect(field.value).toBe("");
    await settle(() => type(field, "new words"));
    await settle(() => press(field, "ArrowUp"));
    expect(field.value).toBe("new words");
  });
});

describe("the list of conversations", () => {
  const hostile = "<img src=x onerror=alert(1)> green tea";

  it("finds what was said, marked, and opens it at the turn", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const page = await talk([turnView("t1", "hello", "hi")], (core) => {
      core.addConversation({ id: "c2", title: "Drinks" }, [...many(40), turnView("t91", hostile, "ok")]);
    });
    await settle(() => button(page.root, "Conversations").click());
    expect(find(page.root, "h2.day").textContent).not.toBe("");
    await settle(() => type(find<HTMLInputElement>(page.root, "[type=search]"), "Green tea"));
    await settle(() => vi.advanceTimersByTime(300));
    expect(find(page.root, ".hit-row mark").textContent).toBe("green tea");
    expect(find(page.root, ".hit-row").textContent).toContain("<img src=x");
    expect(page.root.querySelector(".hit-row img")).toBeNull();
    vi.useRealTimers(); // axe waits by them
    expect(await faults(page.root)).toEqual([]);
    await settle(() => find(page.root, ".hit-row button").click());
    expect(page.store.active.value).toBe("c2");
    expect(find(page.root, ".turn-slot.found").dataset["slot"]).toBe("t91");
    expect(find<HTMLInputElement>(page.root, ".find-bar input").value).toBe("green tea");
  });

  it("says so when nothing is found, and pages through very many", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const page = await talk([turnView("t1", "hello", "hi")], (core) => {
      for (let at = 0; at < 1000; at += 1) core.addConversation({ title: `Talk ${at}` }, many(1));
    });
    await settle(() => button(page.root, "Conversations").click());
    expect(page.root.querySelectorAll(".card-row")).toHaveLength(60);
    await settle(() => button(page.root, "Show more (941)").click());
    expect(page.root.querySelectorAll(".card-row")).toHaveLength(120);
    await settle(() => type(find<HTMLInputElement>(page.root, "[type=search]"), "zzz"));
    await settle(() => vi.advanceTimersByTime(300));
    expect(page.root.textContent).toContain("Nothing found.");
  });

  it("exports from the menu", async () => {
    const page = await talk([turnView("t1", "x", "y")]);
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Export as Markdown").click());
    expect(page.core.called("export_conversation")).toEqual([{ conversation: "c1", format: "markdown" }]);
    expect(find(page.root, ".notice").textContent).toContain("Exported to /home/lin/Downloads/c1.md");
  });
});

describe("tokens and cost", () => {
  const used = { input_tokens: 1000, output_tokens: 200, cache_read_tokens: 3000, cache_write_tokens: 500 };
  const today = {
    day: "2026-11-21",
    tokens: 4700,
    cost: 0.004,
    models: [{ model: "haiku", usage: used, cost: 0.004 }],
  };

  it("of a reply are shown on request", async () => {
    const page = await talk([turnView("t1", "x", "y", { usage: used })]);
    const when = find(page.root, "button.when");
    expect(when.textContent).not.toContain("4,500");
    await settle(() => when.click());
    expect(find(page.root, ".spent-line").textContent).toContain(
      "4,500 tokens in, 200 out · 3,000 of them from the cache",
    );
  });

  it("of a server that does not say are not made up", async () => {
    const none = { input_tokens: null, output_tokens: null, cache_read_tokens: null, cache_write_tokens: null };
    const page = await talk([turnView("t1", "x", "y", { usage: none })]);
    expect(page.root.querySelector("button.when")).toBeNull();
  });

  it("of the day stand in a dialog, with the limit and the prices", async () => {
    const page = await talk([turnView("t1", "x", "y")], (core) => {
      core.usage = {
        today,
        days: [today, { ...today, day: "2026-11-20" }],
        limit: 4000,
        reached: true,
        allowed: false,
      };
    });
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Tokens and cost").click());
    const dialog = find(page.root, "dialog");
    expect(dialog.textContent).toContain("4,700 tokens today · 0.004 by your prices");
    expect(dialog.textContent).toContain("20 Nov");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(dialog, "Go on today").click());
    expect(dialog.textContent).toContain("You said to go on");
    const limit = find<HTMLInputElement>(dialog, "#daily_tokens");
    await settle(() => {
      limit.value = "9000";
      limit.dispatchEvent(new Event("change", { bubbles: true }));
    });
    expect(page.core.called("change_settings")).toEqual([{ changes: { daily_tokens: 9000 } }]);
  });

  it("at the limit: one press goes on with the message that was held back", async () => {
    const error = { code: "fault_daily_limit", args: { limit: 4000, used: 4700 }, retryable: false };
    const page = await talk([turnView("t1", "more", "", { end: "failed", error })]);
    expect(find(page.root, ".fault").textContent).toContain("4000 tokens a day");
    await settle(() => button(page.root, "Go on today").click());
    expect(page.core.called("allow_today")).toHaveLength(1);
    expect(page.core.called("resend")).toEqual([{ conversation: "c1", turn: "t1" }]);
  });
});

/** Activity of a reply: receipts, tool lines, recalled memories, and claims without a write. */
import { describe, expect, it } from "vitest";
import type { Claim, TurnView, UsedMemory } from "../../bindings";
import { dayFromToday } from "../../memory/places";
import { faults } from "../axe";
import type { FakeCore } from "../core/core";
import { RECEIPT } from "../core/memory";
import { turnView } from "../core/records";
import { button, find, type Mounted, mountApp, openAt, press, settle, wrote } from "../render";

const HOSTILE = '<img src=x onerror="window.stolen=1"><script>window.stolen=1</script>';

function talk(turn: TurnView, prepare: (core: FakeCore) => void = () => undefined): Promise<Mounted> {
  return mountApp((core) => {
    core.addConversation({ id: "c1", memory: turn.memory }, [turn]);
    core.app = {
      ...core.app,
      tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
      active_tab: "c1",
    };
    prepare(core);
  });
}

describe("a receipt", () => {
  it("of a log is viewed, undone and forgotten", async () => {
    const page = await talk(wrote(RECEIPT));
    await settle(() => button(page.root, "View").click());
    const dialog = find<HTMLElement>(page.root, "dialog");
    expect(find(dialog, ".receipt-said").textContent).toBe("Green tea, never coffee");
    expect(page.core.called("diff_versions")).toEqual([]);
    await settle(() => {
      find<HTMLDetailsElement>(dialog, "details").open = true;
      find(dialog, "details").dispatchEvent(new Event("toggle"));
    });
    expect(page.core.called("diff_versions")).toEqual([{ file: RECEIPT.file, old: "v1", new: "v2" }]);
    await settle(() => button(page.root, "Undo").click());
    expect(page.core.called("undo_receipt")).toEqual([{ conversation: "c1", turn: "t1", call: "k" }]);
    expect(find(page.root, ".receipt").textContent).toContain("Undone");
    await settle(() => button(page.root, "Redo").click());
    expect(page.core.called("redo_receipt")).toEqual([{ conversation: "c1", turn: "t1", call: "k" }]);
    expect(find(page.root, ".receipt").textContent).toContain("Wrote down: Green tea, never coffee");
  });

  it("with a day is a reminder in words, and names neither file nor date", async () => {
    const friday = { text: "hand in the report", due: dayFromToday(1), at: "", repeats: "", earlier: "" };
    const page = await talk(wrote({ ...RECEIPT, noted: [friday] }));
    expect(find(page.root, ".receipt-text").textContent).toBe("I'll remind you tomorrow: hand in the report");
    const put_off = { due: dayFromToday(0), at: "13:00", text: "hand in the report", repeats: "" };
    await settle(() => {
      const row = { ...put_off, file: RECEIPT.file, line: 3, overdue: false };
      page.store.memory.reminders.value = { due: [], coming: [row] };
    });
    expect(find(page.root, ".receipt-text").textContent).toBe("I'll remind you today at 13:00: hand in the report");
  });

  it("of the profile is the sentence alone", async () => {
    const noted = [{ text: "Your name is Annie.", due: "", at: "", repeats: "", earlier: "" }];
    const page = await talk(wrote({ ...RECEIPT, file: "USER.md", noted }));
    expect(find(page.root, ".receipt-text").textContent).toBe("Your name is Annie.");
  });

  it("that names an older line offers to replace it, until that is done or the note undone", async () => {
    const noted = { text: "I moved to Oslo", due: "", at: "", repeats: "", earlier: "I live in Rome\u200b" };
    const turn = wrote({ ...RECEIPT, noted: [noted] });
    const page = await talk(turn);
    expect(find(page.root, ".receipt .earlier").textContent).toContain("Earlier: “I live in RomeU+200B”");
    expect(find(page.root, ".receipt-text").textContent).toContain("I moved to Oslo");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Replace it").click());
    expect(page.core.called("replace_earlier")).toEqual([{ conversation: "c1", turn: "t1", call: "k" }]);
    await settle(() => button(page.root, "Undo").click());
    expect(page.root.querySelector(".receipt .earlier")).toBeNull();
    const [tool] = turn.tools;
    if (!tool) throw new Error("it wrote nothing");
    const profile = { ...RECEIPT, file: "USER.md", noted: [] };
    const replaced = { ...tool, call: "r", tool: "replace_earlier", file: "USER.md", receipt: profile };
    const done = await talk({ ...turn, tools: [tool, replaced] });
    expect(done.root.querySelector(".receipt .earlier")).toBeNull();
  });

  it("in Chinese keeps a time of day apart, and no space behind a wide colon", async () => {
    const noted = { text: "关火", due: dayFromToday(1), at: "15:00", repeats: "", earlier: "" };
    const chinese = (core: FakeCore) => {
      core.app = { ...core.app, language: "zh" };
    };
    const page = await talk(wrote({ ...RECEIPT, noted: [noted] }), chinese);
    expect(find(page.root, ".receipt-text").textContent).toBe("明天 15:00 提醒你：关火");
    const other = await talk(wrote({ ...RECEIPT, noted: [{ ...noted, due: "" }] }), chinese);
    expect(find(other.root, ".receipt-text").textContent).toBe("记下了：关火");
    await settle(() => button(other.root, "查看").click());
    const opens = [...find(other.root, "dialog").querySelectorAll("button")].at(-1);
    expect(opens?.textContent).toMatch(/^打开.*日的日志$/);
  });

  it("with a time of day and a series says both", async () => {
    const noted = { text: "hand in the report", due: dayFromToday(1), at: "15:00", repeats: "", earlier: "" };
    const page = await talk(wrote({ ...RECEIPT, noted: [noted] }));
    expect(find(page.root, ".receipt-text").textContent).toBe(
      "I'll remind you tomorrow at 15:00: hand in the report",
    );
    const weekly = { ...noted, repeats: "every Monday", earlier: "" };
    const other = await talk(wrote({ ...RECEIPT, noted: [weekly] }));
    const words = "I'll remind you every Monday at 15:00, first tomorrow: hand in the report";
    expect(find(other.root, ".receipt-text").textContent).toBe(words);
  });

  it("of all changes of a reply are one card; what was undone is struck out", async () => {
    const second = { call: "k2", round: 2, tool: "edit", file: "USER.md", running: false, error: null };
    const turn = wrote(RECEIPT);
    turn.tools.push({
      ...second,
      receipt: { ...RECEIPT, file: "USER.md", noted: [{ text: "Sam", due: "", at: "", repeats: "", earlier: "" }] },
    });
    turn.receipts = [{ call: "k2", state: "undone", kept: null }];
    const page = await talk(turn);
    expect(page.root.querySelectorAll(".receipts")).toHaveLength(1);
    expect(page.root.querySelectorAll(".receipts .receipt")).toHaveLength(2);
    expect(find(page.root, ".receipt.undone s").textContent).toBe("Sam");
    expect(await faults(page.root)).toEqual([]);
  });

  it.each([
    ["undone", "Undone", "Redo"],
    ["forgotten", "Forgotten", null],
  ] as const)("that is %s when the chat opens says so, and can't be undone", async (state, words, act) => {
    const page = await talk({ ...wrote(RECEIPT), receipts: [{ call: "k", state, kept: null }] });
    const row = find(page.root, ".receipt");
    expect(row.textContent).toContain(words);
    expect(() => button(row, "Undo")).toThrow();
    expect([...row.querySelectorAll("button")].some((each) => each.textContent === "Redo")).toBe(act !== null);
  });

  it("that was kept with its secret when the chat opens says so", async () => {
    const changed = { call: "k", state: "kept", kept: { ...RECEIPT, before: "v2", after: "v3" } } as const;
    const page = await talk({ ...wrote({ ...RECEIPT, masked: ["password"] }), receipts: [changed] });
    expect(find(page.root, ".masked").textContent).toContain("Kept because you asked");
  });

  it("tells what was left out, and puts it back at a word", async () => {
    const page = await talk(wrote({ ...RECEIPT, masked: ["password", "a_new_kind"] }));
    expect(find(page.root, ".masked").textContent).toContain("a password, something secret");
    await settle(() => button(page.root, "Keep it anyway").click());
    expect(page.core.called("keep_secret")).toEqual([{ conversation: "c1", turn: "t1", call: "k" }]);
    expect(find(page.root, ".masked").textContent).toContain("Kept because you asked");
    await settle(() => button(page.root, "Undo").click());
    expect(find(page.root, ".masked").textContent).toContain("Left out");
  });

  it("forgets what stands in the log, once it was kept anyway", async () => {
    const page = await talk(wrote({ ...RECEIPT, masked: ["password"] }));
    await settle(() => button(page.root, "Keep it anyway").click());
    await settle(() => button(page.root, "Forget…").click());
    expect(page.core.called("list_forget")).toMatchObject([{ receipt: { before: "v2", after: "v3" } }]);
  });

  it("is forgotten after the whole list was seen", async () => {
    const page = await talk(wrote(RECEIPT), (core) => {
      const piece = {
        where: "log",
        path: RECEIPT.file,
        start_line: 3,
        end_line: 5,
        text: `tea\n${HOSTILE}`,
        time: "",
        category: "",
      } as const;
      core.memory.forgets = { text: "tea", goes: [piece], stays: [{ ...piece, where: "said", text: "I love tea" }] };
    });
    await settle(() => button(page.root, "Forget…").click());
    expect(page.core.called("list_forget")).toEqual([{ receipt: RECEIPT }]);
    const dialog = find(page.root, "dialog");
    expect(dialog.textContent).toContain(HOSTILE);
    expect(dialog.querySelector("img, script")).toBeNull();
    expect(dialog.textContent).toContain("I love tea");
    expect(document.activeElement?.textContent).toBe("Keep");
    expect(page.core.called("forget")).toEqual([]);
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(dialog, "Forget").click());
    expect(page.core.called("forget")).toEqual([{ receipt: RECEIPT }]);
    expect(dialog.textContent).toContain("What is left");
    page.core.addConversation({ id: "c1" }, [
      { ...wrote(RECEIPT), receipts: [{ call: "k", state: "forgotten", kept: null }] },
    ]);
    await settle(() => page.core.emit({ type: "forgotten", conversations: ["c1"] }));
    await settle(() => button(dialog, "Close").click());
    expect(find(page.root, ".receipt").textContent).toContain("Forgotten");
    expect(() => button(find(page.root, ".receipt"), "Undo")).toThrow();
  });
});

describe("tool lines", () => {
  it.each([
    ["memory_search", "红叶", "Looked for “红叶”"],
    ["memory_search", null, "Searched my notes"],
    ["memory_get", "memory/2026-11-03.md", "Looked up 3 Nov"],
    ["memory_forget", "tea", "Forget “tea”"],
    ["memory_forget", "[forgotten at your request]", "Forget something"],
    ["memory_search", "［应你的要求，已忘记］", "Searched my notes"],
    ["skill", "morning", "Used the skill “morning”"],
    ["fetch_page", "https://example.org/a", "Read https://example.org/a"],
    ["fetch_page", null, "Read a web page"],
    ["tidy", "MEMORY.md", "Tidying MEMORY.md"],
    ["somewhere_else", null, "Used somewhere_else"],
  ])("%s %s", async (tool, file, words) => {
    const call = { call: "k", round: 1, tool, file, running: false, error: null, receipt: null };
    const page = await talk(turnView("t1", "hi", "done", { tools: [call] }));
    expect(find(page.root, ".tools summary").textContent).toBe(words);
  });
});

describe("what has a receipt", () => {
  it("is told once: there is no line of steps beside it", async () => {
    const page = await talk(wrote(RECEIPT));
    expect(page.root.querySelectorAll(".receipt")).toHaveLength(1);
    expect(page.root.querySelector(".tools")).toBeNull();
  });

  it("stands below the line of steps where another step has none", async () => {
    const turn = wrote(RECEIPT);
    const read = { call: "k0", round: 1, tool: "read", file: "USER.md", running: false, error: null, receipt: null };
    const page = await talk({ ...turn, tools: [read, ...turn.tools.map((tool) => ({ ...tool, round: 1 }))] });
    expect(find(page.root, ".tools summary").textContent).toBe("2 steps");
    expect(page.root.querySelectorAll(".receipt")).toHaveLength(1);
  });
});

describe("what the owner refused", () => {
  it.each([
    ["memory_forget", "tea", "tool_forget_refused", "You kept it"],
    ["fetch_page", "https://example.org/a", "tool_page_refused", "You said no"],
    ["write", "SOUL.md", "tool_owner_refused", "You kept SOUL.md as it was"],
  ])("%s is an answer, not a failure", async (tool, file, code, words) => {
    const error = { code, args: { file }, retryable: false };
    const call = { call: "k", round: 1, tool, file, running: false, error, receipt: null };
    const page = await talk(turnView("t1", "hi", "done", { tools: [call] }));
    expect(find(page.root, ".tools summary").textContent).toContain(`· ${words}`);
    expect(find(page.root, ".tools").textContent).not.toContain("failed");
    expect(find(page.root, ".tools li").textContent).toContain(words);
  });
});

describe("forgetting that the pet proposes", () => {
  const proposal = {
    id: "p1",
    file: "",
    reason: "forget",
    before: `entry\n${HOSTILE}`,
    after: "",
    base: "",
    category: "",
    call: null,
    noted: null,
    foreign: [] as never[],
  } as const;
  const asking = () => talk(turnView("t1", "forget it", "", { end: null, proposal }));
  const answers = (page: Mounted) => page.core.called("answer_proposal");

  it("shows the whole list, with nothing to edit", async () => {
    const page = await asking();
    expect(find(page.root, ".forget-list").textContent).toBe(proposal.before);
    expect(() => button(find(page.root, ".proposal"), "Edit")).toThrow();
    expect(page.core.called("diff_texts")).toEqual([]);
    expect(await faults(page.root)).toEqual([]);
  });

  it("is not allowed by Enter, wherever the focus is", async () => {
    const page = await asking();
    for (const place of page.root.querySelectorAll<HTMLElement>(".proposal h2, .proposal button, .forget-list")) {
      place.focus();
      await settle(() => {
        const event = press(place, "Enter");
        if (!event.defaultPrevented && place.textContent === "Forget") place.click();
      });
    }
    expect(answers(page)).toEqual([]);
  });

  it("is kept or forgotten by a click", async () => {
    const page = await asking();
    await settle(() => button(find(page.root, ".proposal"), "Keep").click());
    await settle(() => button(find(page.root, ".proposal"), "Forget").click());
    expect(answers(page)).toMatchObject([{ answer: "refuse" }, { answer: "allow" }]);
  });
});

describe("recall and claims", () => {
  const HOSTILE = '<img src=x onerror="window.stolen=1"><script>window.stolen=1</script>';
  const LOG: UsedMemory = {
    path: "memory/2026-11-03.md",
    start_line: 5,
    end_line: 7,
    source: "log",
    snippet: "To Xiangshan when the leaves are red.",
    turn: null,
    sure: true,
    superseded: false,
    heading: "",
    carried: false,
  };
  const PROFILE: UsedMemory = { ...LOG, path: "USER.md", source: "profile", snippet: HOSTILE };

  function talk(turn: TurnView, prepare: (core: FakeCore) => void = () => undefined): Promise<Mounted> {
    return mountApp((core) => {
      core.addConversation({ id: "c1", memory: turn.memory }, [turn]);
      core.app = {
        ...core.app,
        tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
        active_tab: "c1",
      };
      prepare(core);
    });
  }

  describe("used memories", () => {
    const showSent = async (page: Mounted) => {
      await settle(() => button(page.root, "More for this message").click());
      await settle(() => button(page.root, "Notes sent with it").click());
    };

    it("one is a chip with its words on hover, and leads to where it comes from", async () => {
      const page = await talk(turnView("t1", "hi", "yes", { used: [LOG] }), (core) => {
        const { path: file, start_line, end_line, snippet } = LOG;
        const said = {
          file,
          start_line,
          end_line,
          text: snippet,
          sentence: snippet,
          day: "",
          due: "",
          ended: false,
          since: "",
          earlier: [],
        };
        core.memory.statements = [{ name: "lately", total: 1, statements: [said] }];
      });
      const chip = find(page.root, ".used-chip");
      expect(chip.dataset["tip"]).toContain("when the leaves are red");
      expect(chip.textContent).toContain("3 Nov");
      await settle(() => chip.click());
      expect(page.store.navigation.section.value).toBe("us");
      expect(page.core.called("explain_statement")).toEqual([{ file: LOG.path, line: LOG.start_line }]);
      expect(find(page.root, ".asked").textContent).toContain("Nobody knows any more");
      await openAt(page, "me");
      await openAt(page, "us");
      expect(page.root.querySelector(".asked")).toBeNull();
    });

    it("several fold to their number, unfold with their words, and are inert", async () => {
      const page = await talk(turnView("t1", "hi", "yes", { used: [LOG, PROFILE] }));
      expect(page.root.querySelector(".used-row")).toBeNull();
      await settle(() => button(page.root, "2 notes").click());
      expect(button(page.root, "2 notes").getAttribute("aria-expanded")).toBe("true");
      expect(page.root.querySelectorAll(".used-row .snippet")[1]?.textContent).toBe(HOSTILE);
      expect(page.root.querySelector(".used img, .used script")).toBeNull();
      expect(await faults(page.root)).toEqual([]);
    });

    it("come with the event too", async () => {
      const page = await talk(turnView("t1", "hi", "", { end: null }));
      await settle(() =>
        page.core.emit({ type: "context_used", conversation: "c1", turn: "t1", used: [LOG], sent: [] }),
      );
      expect(find(page.root, ".used-chip").textContent).toContain("From memory");
    });

    it("that were not used are shown on request, and lead to where they come from", async () => {
      const turn = turnView("t1", "hi", "Ana plays the cello.", { sent: [PROFILE, LOG] });
      const page = await talk(turn, (core) => {
        const { path: file, snippet } = LOG;
        const moved = {
          start_line: 9,
          end_line: 9,
          text: snippet,
          sentence: snippet,
          day: "",
          due: "",
          ended: false,
          since: "",
        };
        const statement = { file, ...moved, earlier: [] };
        core.memory.statements = [{ name: "lately", total: 1, statements: [statement] }];
      });
      expect(page.root.querySelector(".used")).toBeNull();
      await showSent(page);
      expect(find(page.root, ".sent-chip").textContent).toBe("Sent with 2 notes");
      expect(page.root.querySelectorAll(".used-row .snippet")[0]?.textContent).toBe(HOSTILE);
      expect(page.root.querySelector(".used img, .used script")).toBeNull();
      expect(await faults(page.root)).toEqual([]);
      await settle(() => page.root.querySelectorAll<HTMLElement>(".used-row")[1]?.click());
      expect(page.core.called("find_statement")).toEqual([{ file: LOG.path, line: 5, text: LOG.snippet }]);
      expect(page.core.called("explain_statement")).toEqual([{ file: LOG.path, line: 9 }]);
    });

    it("that are in no file any more say so", async () => {
      const page = await talk(turnView("t1", "hi", "yes", { sent: [LOG] }));
      await showSent(page);
      await settle(() => find(page.root, ".used-row").click());
      expect(find(page.root, ".asked").textContent).toContain("no longer in my memory");
      expect(page.core.called("explain_statement")).toEqual([]);
    });

    it("are none where nothing was sent", async () => {
      const page = await talk(turnView("t1", "hi", "yes", { memory: false }));
      expect(page.root.querySelector(".used")).toBeNull();
    });

    it("of a conversation open it at the turn", async () => {
      const used = { ...LOG, path: "conversations/c2.jsonl", source: "conversation", turn: "t5" };
      const page = await talk(turnView("t1", "hi", "yes", { used: [used] }), (core) => {
        const turns = Array.from({ length: 90 }, (_, at) => turnView(`t${at}`, `message ${at}`, "ok"));
        core.addConversation({ id: "c2", title: "Old" }, turns);
      });
      await settle(() => find(page.root, ".used-chip").click());
      expect(page.store.tabs.active.value).toBe("c2");
      expect(find(page.root, ".turn-slot.found").textContent).toContain("message 5");
    });
  });

  describe("a reply that claims", () => {
    const claimed: Claim = { kind: "saved", quote: "I've noted that!", never_calls: false };
    const requested: Claim = { kind: "asked_off", quote: "remember this", never_calls: false };

    it("to have saved is marked, and saved at a word", async () => {
      const page = await talk(turnView("t1", "I love tea", "I've noted that!", { claim: claimed }));
      expect(find(page.root, ".claim").textContent).toContain("nothing was saved");
      await settle(() => button(page.root, "Save it now").click());
      expect(page.core.called("remember_turn")).toEqual([{ conversation: "c1", turn: "t1", switch_on: false }]);
      expect(page.root.querySelector(".claim")).toBeNull();
      expect(find(page.root, ".receipt").textContent).toContain("Wrote down: Green tea, never coffee");
      expect(page.root.querySelectorAll(".receipt")).toHaveLength(1);
    });

    it("nothing though the owner asked twice offers the small model's way", async () => {
      const asked: Claim = { kind: "asked", quote: "remember this", never_calls: true };
      const page = await talk(turnView("t1", "remember this", "Sure.", { claim: asked }));
      await settle(() => button(page.root, "Note things for it").click());
      expect(page.core.called("use_small_way")).toEqual([{ conversation: "c1" }]);
      expect(find(page.root, ".claim [role=status]").textContent).toBe("From your next message on.");
      expect(await faults(page.root)).toEqual([]);
    });

    it("what is there already is told, not written twice", async () => {
      const page = await talk(turnView("t1", "I love tea", "Noted!", { claim: claimed }), (core) => {
        core.memory.remembered = null;
      });
      await settle(() => button(page.root, "Save it now").click());
      expect(page.root.textContent).toContain("already in the log");
    });

    it("while memory was off is offered with turning it on, the pause included", async () => {
      const page = await talk(turnView("t1", "remember this", "I can't.", { claim: requested, memory: false }));
      await settle(() => page.core.emit({ type: "memory_paused", paused: true }));
      await settle(() => button(page.root, "Turn on and remember").click());
      expect(page.core.called("pause_memory")).toEqual([{ paused: false }]);
      expect(page.core.called("remember_turn")).toEqual([{ conversation: "c1", turn: "t1", switch_on: true }]);
    });

    it.each([requested, claimed, { ...claimed, kind: "temporary" } as const])(
      "in a temporary conversation offers nothing",
      async (claim) => {
        const page = await mountApp((core) => {
          core.addConversation({ id: "c1", temporary: true, memory: false }, [
            turnView("t1", "remember this", "Noted!", { claim, memory: false }),
          ]);
          core.app = {
            ...core.app,
            tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
            active_tab: "c1",
          };
        });
        expect(page.root.querySelector(".claim")).toBeNull();
        expect(page.root.textContent).toContain("temporary, so nothing was saved");
        expect(page.root.textContent).not.toMatch(/Save it now|Turn on and remember/);
      },
    );

    it("keeps its mark when saving failed, and says why", async () => {
      const page = await talk(turnView("t1", "I love tea", "Noted!", { claim: claimed }));
      page.core.fail("remember_turn", { code: "write_failed", args: { file: "x", reason: "full" }, retryable: true });
      await settle(() => button(page.root, "Save it now").click());
      expect(page.root.querySelector(".claim")).not.toBeNull();
      expect(page.root.querySelectorAll(".notice")).toHaveLength(1);
    });
  });
});

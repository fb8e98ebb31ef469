import { describe, expect, it, vi } from "vitest";
import type { FileView, PetEvent } from "../../bindings";
import { startEditing } from "../../state/editing";
import { NOW, turnView } from "../core/records";
import largeSoul from "../large_soul.json";
import { makeStore } from "../store";

const delta = (text: string) => ({ type: "text_delta", conversation: "c1", turn: "t1", round: 1, text }) as const;

describe("opening a conversation", () => {
  it("applies an event that came meanwhile once, and none that the view holds already", async () => {
    const { core, store } = makeStore();
    const view = core.addConversation({ id: "c1" }, [turnView("t1", "hi", "one ", { end: null })]);
    view.seq = 5;
    const opening = store.tabs.open("c1");
    store.deliver({
      resync: false,
      events: [
        { seq: 5, event: delta("one ") },
        { seq: 6, event: delta("two") },
      ],
    });
    await opening;
    expect(store.conversations.of("c1").value?.turns[0]?.rounds[0]?.text).toBe("one two");
    store.deliver({
      resync: false,
      events: [
        { seq: 6, event: delta("two") },
        { seq: 9, event: delta("!") },
      ],
    });
    expect(store.conversations.of("c1").value?.turns[0]?.rounds[0]?.text).toBe("one two!");
  });

  it("after dropped events everything open is fetched again", async () => {
    const { core, store } = makeStore((fake) => {
      fake.addConversation({ id: "c1" }, [turnView("t1", "hi", "old")]);
      fake.app = {
        ...fake.app,
        tabs: [{ conversation: "c1", draft: "so far", scroll: 12, attachments: [], pinned: false }],
        active_tab: "c1",
      };
    });
    await store.start();
    expect(store.drafts.of("c1").value).toBe("so far");
    core.addConversation({ id: "c1" }, [turnView("t1", "hi", "new")]);
    store.deliver({ resync: true, events: [] });
    await vi.waitFor(() => expect(store.conversations.of("c1").value?.turns[0]?.rounds[0]?.text).toBe("new"));
  });

  it("of a tab whose conversation is gone closes the tab and opens a new one", async () => {
    const { store } = makeStore((fake) => {
      fake.app = {
        ...fake.app,
        tabs: [{ conversation: "gone", draft: "", scroll: 0, attachments: [], pinned: false }],
        active_tab: "gone",
      };
    });
    await store.start();
    expect(store.tabs.ids.value).toEqual(["c1"]);
    expect(store.notices.list.value).toEqual([]);
  });
});

describe("what the page is first drawn with", () => {
  const tab = { conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false };

  it("is the conversation in front, fetched before the others", async () => {
    const { core, store } = makeStore((fake) => {
      fake.addConversation({ id: "behind" });
      fake.addConversation({ id: "c1" });
      fake.app = { ...fake.app, tabs: [{ ...tab, conversation: "behind" }, tab], active_tab: "c1" };
    });
    const opened = core.hold("open_conversation");
    const started = store.start();
    await vi.waitFor(() => expect(core.called("open_conversation")).toMatchObject([{ conversation: "c1" }]));
    expect([store.app.value === null, store.drawable]).toEqual([false, false]);
    opened();
    await started;
    expect(store.drawable).toBe(true);
    expect(store.conversations.has("behind")).toBe(true);
  });

  it("is an empty one where none was open", async () => {
    const { store } = makeStore();
    await store.start();
    expect([store.tabs.ids.value, store.drawable]).toEqual([["c1"], true]);
  });

  it("is why it can't be read, or the whole page not started, and what the first start asks", async () => {
    const fault = { code: "unreadable", args: {}, retryable: true };
    const { store: unread } = makeStore((fake) => {
      fake.app = { ...fake.app, tabs: [tab], active_tab: "c1" };
      fake.fail("open_conversation", fault);
    });
    const { store: unstarted } = makeStore((fake) => fake.fail("get_app_state", fault));
    const { core, store: first } = makeStore((fake) => {
      fake.app = { ...fake.app, welcome: 1 };
    });
    core.hold("take_request");
    void first.start();
    await Promise.all([unread.start(), unstarted.start()]);
    await vi.waitFor(() =>
      expect([unread, unstarted, first].map((store) => store.drawable)).toEqual([true, true, true]),
    );
  });
});

describe("what was asked for before the page listened", () => {
  const kept = [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }];

  it("is shown in place of the tab that was in front", async () => {
    const { store } = makeStore((fake) => {
      fake.addConversation({ id: "c1" });
      fake.addConversation({ id: "asked" });
      fake.app = { ...fake.app, tabs: kept, active_tab: "c1" };
      fake.handlers.take_request = () => ({ view: "chat", conversation: "asked" });
    });
    // Delivered too early: the tabs are restored after it.
    store.deliver({
      resync: false,
      events: [{ seq: 1, event: { type: "conversation_asked", conversation: "asked" } }],
    });
    await store.start();
    expect([store.tabs.ids.value, store.tabs.active.value, store.navigation.view.value]).toEqual([
      ["c1", "asked"],
      "asked",
      "chat",
    ]);
  });

  it("needs no empty tab beside it, and may be a view", async () => {
    const { store } = makeStore((fake) => {
      fake.addConversation({ id: "asked" });
      fake.handlers.take_request = () => ({ view: "settings", conversation: "asked" });
    });
    await store.start();
    expect([store.tabs.ids.value, store.navigation.view.value]).toEqual([["asked"], "settings"]);
  });

  it("is in the tab that was in front, if it was dropped while the page started", async () => {
    const things = [{ text: "a line", files: [], refused: [] }];
    const { core, store } = makeStore((fake) => {
      fake.addConversation({ id: "c1" });
      fake.app = { ...fake.app, tabs: kept, active_tab: "c1" };
      fake.handlers.take_dropped = () => things.shift() ?? { text: "", files: [], refused: [] };
    });
    const answer = core.commands.getAppState;
    core.commands.getAppState = async () => {
      await new Promise((done) => setTimeout(done)); // later than every request meanwhile
      return answer();
    };
    core.emit({ type: "dropped_on_pet" });
    await store.start();
    expect([store.tabs.ids.value, store.drafts.of("c1").value]).toEqual([["c1"], "a line"]);
  });

  it("is in the composer, if it was dropped on the pet", async () => {
    const things = [{ text: "a line", files: [], refused: [] }];
    const { store } = makeStore((fake) => {
      fake.handlers.take_dropped = () => things.shift() ?? { text: "", files: [], refused: [] };
    });
    await store.start();
    expect(store.drafts.of(store.tabs.active.value ?? "").value).toBe("a line");
  });
});

describe("tabs", () => {
  it("are saved once for many changes, drafts included", async () => {
    vi.useFakeTimers();
    const { core, store } = makeStore();
    await store.start();
    for (const text of ["a", "ab", "abc"]) store.drafts.set("c1", text);
    await vi.advanceTimersByTimeAsync(1000);
    vi.useRealTimers();
    expect(core.called("save_tabs")).toEqual([
      { tabs: [{ conversation: "c1", draft: "abc", scroll: 0, attachments: [], pinned: false }], active: "c1" },
    ]);
  });

  it("keep their switches apart", async () => {
    const { store } = makeStore();
    await store.start();
    await store.tabs.create();
    await store.commands.setMemory({ conversation: "c1", memory: false });
    expect(store.conversations.of("c1").value?.info.memory).toBe(false);
    expect(store.conversations.of("c2").value?.info.memory).toBe(true);
  });

  it("close when their conversation is deleted", async () => {
    const { core, store } = makeStore();
    await store.start();
    await store.tabs.create();
    core.emit({ type: "conversation_deleted", conversation: "c2" });
    expect(store.tabs.ids.value).toEqual(["c1"]);
    expect(store.tabs.active.value).toBe("c1");
  });
});

it("a failed command becomes a notice with its words, never an exception", async () => {
  const { core, store } = makeStore();
  await store.start();
  core.fail("list_models", { code: "fault_dns", args: { host: "h" }, retryable: true });
  expect(await store.notices.attempt(() => store.commands.listModels({}))).toBeNull();
  expect(store.notices.list.value[0]?.error?.code).toBe("fault_dns");
});

it("the pause reaches every tab at once", async () => {
  const { core, store } = makeStore();
  await store.start();
  core.emit({ type: "memory_paused", paused: true }, { type: "mood_changed", mood: "asleep" });
  expect(store.paused.value).toBe(true);
  expect(store.conversations.of("c1").value?.info.updated_at).toBe(NOW);
});

it("what a stale editor overwrote is announced", async () => {
  const { core, store } = makeStore();
  await store.start();
  const change = { type: "workspace_changed", file: "USER.md", version: "v2", author: "outside" } as const;
  core.emit({ ...change, lost: null });
  expect(store.notices.list.value).toEqual([]);
  core.emit({ ...change, lost: "h7" });
  expect(store.notices.list.value[0]?.text).toContain("USER.md");
});

it("keeps the last turns of a long conversation whose end is in sight, and fetches the others again", async () => {
  const turns = Array.from({ length: 300 }, (_, at) => turnView(`t${at}`, "hi", "hello"));
  const { core, store } = makeStore((fake) => {
    fake.addConversation({ id: "c1" }, turns);
    fake.app = {
      ...fake.app,
      tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
      active_tab: "c1",
    };
  });
  await store.start();
  await store.conversations.loadEarlier("c1");
  const held = store.conversations.of("c1");
  expect(held.value?.turns).toHaveLength(300);
  const ended = {
    type: "turn_ended",
    conversation: "c1",
    turn: "t299",
    end: "done",
    error: null,
    usage: { input_tokens: 1, output_tokens: 1, cache_read_tokens: null, cache_write_tokens: null },
    claim: null,
  } as const;
  store.drafts.setScroll("c1", 500);
  core.emit(ended);
  expect(held.value?.turns).toHaveLength(300);
  store.drafts.setScroll("c1", 0);
  core.emit(ended);
  expect(held.value?.turns.map(({ turn }) => turn)).toEqual(turns.slice(-60).map(({ turn }) => turn));
  expect(held.value?.earlier).toBe(240);
  await store.conversations.loadEarlier("c1");
  expect(held.value?.turns).toHaveLength(300);
  expect(held.value?.earlier).toBe(0);
});

describe("a SOUL.md that can't be used", () => {
  const change = largeSoul.event as Extract<PetEvent, { type: "workspace_changed" }>;

  it("is announced at the start and when it changes, as the core tells it", async () => {
    const { core, store } = makeStore((fake) => {
      fake.handlers.read_file = () => largeSoul.file as FileView;
    });
    await store.start();
    expect(store.notices.list.value[0]?.text).toContain("Messages go out without SOUL.md. SOUL.md is too large");
    store.notices.dismiss(store.notices.list.value[0]?.id ?? 0);
    core.emit(change);
    await vi.waitFor(() => expect(store.notices.list.value[0]?.text).toContain("SOUL.md is too large"));
    core.handlers.read_file = () => ({ ...(largeSoul.file as FileView), state: "present", problem: "" });
    core.emit(change);
    await vi.waitFor(() => expect(store.notices.list.value).toEqual([]));
  });

  it("is not announced while it can be used, or for another file", async () => {
    const { core, store } = makeStore();
    await store.start();
    core.emit(change, { ...change, file: "USER.md" });
    await vi.waitFor(() => expect(core.called("read_file")).toHaveLength(2));
    expect(store.notices.list.value).toEqual([]);
  });
});

describe("what was forgotten", () => {
  it("is fetched again where it is open, and a clean text of an editor is dropped", async () => {
    const { core, store } = makeStore((fake) => {
      fake.addConversation({ id: "c1" }, [turnView("t1", "hi", "secret")]);
      fake.app = {
        ...fake.app,
        tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
        active_tab: "c1",
      };
    });
    await store.start();
    store.files.edits.set("USER.md", startEditing(core.fileView("USER.md")));
    store.files.edits.set("SOUL.md", { ...startEditing(core.fileView("SOUL.md")), text: "mine" });
    core.addConversation({ id: "c1" }, [turnView("t1", "hi", "[forgotten]")]);
    core.emit({ type: "forgotten", conversations: ["c1", "not-open"] });
    await vi.waitFor(() => expect(store.conversations.of("c1").value?.turns[0]?.rounds[0]?.text).toBe("[forgotten]"));
    expect([...store.files.edits.keys()]).toEqual(["SOUL.md"]);
    expect(store.memory.forgotten.value).toBe(1);
    expect(core.called("open_conversation")).not.toContainEqual({ conversation: "not-open" });
  });
});

describe("what the page knows of the memory", () => {
  const reminder = {
    file: "memory/2026-11-21.md",
    line: 3,
    due: "2026-11-21",
    text: "call",
    overdue: false,
    at: "",
    repeats: "",
  };

  it("is asked for at the start and when it changed, and never complained about", async () => {
    const { core, store } = makeStore((fake) => {
      fake.fail("list_copies", { code: "internal", args: {}, retryable: false });
    });
    await store.start();
    expect(store.memory.reminders.value).toEqual({ due: [], coming: [] });
    expect(store.notices.list.value).toEqual([]);
    core.memory.due = [reminder];
    core.emit({ type: "reminders_changed" });
    await vi.waitFor(() => expect(store.memory.reminders.value?.due).toEqual([reminder]));
  });

  it("counts the index up while it grows", async () => {
    const { core, store } = makeStore();
    core.memory.index = { embedder: "e", done: 1, total: 9 };
    await store.memory.loadIndex();
    core.emit({ type: "index_progress", done: 5, total: 9 });
    expect(store.memory.index.value).toEqual({ embedder: "e", done: 5, total: 9 });
  });
});

describe("a place", () => {
  const at = { start_line: 5, end_line: 7, turn: null };

  it("in a log opens that day, in a file its editor, in a conversation the turn", async () => {
    const { store } = makeStore((fake) => {
      fake.addConversation({ id: "c7" }, [turnView("t3", "x", "y")]);
    });
    await store.start();
    await store.openPlace({ path: "memory/2026-11-03.md", ...at });
    expect(store.navigation.section.value).toBe("us");
    expect(store.memory.file.value).toBe("memory/2026-11-03.md");
    await store.openPlace({ path: "USER.md", ...at });
    expect([store.navigation.section.value, store.navigation.file.value]).toEqual(["us", "USER.md"]);
    await store.openPlace({ path: "conversations/c7.jsonl", start_line: 1, end_line: 1, turn: "t3" });
    expect(store.navigation.view.value).toBe("chat");
    expect(store.navigation.targetTurn.value).toEqual({ conversation: "c7", turn: "t3" });
  });

  it("in a conversation that is gone is told", async () => {
    const { store } = makeStore();
    await store.start();
    await store.openPlace({ path: "conversations/gone.jsonl", ...at });
    expect(store.notices.list.value[0]?.text).toContain("no longer there");
  });
});

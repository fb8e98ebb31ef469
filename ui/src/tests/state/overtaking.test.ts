import { describe, expect, it, vi } from "vitest";
import { CommandError, type ConversationView, type Delivery, type PetEvent, type ReminderList } from "../../bindings";
import { turnView } from "../core/records";
import { makeStore } from "../store";

function tab(conversation: string, draft = "") {
  return { conversation, draft, scroll: 0, attachments: [], pinned: false };
}

const delta = (text: string): PetEvent => ({ type: "text_delta", conversation: "c1", turn: "t1", round: 1, text });
const one = (seq: number, event: PetEvent): Delivery => ({ resync: false, events: [{ seq, event }] });

/** Answer commands one by one, in the test's order. */
function answering<T>() {
  const waiting: ((value: T) => void)[] = [];
  return { waiting, ask: () => new Promise<T>((resolve) => waiting.push(resolve)) };
}

describe("a conversation that is fetched twice at once", () => {
  async function twice() {
    const { core, store } = makeStore();
    const view = core.addConversation({ id: "c1" }, [turnView("t1", "hi", "one ", { end: null })]);
    view.seq = 5;
    await store.tabs.open("c1");
    const { waiting, ask } = answering<ConversationView>();
    store.commands.openConversation = ask;
    const seen = (seq: number, text: string) => ({
      ...view,
      seq,
      turns: [turnView("t1", "hi", text, { end: null })],
    });
    store.deliver(one(6, { type: "receipts_changed", conversation: "c1" }));
    store.deliver(one(7, delta("two ")));
    store.deliver(one(8, { type: "receipts_changed", conversation: "c1" }));
    store.deliver(one(9, delta("three ")));
    const text = () => store.conversations.of("c1").value?.turns[0]?.rounds[0]?.text;
    const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
    return { store, waiting, seen, text, settled };
  }

  it("loses nothing of what came between the answers", async () => {
    const { store, waiting, seen, text, settled } = await twice();
    waiting[0]?.(seen(6, "one "));
    await settled();
    store.deliver(one(10, delta("four")));
    waiting[1]?.(seen(8, "one two "));
    await settled();
    expect(text()).toBe("one two three four");
  });

  it("is as the newer answer says, whichever comes last", async () => {
    const { store, waiting, seen, text, settled } = await twice();
    waiting[1]?.(seen(8, "one two, mended "));
    await settled();
    waiting[0]?.(seen(6, "one "));
    await settled();
    store.deliver(one(10, delta("four")));
    expect(text()).toBe("one two, mended three four");
  });
});

it("the page's frame is as the newest answer says, and a pause is never shown as none", async () => {
  const { core, store } = makeStore();
  await store.start();
  const { waiting, ask } = answering<typeof core.app>();
  store.commands.getAppState = ask;
  core.emit({ type: "settings_changed" });
  core.emit({ type: "settings_changed" });
  core.emit({ type: "memory_paused", paused: true });
  expect(waiting.length).toBe(3);
  waiting[2]?.({ ...core.app, pet_name: "newest", paused: true });
  waiting[1]?.({ ...core.app, pet_name: "older", paused: false });
  waiting[0]?.({ ...core.app, pet_name: "oldest", paused: false });
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect([store.app.value?.pet_name, store.paused.value]).toEqual(["newest", true]);
});

it("a pause that comes while the page starts is never shown as none", async () => {
  const { core, store } = makeStore();
  const { waiting, ask } = answering<typeof core.app>();
  store.commands.getAppState = ask;
  const started = store.start();
  core.emit({ type: "memory_paused", paused: true });
  waiting[0]?.({ ...core.app, paused: false });
  waiting[1]?.({ ...core.app, paused: true });
  await started;
  expect(store.paused.value).toBe(true);
});

it("a page that could not start is not shown without its tabs, whatever is heard of meanwhile", async () => {
  const { core, store } = makeStore((fake) => {
    fake.addConversation({ id: "c1" });
    fake.app = { ...fake.app, tabs: [tab("c1")], active_tab: "c1" };
  });
  core.fail("get_app_state", { code: "disk_full", args: {}, retryable: true });
  await store.start();
  core.emit({ type: "settings_changed" });
  store.deliver({ resync: true, events: [] });
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(store.app.value).toBeNull();
  await store.start();
  expect([store.app.value?.pet, store.tabs.ids.value]).toEqual([core.app.pet, ["c1"]]);
});

it("a tab that is gone to by key stays in front of one that was asked for before", async () => {
  const { core, store } = makeStore((fake) => {
    for (const id of ["c1", "c2", "slow"]) fake.addConversation({ id });
    fake.app = { ...fake.app, tabs: [tab("c1"), tab("c2")], active_tab: "c1" };
  });
  await store.start();
  const release = core.hold("open_conversation");
  const opened = store.tabs.open("slow");
  store.tabs.cycle(1);
  release();
  await opened;
  expect([store.tabs.active.value, store.tabs.ids.value]).toEqual(["c2", ["c1", "c2", "slow"]]);
});

describe("a tab that was closed", () => {
  async function closed() {
    const { core, store } = makeStore((fake) => {
      fake.addConversation({ id: "c1" }, [turnView("t1", "hi", "x")]);
      fake.addConversation({ id: "c2" }, [turnView("t1", "hi", "y")]);
      fake.app = { ...fake.app, tabs: [tab("c1"), tab("c2", "half a sentence")], active_tab: "c2" };
    });
    await store.start();
    store.tabs.close("c2");
    return { core, store };
  }

  it("has its draft again from wherever it is opened", async () => {
    const { store } = await closed();
    await store.tabs.open("c2");
    expect(store.drafts.of("c2").value).toBe("half a sentence");
    expect(store.tabs.ids.value).toEqual(["c1", "c2"]);
  });

  it("has its draft again when something comes into it", async () => {
    const { core, store } = await closed();
    core.emit({ type: "unread_changed", conversations: ["c2"] });
    await vi.waitFor(() => expect(store.tabs.ids.value).toEqual(["c1", "c2"]));
    expect(store.drafts.of("c2").value).toBe("half a sentence");
  });

  it("keeps what could not be sent when it comes back", async () => {
    const { store } = await closed();
    store.drafts.set("c2", "not sent");
    await store.tabs.reopen();
    expect(store.drafts.of("c2").value).toBe("half a sentence\nnot sent");
  });

  it("before its conversation was read has its draft again", async () => {
    const { core, store } = makeStore((fake) => {
      for (const id of ["c1", "c2"]) fake.addConversation({ id }, [turnView("t1", "hi", "x")]);
      fake.app = { ...fake.app, tabs: [tab("c1"), tab("c2", "half a sentence")], active_tab: "c1" };
    });
    const release = core.hold("open_conversation");
    const started = store.start();
    await vi.waitFor(() => expect(store.tabs.ids.value).toHaveLength(2));
    store.tabs.close("c2");
    release();
    await started;
    await store.tabs.reopen();
    expect(store.drafts.of("c2").value).toBe("half a sentence");
  });

  it("comes back once, however often it was closed and is asked for", async () => {
    const { store } = await closed();
    await store.tabs.open("c2");
    store.tabs.close("c2");
    await Promise.all([store.tabs.reopen(), store.tabs.reopen()]);
    expect(store.tabs.ids.value).toEqual(["c1", "c2"]);
  });
});

it("a conversation that can't be read keeps the others, and what was dropped, from nobody", async () => {
  const things = [{ text: "a line", files: [], refused: [] }];
  const { store } = makeStore((fake) => {
    fake.addConversation({ id: "c1" });
    fake.app = { ...fake.app, tabs: [tab("c1"), tab("bad")], active_tab: "c1" };
    fake.handlers.take_dropped = () => things.shift() ?? { text: "", files: [], refused: [] };
    fake.handlers.take_request = () => ({ view: "settings", conversation: null });
    const open = fake.handlers.open_conversation;
    fake.handlers.open_conversation = (args) => {
      if (args.conversation === "bad") throw new CommandError({ code: "internal", args: {}, retryable: false });
      return open?.(args) as ConversationView;
    };
  });
  await store.start();
  expect(store.navigation.view.value).toBe("settings");
  expect(store.drafts.of("c1").value).toBe("a line");
  await store.tabs.open("bad");
  expect(store.tabs.active.value).toBe("bad");
  store.tabs.close("bad");
  await store.tabs.reopen();
  expect(store.tabs.ids.value).toEqual(["c1", "bad"]);
});

it("after dropped events everything that they told of is asked for again", async () => {
  const { core, store } = makeStore();
  await store.start();
  const before = [store.settingsChange.value, store.desktopChange.value, store.memory.pets.value];
  const things = [{ text: "a line", files: [], refused: [] }];
  core.handlers.take_dropped = () => things.shift() ?? { text: "", files: [], refused: [] };
  store.deliver({ resync: true, events: [] });
  await vi.waitFor(() => expect(store.drafts.of(store.tabs.active.value ?? "").value).toBe("a line"));
  const after = [store.settingsChange.value, store.desktopChange.value, store.memory.pets.value];
  expect(after.every((count, at) => count > (before[at] ?? 0))).toBe(true);
});

it("two files that change at once are both heard of", async () => {
  const { core, store } = makeStore();
  await store.start();
  const change = { type: "workspace_changed", author: "pet", lost: null } as const;
  core.emit({ ...change, file: "USER.md", version: "v2" }, { ...change, file: "MEMORY.md", version: "v7" });
  const versions = ["USER.md", "MEMORY.md", "SOUL.md"].map((file) => store.files.versionsOf((each) => each === file));
  expect(versions).toEqual(["v2", "v7", ""]);
});

it("of two conversations that are opened one after the other, the second stays in front", async () => {
  const { core, store } = makeStore((fake) => {
    for (const id of ["c1", "slow", "quick"]) fake.addConversation({ id });
    fake.app = { ...fake.app, tabs: [tab("c1")], active_tab: "c1" };
  });
  await store.start();
  const views = { slow: core.conversations.get("slow"), quick: core.conversations.get("quick") };
  const { waiting, ask } = answering<ConversationView>();
  store.commands.openConversation = ask;
  const both = Promise.all([store.tabs.open("slow"), store.tabs.open("quick")]);
  waiting[1]?.(views.quick as ConversationView);
  await new Promise((resolve) => setTimeout(resolve, 0));
  waiting[0]?.(views.slow as ConversationView);
  await both;
  expect([store.tabs.active.value, store.tabs.ids.value]).toEqual(["quick", ["c1", "quick", "slow"]]);
});

it("of two lists of reminders the newer one counts", async () => {
  const { store } = makeStore();
  await store.start();
  const { waiting, ask } = answering<ReminderList>();
  store.commands.listReminders = ask;
  const both = Promise.all([store.memory.loadReminders(), store.memory.loadReminders()]);
  const due = [
    { file: "memory/2026-11-21.md", line: 3, due: "2026-11-21", text: "call", overdue: false, at: "", repeats: "" },
  ];
  waiting[1]?.({ due: [], coming: [] });
  waiting[0]?.({ due, coming: [] });
  await both;
  expect(store.memory.reminders.value?.due).toEqual([]);
});

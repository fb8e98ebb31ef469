/** Unfinished work is never lost, done twice, or shown in a state that the core does not have. */
import { EditorView } from "@codemirror/view";
import { render } from "preact";
import { expect, it, onTestFinished, vi } from "vitest";
import { App } from "../app";
import type { CardPreview, WriteReply } from "../bindings";
import { startEditing } from "../state/editing";
import { infoOf } from "./core/models";
import { turnView } from "./core/records";
import { CARD } from "./core/welcome";
import { button, find, mountApp, mountTalk, openAt, press, settle, type } from "./render";
import { makeStore } from "./store";

const full = { code: "disk_full", args: {}, retryable: true };

it("a message that could not be sent comes back in front of what was written meanwhile", async () => {
  const page = await mountTalk([]);
  const field = find<HTMLTextAreaElement>(page.root, "textarea");
  await settle(() => type(field, "first"));
  const release = page.core.hold("send_message");
  page.core.fail("send_message", full);
  await settle(() => press(field, "Enter"));
  await settle(() => type(field, "second"));
  await settle(release);
  expect(page.store.drafts.of("c1").value).toBe("first\nsecond");
});

it("a message being reworded is there again when its tab is", async () => {
  const page = await mountTalk([turnView("t1", "hello", "hi")]);
  const before = Object.getOwnPropertyDescriptor(Element.prototype, "scrollHeight") as PropertyDescriptor;
  Object.defineProperty(Element.prototype, "scrollHeight", { configurable: true, get: () => 158 });
  await settle(() => button(page.root, "Edit and send again").click());
  expect(find(page.root, ".editing textarea").style.height).toBe("158px"); // nothing of it is scrolled away
  Object.defineProperty(Element.prototype, "scrollHeight", before);
  await settle(() => type(find<HTMLTextAreaElement>(page.root, ".owner.editing textarea"), "hello, Bun"));
  await settle(() => page.store.navigation.show("settings"));
  await settle(() => page.store.navigation.toChat());
  expect(find<HTMLTextAreaElement>(page.root, ".owner.editing textarea").value).toBe("hello, Bun");
  await settle(() => press(find(page.root, ".composer textarea"), "Escape"));
  expect(page.core.called("hide_chat")).toHaveLength(0);
  await settle(() => button(find(page.root, ".owner.editing"), "Cancel").click());
  await settle(() => page.store.navigation.show("settings"));
  await settle(() => page.store.navigation.toChat());
  expect(page.root.querySelector(".owner.editing")).toBeNull();
});

it("a message being reworded is none in a branch, whose turns are the same ones", async () => {
  const page = await mountTalk([turnView("t1", "hello", "hi")], (core) => {
    core.addConversation({ id: "branch" }, [turnView("t1", "hello", "hi")]);
  });
  await settle(() => button(page.root, "Edit and send again").click());
  await settle(() => page.store.tabs.open("branch"));
  expect(page.root.querySelector(".owner.editing")).toBeNull();
  await settle(() => page.store.tabs.open("c1"));
  expect(page.root.querySelector(".owner.editing")).not.toBeNull();
});

it("a change that the owner was rewriting is there again when its tab is", async () => {
  const proposal = {
    id: "p1",
    file: "SOUL.md",
    reason: "soul" as const,
    before: "old\n",
    after: "new\n",
    base: "v1",
    category: "",
    call: null,
    noted: null,
    foreign: [],
  };
  const page = await mountTalk([turnView("t1", "hi", "", { end: null, proposal })]);
  await settle(() => button(find(page.root, ".proposal"), "Edit").click());
  await settle(() => type(find<HTMLTextAreaElement>(page.root, ".edit-proposal"), "newer\n"));
  await settle(() => page.store.navigation.show("history"));
  await settle(() => page.store.navigation.toChat());
  expect(find<HTMLTextAreaElement>(page.root, ".edit-proposal").value).toBe("newer\n");
});

it("a draft is kept also while a long reply keeps the list rolling", async () => {
  const page = await mountTalk([]);
  vi.useFakeTimers();
  page.store.drafts.set("c1", "not yet sent");
  for (let at = 0; at < 30; at += 1) {
    page.store.drafts.setScroll("c1", at);
    await vi.advanceTimersByTimeAsync(100);
  }
  const saved = page.core.called("save_tabs");
  vi.useRealTimers();
  expect(saved[0]).toMatchObject({ tabs: [{ conversation: "c1", draft: "not yet sent" }] });
});

it("a draft is kept at once when its owner goes elsewhere, where the program may end, and kept once", async () => {
  const page = await mountTalk([]);
  await settle(() => page.store.saver.now());
  const before = page.core.called("save_tabs").length;
  page.store.drafts.set("c1", "half a sent");
  const leave = (sign: string) => settle(() => window.dispatchEvent(new Event(sign)));
  for (const sign of ["blur", "visibilitychange", "pagehide"]) await leave(sign);
  const saved = page.core.called("save_tabs").slice(before);
  expect(saved).toMatchObject([{ tabs: [{ draft: "half a sent" }] }]);
});

it("drafts outlive a page that goes before it has them", async () => {
  const { core, store } = makeStore();
  const release = core.hold("get_app_state");
  const page = document.createElement("div");
  render(<App store={store} />, page);
  const started = store.start();
  await settle(() => window.dispatchEvent(new Event("pagehide")));
  expect(core.called("save_tabs")).toEqual([]);
  release();
  await settle(() => started);
  render(null, page);
});

it("a pause that was refused is not shown as one", async () => {
  const page = await mountApp();
  await openAt(page, "memory");
  page.core.fail("pause_memory", full);
  const pause = find<HTMLInputElement>(page.root, "#memory-pause");
  await settle(() => pause.click());
  expect([page.store.paused.value, pause.checked]).toEqual([false, false]);
});

it("a folder in place of a card is told, and the card dropped last is shown, whichever is read first", async () => {
  const page = await mountApp();
  await openAt(page, "me");
  await settle(() => button(page.root, "Character cards").click());
  await settle(() => button(page.root, "Import a card…").click());
  const field = find<HTMLInputElement>(page.root, "dialog input[type=file]");
  const give = (file: File) =>
    settle(() => {
      Object.defineProperty(field, "files", { value: [file], configurable: true });
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
  const folder = new File([], "folder");
  folder.arrayBuffer = () => Promise.reject(new Error("a folder"));
  await give(folder);
  expect(find(page.root, "dialog .error-text").textContent).not.toBe("");
  const answers: ((card: CardPreview) => void)[] = [];
  page.store.commands.previewCard = () => new Promise((resolve) => answers.push(resolve));
  await give(new File(["{}"], "slow.json"));
  await give(new File(["{}"], "quick.json"));
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  await settle(() => answers[1]?.({ ...CARD, name: "Quick" }));
  await settle(() => answers[0]?.({ ...CARD, name: "Slow" }));
  expect(find(page.root, ".card-preview").getAttribute("aria-label")).toBe("Quick");
});

it("a service that is clicked twice is added once", async () => {
  const page = await mountApp();
  await openAt(page, "model");
  await settle(() => button(page.root, "Add a connection").click());
  const release = page.core.hold("save_connection");
  const chip = find<HTMLButtonElement>(page.root, ".connection-add .chip");
  await settle(() => chip.click());
  await settle(() => chip.click());
  await settle(release);
  expect(page.core.called("save_connection")).toHaveLength(1);
});

it("two changes of a connection in a row are both kept", async () => {
  const page = await mountApp((core) => {
    core.connections.more = [
      { ...infoOf("work", "Work", "https://llm.example.org/v1", "big-1"), protocol: "openai" },
    ];
  });
  await settle(() => page.store.connections.load());
  const release = page.core.hold("save_connection");
  void page.store.connections.change("work", { model: "big-2" });
  void page.store.connections.change("work", { protocol: "anthropic" });
  await settle(release);
  await vi.waitFor(() => expect(page.core.called("save_connection")).toHaveLength(2));
  expect(page.core.called("save_connection")[1]).toMatchObject({ model: "big-2", protocol: "anthropic" });
});

it("what is typed between two saves in a row is in no conflict with the first", async () => {
  const page = await mountApp();
  await openAt(page, "SOUL.md");
  const view = EditorView.findFromDOM(find(page.root, ".cm-editor"));
  if (!view) throw new Error("no editor");
  const write = (text: string) =>
    settle(() => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }));
  const save = () => settle(() => press(view.contentDOM, "s", { ctrlKey: true, code: "KeyS" }));
  await write("one\n");
  const release = page.core.hold("write_file");
  await save();
  await write("one\ntwo\n");
  await save();
  await settle(release);
  await vi.waitFor(() => expect(page.core.files.get("SOUL.md")).toBe("one\ntwo\n"));
  expect(page.root.querySelector(".conflict")).toBeNull();
  const replies = page.core.called("write_file") as Partial<WriteReply>[];
  expect(replies).toHaveLength(2);
});

it("a tab that is closed by a key leaves the focus on the next", async () => {
  const page = await mountApp((core) => {
    for (const id of ["c1", "c2", "c3"]) core.addConversation({ id }, [turnView("t", "x", "y")]);
    const tabs = ["c1", "c2", "c3"].map((id) => ({
      conversation: id,
      draft: "",
      scroll: 0,
      attachments: [],
      pinned: false,
    }));
    core.app = { ...core.app, tabs, active_tab: "c1" };
  });
  const tabs = () => [...page.root.querySelectorAll<HTMLElement>("[role=tab]")];
  tabs()[1]?.focus();
  await settle(() => press(tabs()[1] as HTMLElement, "Delete"));
  expect(document.activeElement).toBe(tabs()[1]);
  expect(page.store.tabs.ids.value).toEqual(["c1", "c3"]);
});

it("a beginning that is clicked twice is said once", async () => {
  const page = await mountTalk([]);
  const release = page.core.hold("send_message");
  const chip = find<HTMLButtonElement>(page.root, ".beginnings .chip");
  await settle(() => chip.click());
  await settle(() => chip.click());
  await settle(release);
  expect(page.core.called("send_message")).toHaveLength(1);
});

it("a conversation that could not be read says why, and can be asked for again", async () => {
  const page = await mountTalk([turnView("t1", "hello", "hi")], (core) => core.fail("open_conversation", full));
  expect(find(page.root, "main .fault").textContent).toContain("disk");
  await settle(() => button(find(page.root, "main .fault"), "Retry").click());
  expect(find(page.root, ".turn").textContent).toContain("hello");
});

it("copying by key leaves the focus where it was, and works beside an open dialog", async () => {
  const page = await mountTalk([turnView("t1", "hello", "hi")]);
  let from: Element | null = null;
  document.execCommand = () => {
    const area = find<HTMLTextAreaElement>(document, "textarea[style*=fixed]");
    area.focus(); // as web views do when the field is selected
    from = area.parentElement;
    return true;
  };
  const copy = button(page.root, "Copy message");
  copy.focus();
  await settle(() => copy.click());
  expect([from, document.activeElement]).toEqual([document.body, copy]);
  await settle(() => (page.store.navigation.keyMapOpen.value = true));
  const inside = find<HTMLButtonElement>(page.root, "dialog button");
  inside.focus();
  await settle(() => copy.click());
  expect([from, document.activeElement]).toEqual([find(page.root, "dialog"), inside]);
});

it("what was said before midnight has its day once the chat is opened on the next", async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 23, 23, 50) });
  const at = new Date(2026, 10, 23, 23, 40).toISOString();
  const page = await mountTalk([turnView("t1", "hello", "hi", { at })]);
  const when = () => find(page.root, ".pet-reply .when").textContent;
  expect(when()).toBe("23:40");
  vi.setSystemTime(new Date(2026, 10, 24, 8, 0));
  await settle(() => page.core.emit({ type: "chat_shown", shown: true }));
  expect(when()).toContain("23 Nov");
});

it("the core hears in order which conversation is looked at", async () => {
  const page = await mountTalk([]);
  await settle(() => page.store.tabs.create());
  const release = page.core.hold("set_in_front");
  const before = page.core.called("set_in_front").length;
  await settle(() => page.store.tabs.open("c1"));
  await settle(() => page.store.navigation.show("settings"));
  expect(page.core.called("set_in_front").slice(before)).toEqual([{ conversation: "c1" }]);
  await settle(release);
  expect(page.core.called("set_in_front").slice(before)).toEqual([{ conversation: "c1" }, { conversation: null }]);
});

it("an hour that was refused is not shown as one", async () => {
  const page = await mountApp();
  await openAt(page, "desktop");
  const field = () => find<HTMLInputElement>(page.root, "#quiet-from");
  const before = field().value;
  page.core.fail("change_settings", full);
  field().value = "03:15";
  await settle(() => field().dispatchEvent(new FocusEvent("blur")));
  expect(field().value).toBe(before);
});

it("whoever goes to another pet hears what is not saved", async () => {
  const pip = { id: "pip", name: "Pip", current: false, beside: false, conversations: 0, changed_at: "" };
  const page = await mountApp((core) => (core.memory.pets = [...core.memory.pets, pip]));
  const file = page.core.fileView("SOUL.md");
  page.store.files.edits.set("SOUL.md", { ...startEditing(file), text: "mine" });
  await openAt(page, "me");
  await settle(() => button(find(page.root, ".pets"), "More about Pip").click());
  await settle(() => button(find(page.root, ".pets [role=menu]"), "Switch to Pip").click());
  expect(find(page.root, "dialog").textContent).toContain("SOUL.md: Not saved yet.");
});

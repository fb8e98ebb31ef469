/** The composer, its memory switch, and the strip of due reminders. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { pressed } from "../../input/keys";
import { dayFromToday } from "../../memory/places";
import { inARow, language, t } from "../../texts";
import { faults } from "../axe";
import { NOW, turnView } from "../core/records";
import { button, find, type Mounted, mountApp, press, settle, type } from "../render";

const field = ({ root }: Mounted) => find<HTMLTextAreaElement>(root, ".composer textarea");

describe("the composer", () => {
  let page: Mounted;
  beforeEach(async () => {
    page = await mountApp();
  });

  it("sends with Enter and is empty then", async () => {
    await settle(() => type(field(page), "你好，hello"));
    await settle(() => press(field(page), "Enter"));
    expect(page.core.called("send_message")).toEqual([{ conversation: "c1", text: "你好，hello" }]);
    expect(field(page).value).toBe("");
  });

  it.each([
    ["Shift+Enter", { shiftKey: true }],
    ["Enter of an input method", { isComposing: true }],
    ["Enter that ends a composition", { keyCode: 229 }],
  ])("does not send with %s", async (_, more) => {
    await settle(() => type(field(page), "ni hao"));
    const event = await (async () => {
      let sent: KeyboardEvent | undefined;
      await settle(() => {
        sent = press(field(page), "Enter", more);
      });
      return sent;
    })();
    expect(event?.defaultPrevented).toBe(false);
    expect(page.core.called("send_message")).toEqual([]);
    expect(field(page).value).toBe("ni hao");
  });

  it("gives the text back when it could not be sent", async () => {
    page.core.fail("send_message", { code: "fault_no_key", args: { host: "h" }, retryable: false });
    await settle(() => type(field(page), "precious"));
    await settle(() => press(field(page), "Enter"));
    expect(field(page).value).toBe("precious");
    expect(page.root.textContent).toContain("h needs a key");
  });

  it("keeps a draft for each tab", async () => {
    await settle(() => type(field(page), "first"));
    await settle(() => page.store.tabs.create());
    expect(field(page).value).toBe("");
    await settle(() => page.store.tabs.open("c1"));
    expect(field(page).value).toBe("first");
  });

  it("gives what is written before a new tab is there to the new tab", async () => {
    await settle(() => type(field(page), "old"));
    const create = page.core.commands.newConversation;
    let arrive = () => {};
    const gate = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    page.core.commands.newConversation = (args) => gate.then(() => create(args));
    await settle(() => void page.store.tabs.create());
    await settle(() => type(field(page), `${field(page).value}new words`));
    await settle(() => press(field(page), "Enter"));
    expect(page.core.called("send_message")).toEqual([]);
    await settle(arrive);
    expect(page.store.tabs.active.value).not.toBe("c1");
    expect(field(page).value).toBe("new words");
    await settle(() => page.store.tabs.open("c1"));
    expect(field(page).value).toBe("old");
  });

  it("keeps that text where it is when there will be no new tab", async () => {
    page.core.fail("new_conversation", { code: "write_failed", args: {}, retryable: false });
    await settle(() => {
      const opened = page.store.tabs.create();
      page.store.drafts.set("", "words");
      return opened;
    });
    expect(field(page).value).toBe("words");
  });

  it("stops a running reply with the button and with Escape", async () => {
    const place = { conversation: "c1", turn: "t1" };
    await settle(() =>
      page.core.emit({
        type: "turn_started",
        ...place,
        at: NOW,
        text: "x",
        memory: true,
        supersedes: null,
        attachments: [],
        kind: "message",
      }),
    );
    await settle(() => button(page.root, "Stop (Esc)").click());
    await settle(() => press(field(page), "Escape"));
    expect(page.core.called("stop_turn")).toHaveLength(2);
  });
});

describe("the memory switch", () => {
  const toggle = ({ root }: Mounted) => find(root, ".memory-switch");

  it("has three positions in its menu, and a click on it never starts writing by accident", async () => {
    const page = await mountApp();
    await settle(() => find(page.root, ".memory-menu").click());
    const items = [...page.root.querySelectorAll<HTMLElement>("[role=menuitemradio]")];
    expect(items.map((item) => item.getAttribute("aria-checked"))).toEqual(["true", "false", "false"]);
    expect(items.map((item) => item.querySelector(".tick .icon") !== null)).toEqual([true, false, false]);
    await settle(() => button(page.root, "Choose a model").click());
    expect(find(page.root, "dialog").textContent).toContain("Model of this conversation");
    await settle(() => button(page.root, "Close").click());
    await settle(() => find(page.root, ".memory-menu").click());
    await settle(() => page.root.querySelectorAll<HTMLElement>("[role=menuitemradio]")[1]?.click());
    expect(find(page.root, ".memory-switch").getAttribute("aria-pressed")).toBe("mixed");
    expect(page.root.querySelector(".divider.memory_read")).not.toBeNull();
    expect(page.root.querySelector(".tab .dot.read")).not.toBeNull();
    await settle(() => find(page.root, ".memory-switch").click());
    expect(find(page.root, ".memory-switch").getAttribute("aria-pressed")).toBe("false");
  });

  it("explains itself without a space after a Chinese full stop, and with one elsewhere", async () => {
    for (const [spoken, words] of [
      ["en", "one conversation. With"],
      ["zh", "不用记忆。记忆开着时"],
    ] as const) {
      const page = await mountApp((core) => {
        core.app = { ...core.app, language: spoken, acknowledged_hosts: [] };
      });
      expect(find(page.root, ".host-notice p").textContent).toContain(words);
    }
    expect(inARow("", "记下了：", false, "茶。", "Tea.", "Two")).toBe("记下了：茶。Tea. Two");
    expect(t("ui.test.bad_key", { host: "127.0.0.1:11434" })).toMatch(/^127\.0\.0\.1:11434 不/);
    expect(t("ui.test.bad_key", { host: "智谱" })).toMatch(/^智谱不/);
    language.value = "en";
  });

  it("has a switch for web pages in its menu, which is shown while it is on", async () => {
    const page = await mountApp();
    const mark = () => page.root.querySelector<HTMLElement>('.field [aria-label="Open links I send"]');
    const item = async () => {
      await settle(() => find(page.root, ".memory-menu").click());
      const items = [...page.root.querySelectorAll<HTMLElement>("[role=menuitemcheckbox]")];
      return items.find((each) => each.textContent?.includes("Open links I send")) as HTMLElement;
    };
    expect(mark()).toBeNull();
    const off = await item();
    expect(off.getAttribute("aria-checked")).toBe("false");
    await settle(() => off.click());
    expect(mark()?.dataset["tip"]).toContain("ask first");
    expect((await item()).getAttribute("aria-checked")).toBe("true");
    await settle(() => press(document.body, "Escape"));
    await settle(() => mark()?.click());
    expect(mark()).toBeNull();
    expect(page.core.called("set_switch").map((each) => (each as { on: boolean }).on)).toEqual([true, false]);
    expect(find(page.root, ".memory-switch").getAttribute("aria-pressed")).toBe("true");
  });

  it("flips by click and by shortcut, and says what it is", async () => {
    const page = await mountApp();
    expect(toggle(page).getAttribute("aria-pressed")).toBe("true");
    await settle(() => toggle(page).click());
    expect(toggle(page).getAttribute("aria-pressed")).toBe("false");
    expect(toggle(page).dataset["tip"]).toContain("neither read nor change");
    await settle(() => press(document.body, "M", { ctrlKey: true, shiftKey: true, code: "KeyM" }));
    expect(toggle(page).getAttribute("aria-pressed")).toBe("true");
    expect(toggle(page).dataset["tip"]).toContain("and add to what I know");
  });

  it("of a question about what is selected says that memory is read only, and stays", async () => {
    const page = await mountApp((core) => {
      core.addConversation({ id: "c1", temporary: true, memory: false, read_only: true });
      core.app = {
        ...core.app,
        tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
        active_tab: "c1",
      };
    });
    expect(find(page.root, ".memory-switch .state").dataset["words"]).toBe("Memory read only");
    expect(toggle(page).getAttribute("aria-disabled")).toBe("true");
    await settle(() => toggle(page).click());
    expect(page.core.called("set_memory")).toHaveLength(0);
    expect(page.root.textContent).toContain("nothing of it is saved");
  });

  it("shows OFF while the pet is paused, and the tab's dot with it", async () => {
    const page = await mountApp();
    await settle(() => page.core.emit({ type: "memory_paused", paused: true }));
    expect(toggle(page).getAttribute("aria-pressed")).toBe("false");
    expect(find(page.root, ".tab .dot").className).toContain("off");
    await settle(() => toggle(page).click());
    expect(page.core.called("set_memory")).toEqual([]);
  });

  it("says why it is off where the program can't read what was set", async () => {
    const page = await mountApp((core) => {
      core.addConversation({ id: "c9", memory: false }, [turnView("t1", "hello", "Hi.")]);
      core.conversations.get("c9")?.dividers.push({ after_turn: "t1", at: NOW, kind: "memory_unreadable" });
      const tabs = [{ conversation: "c9", draft: "", scroll: 0, attachments: [], pinned: false }];
      core.app = { ...core.app, tabs, active_tab: "c9", paused: true, pause_lost: true };
    });
    expect(find(page.root, ".divider.memory_unreadable").textContent).toContain("can't be read");
    expect(find(page.root, ".paused").textContent).toContain("can't tell whether memory was paused");
    await settle(() => find(page.root, ".paused button").click());
    expect(page.core.called("pause_memory")).toEqual([{ paused: false }]);
    expect(page.root.querySelector(".paused")).toBeNull();
  });

  it("can't be turned on in a temporary conversation", async () => {
    const page = await mountApp();
    await settle(() => page.store.tabs.create(true));
    await settle(() => toggle(page).click());
    expect(page.core.called("set_memory")).toEqual([]);
  });

  it("offers at the divider to go on without earlier messages", async () => {
    const page = await mountApp((core) => {
      core.addConversation({ id: "c9" }, [turnView("t1", "hi", "hello")]);
      core.app = {
        ...core.app,
        tabs: [{ conversation: "c9", draft: "", scroll: 0, attachments: [], pinned: false }],
        active_tab: "c9",
      };
    });
    await settle(() => toggle(page).click());
    await settle(() => button(page.root, "Continue without earlier messages").click());
    expect(page.core.called("drop_earlier")).toEqual([{ conversation: "c9" }]);
    expect(page.root.textContent).toContain("Continued without the earlier messages");
  });

  it.each([
    [
      "of its connection",
      { connection: "work", model: "m", origin: "https://two.invalid", name: "Work" },
      "two.invalid",
    ],
    [
      "of the program itself",
      { connection: "computer", model: "m", origin: "", name: "M" },
      "the model on this computer",
    ],
  ])("names the host %s that gets the memory of a conversation with its own model", async (_, chosen, host) => {
    const page = await mountApp();
    await settle(() => {
      const held = page.store.conversations.of("c1");
      if (held.value) held.value = { ...held.value, info: { ...held.value.info, chosen } };
    });
    expect(find(page.root, ".host-notice").textContent).toContain(`sent to ${host}.`);
  });

  it("explains memory once, with the host that gets it", async () => {
    const page = await mountApp((core) => {
      core.app = { ...core.app, acknowledged_hosts: [] };
    });
    const words = find(page.root, ".host-notice p").textContent;
    expect(words).toBe(
      "I remember what you tell me. The button below turns that off for one conversation. " +
        "With memory on, your profile and matching notes are sent to api.anthropic.com.",
    );
    expect(toggle(page).dataset.tip).not.toContain("api.anthropic.com");
    await settle(() => button(page.root, "Got it").click());
    expect(page.core.called("acknowledge_host")).toEqual([{ host: "api.anthropic.com" }]);
    expect(page.root.querySelector(".host-notice")).toBeNull();
  });

  it("tells it of the host of a conversation with a model of its own as well", async () => {
    const page = await mountApp();
    const choose = (connection: string, origin: string) =>
      settle(() => {
        const held = page.store.conversations.of("c1");
        const chosen = { connection, model: "m", origin, name: "Work" };
        if (held.value) held.value = { ...held.value, info: { ...held.value.info, chosen } };
      });
    expect(page.root.querySelector(".host-notice")).toBeNull();
    await choose("computer", "");
    await settle(() => button(page.root, "Got it").click());
    expect(page.root.querySelector(".host-notice")).toBeNull();
    await choose("work", "https://two.invalid");
    expect(find(page.root, ".host-notice").textContent).toContain("two.invalid");
    await settle(() => button(page.root, "Got it").click());
    expect(page.core.called("acknowledge_host")).toEqual([{ host: "computer" }, { host: "two.invalid" }]);
    expect(page.root.querySelector(".host-notice")).toBeNull();
  });

  it.each([
    [{ local_model: "Small", host: "the model on this computer" }, "sent to the model on this computer."],
    [{ key_needed: false, host: "localhost:11434" }, "sent to the model on this computer."],
    [{ demo: true, host: "the demo on this computer" }, null],
    [{ unchosen: true, local_model: "Tiny", host: "the model on this computer" }, null],
  ])("says so of what runs on this computer, nothing in the demo or until one is chosen: %o", async (app, words) => {
    const page = await mountApp((core) => {
      core.app = { ...core.app, acknowledged_hosts: [], ...app };
    });
    const notice = page.root.querySelector(".host-notice");
    if (words === null) expect(notice).toBeNull();
    else expect(notice?.textContent).toContain(words);
  });
});

it("a shortcut is exactly its keys", () => {
  const key = (init: KeyboardEventInit) => new KeyboardEvent("keydown", init);
  expect(pressed("Ctrl+Shift+M", key({ key: "M", ctrlKey: true, shiftKey: true }))).toBe(true);
  expect(pressed("Ctrl+Shift+M", key({ key: "m", ctrlKey: true }))).toBe(false);
  expect(pressed("Ctrl+M", key({ key: "m", ctrlKey: true, altKey: true }))).toBe(false);
  expect(pressed("Ctrl+M", key({ key: "m", ctrlKey: true, isComposing: true }))).toBe(false);
  expect(pressed("", key({ key: "m" }))).toBe(false);
});

const HOSTILE = '<img src=x onerror="window.stolen=1"><script>window.stolen=1</script>';

describe("a reminder that is due", () => {
  const reminder = {
    file: "memory/2026-11-18.md",
    line: 3,
    due: "2020-01-01",
    text: HOSTILE,
    overdue: true,
    at: "",
    repeats: "",
  };
  const strip = ({ root }: Mounted) => root.querySelector(".reminder-strip");
  const withReminders = (count: number) =>
    mountApp((core) => {
      core.memory.due = Array.from({ length: count }, (_, at) => ({ ...reminder, line: 100 + at }));
    });

  it("stands above the composer, inert, until it is done", async () => {
    const page = await withReminders(1);
    expect(find(page.root, ".reminder-words").textContent).toBe(HOSTILE);
    expect(strip(page)?.querySelector("img")).toBeNull();
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Done").click());
    expect(page.core.called("answer_reminder")).toEqual([
      { file: reminder.file, line: 100, text: HOSTILE, shown: "2020-01-01", answer: "done" },
    ]);
    expect(strip(page)).toBeNull();
  });

  it("opens where it is written, since its words may be longer than their lines here", async () => {
    const page = await withReminders(1);
    await settle(() => find<HTMLButtonElement>(page.root, ".reminder-strip .reminder-what").click());
    expect([page.store.navigation.view.value, page.store.memory.file.value]).toEqual(["settings", reminder.file]);
  });

  it("is put off until tomorrow", async () => {
    const page = await withReminders(1);
    await settle(() => button(page.root, "Later").click());
    await settle(() => button(page.root, "Tomorrow").click());
    expect(page.core.called("answer_reminder")).toMatchObject([{ answer: "snooze", until: "tomorrow" }]);
  });

  it("is put off to a day of the owner's choice, never into the past", async () => {
    const page = await withReminders(1);
    await settle(() => button(page.root, "Later").click());
    await settle(() => button(page.root, "Pick a day…").click());
    const field = find<HTMLInputElement>(page.root, "input[type=date]");
    const choose = (day: string) =>
      settle(() => {
        field.value = day;
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));
      });
    await choose("2020-01-01");
    expect(button(page.root, "Put off").disabled).toBe(true);
    await choose(dayFromToday(30));
    const time = find<HTMLInputElement>(page.root, ".pick-day [aria-label=Time]");
    await settle(() => type(time, "25:00"));
    expect(button(page.root, "Put off").disabled).toBe(true);
    await settle(() => type(time, "9"));
    const form = find(page.root, ".pick-day");
    await settle(() => form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true })));
    expect(page.core.called("answer_reminder")).toMatchObject([
      { answer: "snooze", until: `${dayFromToday(30)}T09:00` },
    ]);
  });

  it("is one of several: the others are a step away; hidden for now it asks no more", async () => {
    const page = await withReminders(3);
    await settle(() => button(page.root, "2 more").click());
    expect(page.root.querySelectorAll(".reminder")).toHaveLength(3);
    await settle(() => page.core.emit({ type: "page_asked", view: "chat" }));
    await settle(() => button(page.root, "Hide for now").click());
    expect(strip(page)).toBeNull();
  });
});

describe("a draft", () => {
  const drafts = (page: Mounted) => page.core.called("prepare_draft");
  afterEach(() => {
    vi.useRealTimers();
  });

  async function typed(page: Mounted, words: string, pause: number): Promise<void> {
    await settle(() => type(field(page), words));
    await vi.advanceTimersByTimeAsync(pause);
  }

  it("is prepared once a pause, and no more when it is sent", async () => {
    const page = await mountApp();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await typed(page, "Where", 100);
    await typed(page, "Where is", 1000);
    await typed(page, "Where is my", 100);
    await settle(() => press(field(page), "Enter"));
    await vi.advanceTimersByTimeAsync(1000);
    expect(drafts(page)).toEqual([{ conversation: "c1", text: "Where is" }]);
  });

  it.each(["off", "paused"])("is not prepared while memory is %s", async (how) => {
    const page = await mountApp();
    if (how === "paused") await settle(() => page.core.emit({ type: "memory_paused", paused: true }));
    else await settle(() => find(page.root, ".memory-switch").click());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await typed(page, "a secret", 1000);
    expect(drafts(page)).toEqual([]);
  });
});

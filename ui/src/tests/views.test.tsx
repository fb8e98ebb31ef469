import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { language } from "../texts";
import { faults } from "./axe";
import { NOW, turnView } from "./core/records";
import { button, find, type Mounted, many, mountApp, mountTalk, press, RECEIPT, settle } from "./render";

const TALK = turnView(
  "t1",
  "hi",
  "**hello**\n\n```js\nlet x;\n```\n\n| a |\n|---|\n| 1 |\n\n[x](https://example.org)",
  {
    tools: [
      {
        call: "k",
        round: 1,
        tool: "edit",
        file: "USER.md",
        running: false,
        error: null,
        receipt: { ...RECEIPT, added: 2, removed: 1 },
      },
    ],
  },
);
const FAILED = turnView("t2", "hi?", "", {
  end: "failed",
  error: { code: "fault_dns", args: { host: "example.org" }, retryable: false },
});

function talk(...turns: Parameters<typeof turnView>[] | (typeof TALK)[]): Promise<Mounted> {
  return mountTalk(turns as (typeof TALK)[]);
}

afterEach(() => {
  language.value = "en";
});

describe("the tabs", () => {
  it("show the one in use, however many there are", async () => {
    const shown: (string | null)[] = [];
    Element.prototype.scrollIntoView = function (this: Element) {
      shown.push(this.textContent);
    };
    try {
      const page = await talk(TALK);
      await settle(() => button(page.root, "New conversation").click());
      expect(page.store.tabs.ids.value.length).toBe(2);
      expect(shown.at(-1)).toContain("New conversation");
    } finally {
      Reflect.deleteProperty(Element.prototype, "scrollIntoView");
    }
  });
});

describe("tabs that don't fit beside each other", () => {
  class Watch {
    constructor(private readonly seen: (changed: unknown[]) => void) {}
    observe(): void {
      this.seen([]);
    }
    unobserve(): void {
      // nothing is kept
    }
    disconnect(): void {
      // nothing is kept
    }
  }

  beforeEach(() => {
    vi.stubGlobal("ResizeObserver", Watch);
    Object.defineProperty(HTMLElement.prototype, "clientWidth", { configurable: true, get: () => 440 });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    Reflect.deleteProperty(HTMLElement.prototype, "clientWidth");
  });

  it("are listed whole, and only then", async () => {
    const page = await talk(TALK);
    await settle(() => page.store.tabs.create());
    expect(page.root.textContent).not.toContain("All conversations (2)");
    for (let more = 0; more < 3; more += 1) await settle(() => page.store.tabs.create());
    await settle(() => button(page.root, "All conversations (5)").click());
    expect(page.root.querySelectorAll("[role=menuitem]")).toHaveLength(5);
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(find(page.root, "[role=menu]"), "A talk").click());
    expect(page.store.tabs.active.value).toBe("c1");
  });

  it("say there which of them are unread, and so does the button", async () => {
    const page = await talk(TALK);
    for (let more = 0; more < 4; more += 1) await settle(() => page.store.tabs.create());
    await settle(() => page.core.emit({ type: "unread_changed", conversations: ["c1"] }));
    await settle(() => button(page.root, "All conversations (5), some unread").click());
    const items = [...page.root.querySelectorAll("[role=menuitem]")].map((each) => each.textContent);
    expect(items[0]).toBe("A talk (unread)");
    expect(items.slice(1).join()).not.toContain("unread");
  });
});

describe("a conversation that grew too long", () => {
  it("goes on without its earlier messages where the fault says so", async () => {
    const long = turnView("t3", "and then?", "", {
      end: "failed",
      error: { code: "fault_window_exceeded", args: {}, retryable: false },
    });
    const page = await talk(TALK, long);
    await settle(() => button(page.root, "Continue without earlier messages").click());
    expect(page.core.called("drop_earlier")).toEqual([{ conversation: "c1" }]);
    expect(page.core.called("resend")).toEqual([{ conversation: "c1", turn: "t3" }]);
  });
});

describe("everyone can use", () => {
  it.each([
    ["an empty chat", () => mountApp()],
    ["a talk", () => talk(TALK, FAILED)],
    ["the history", async () => show(await talk(TALK), "history")],
  ])("%s", async (_, make) => {
    expect(await faults((await make()).root)).toEqual([]);
  });
});

async function show(page: Mounted, view: "history" | "settings"): Promise<Mounted> {
  await settle(() => page.core.emit({ type: "page_asked", view }));
  return page;
}

describe("a reply", () => {
  it("shows what was written, the change, and takes it back", async () => {
    const page = await talk(TALK);
    expect(find(page.root, ".receipt").textContent).toContain("USER.md was changed");
    await settle(() => button(page.root, "View").click());
    expect(page.core.called("diff_versions")).toEqual([{ file: "USER.md", old: RECEIPT.before, new: RECEIPT.after }]);
    expect(page.root.querySelector("dialog .diff")).not.toBeNull();
    await settle(() => button(page.root, "Undo").click());
    expect(page.core.called("undo_receipt")).toHaveLength(1);
    expect(find(page.root, ".receipt").textContent).toContain("Undone");
  });

  it("that failed says why in words and leads to the cure", async () => {
    const page = await talk(FAILED);
    expect(find(page.root, ".fault").textContent).toContain("There is no server named example.org");
    await settle(() => button(page.root, "Retry").click());
    expect(page.core.called("resend")).toEqual([{ conversation: "c1", turn: "t2" }]);
    await settle(() => button(page.root, "Open settings").click());
    expect(page.store.navigation.section.value).toBe("model");
  });

  it("can be had once more, and an own message edited and sent again", async () => {
    const page = await talk(TALK);
    await settle(() => button(page.root, "Another reply").click());
    await settle(() => button(page.root, "Edit and send again").click());
    const area = find<HTMLTextAreaElement>(page.root, ".owner textarea");
    area.value = "hello there";
    await settle(() => area.dispatchEvent(new InputEvent("input", { bubbles: true })));
    await settle(() => press(area, "Enter", { isComposing: true }));
    expect(page.core.called("resend")).toEqual([{ conversation: "c1", turn: "t1" }]);
    await settle(() => press(area, "Enter"));
    expect(page.core.called("resend").at(-1)).toEqual({ conversation: "c1", turn: "t1", text: "hello there" });
  });

  it("streams into the page and is told to screen readers when it is whole", async () => {
    const page = await talk(TALK);
    const place = { conversation: "c1", turn: "t9" };
    const usage = TALK.usage;
    await settle(() =>
      page.core.emit(
        {
          type: "turn_started",
          ...place,
          at: NOW,
          text: "more",
          memory: true,
          supersedes: null,
          attachments: [],
          kind: "message",
        },
        { type: "text_delta", ...place, round: 1, text: "once upon " },
      ),
    );
    const live = find(page.root, "[aria-live]");
    expect(live.textContent).toBe("Thinking…");
    await settle(() => page.core.emit({ type: "text_delta", ...place, round: 1, text: "a time" }));
    expect(find(page.root, "[data-turn=t9] .md").textContent).toBe("once upon a time");
    await settle(() =>
      page.core.emit({ type: "turn_ended", ...place, end: "done", error: null, usage, claim: null }),
    );
    expect(live.textContent).toBe("once upon a time");
  });

  it("is told without its Markdown", async () => {
    const page = await talk(turnView("t1", "Hi", "Hello"));
    const reply =
      "# Tea\n\n**Green** or `black`\\*?\n\n|a|b|\n|-|-|\n|1|2|\n\n- [x] one\n- two\n\n![a cup](https://x.example)";
    const place = { conversation: "c1", turn: "t9" };
    const started = {
      type: "turn_started" as const,
      ...place,
      at: NOW,
      text: "more",
      memory: true,
      supersedes: null,
    };
    await settle(() =>
      page.core.emit(
        { ...started, attachments: [], kind: "message" },
        { type: "text_delta", ...place, round: 1, text: reply },
        { type: "turn_ended", ...place, end: "done", error: null, usage: TALK.usage, claim: null },
      ),
    );
    expect(find(page.root, "[aria-live]").textContent).toBe("Tea\nGreen or black*?\na, b\n1, 2\none\ntwo\na cup");
  });
});

it("a chat that is opened again has its cursor in the composer, also where a search was left", async () => {
  const page = await show(await talk(TALK), "history");
  await settle(() => page.core.emit({ type: "chat_shown", shown: false }));
  await settle(() => page.core.emit({ type: "chat_shown", shown: true }));
  expect(document.activeElement).toBe(find(page.root, ".composer textarea"));
  const editing = await show(await talk(TALK), "settings");
  await settle(() => editing.core.emit({ type: "chat_shown", shown: true }));
  expect(editing.store.navigation.view.value).toBe("settings");
});

it("a long conversation draws its end first", async () => {
  const turns = Array.from({ length: 500 }, (_, index) => turnView(`t${index}`, `message ${index}`, "ok"));
  const page = await talk(...turns);
  expect(page.root.querySelectorAll(".turn").length).toBeLessThan(60);
  expect(page.root.textContent).toContain("message 499");
});

it("without a key the way to the settings is shown", async () => {
  const page = await mountApp((core) => {
    core.app = { ...core.app, key: { ...core.app.key, set: false, source: "none" } };
  });
  await settle(() => button(page.root, "Choose a model").click());
  expect(page.store.navigation.view.value).toBe("settings");
});

it("the language follows the app, at once and everywhere", async () => {
  const page = await talk(TALK);
  page.core.app = { ...page.core.app, language: "zh" };
  await settle(() => page.core.emit({ type: "settings_changed" }));
  expect(document.documentElement.lang).toBe("zh-CN");
  expect(page.root.textContent).toContain("改好了 USER.md");
});

it("reminders are read again in another language, and not after any other change of a setting", async () => {
  const page = await talk(TALK);
  const before = page.core.called("list_reminders").length;
  await settle(() => page.core.emit({ type: "settings_changed" }));
  expect(page.core.called("list_reminders")).toHaveLength(before);
  page.core.app = { ...page.core.app, language: "zh" };
  await settle(() => page.core.emit({ type: "settings_changed" }));
  expect(page.core.called("list_reminders")).toHaveLength(before + 1);
});

describe("history", () => {
  it("opens, renames, and deletes only after a question", async () => {
    const page = await show(await talk(TALK), "history");
    await settle(() => button(page.root, "Rename “A talk”").click());
    const input = find<HTMLInputElement>(page.root, ".card-row input");
    input.value = "New name";
    await settle(() => input.dispatchEvent(new InputEvent("input", { bubbles: true })));
    await settle(() => press(input, "Enter"));
    expect(page.core.called("rename_conversation")).toEqual([{ conversation: "c1", title: "New name" }]);
    await settle(() => button(page.root, "Delete “A talk”").click());
    expect(page.core.called("delete_conversation")).toEqual([]);
    expect(document.activeElement?.textContent).toBe("Cancel");
    await settle(() => button(find(page.root, "dialog"), "Delete").click());
    expect(page.core.called("delete_conversation")).toEqual([{ conversation: "c1" }]);
  });
});

function happens(kind: string, seconds: number): void {
  const made = { bubbles: true };
  const event = kind === "keydown" ? new KeyboardEvent(kind, { ...made, key: "Shift" }) : new Event(kind, made);
  Object.defineProperty(event, "timeStamp", { value: 1_000_000 + seconds * 1000 });
  document.body.dispatchEvent(event);
}

describe("an owner who reads", () => {
  it("is told of at most every two minutes, and only as something moves", async () => {
    const page = await mountTalk(many(3));
    const reports = () => page.core.called("reading").length;
    expect(reports()).toBe(0);
    const timers = vi.spyOn(window, "setTimeout");
    await settle(() => {
      happens("pointermove", 0);
      happens("wheel", 60);
      happens("keydown", 119);
    });
    expect(reports()).toBe(1);
    await settle(() => happens("wheel", 121));
    expect(reports()).toBe(2);
    expect(timers).not.toHaveBeenCalled();
    timers.mockRestore();
  });

  it("is not whom a reply that scrolls by itself stands for", async () => {
    const page = await mountTalk(many(3));
    await settle(() => happens("scroll", 0));
    expect(page.core.called("reading")).toEqual([]);
  });
});

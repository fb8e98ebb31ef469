import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { BubbleView } from "../../bindings";
import { type Ask, mount } from "../../bubble/main";
import { faults } from "../axe";

const SAID: BubbleView = {
  number: 1,
  kind: "reply",
  text: "Rain <b>until</b> four.\nThen sun.",
  command: "",
  goes: false,
  more: true,
  pieces: [
    { kind: "heading", text: "Rain", mark: "", depth: 0 },
    { kind: "text", text: "Rain <b>until</b> four.", mark: "", depth: 0 },
    { kind: "item", text: "a coat", mark: "\u2022", depth: 0 },
    { kind: "item", text: "مظلة", mark: "\u2022", depth: 1 },
    { kind: "quote", text: "so they say", mark: "", depth: 0 },
    { kind: "code", text: "if rain:\n    run()", mark: "", depth: 0 },
    { kind: "row", text: "day \u00b7 rain", mark: "", depth: 0 },
  ],
  ending: "",
  suggestions: [],
  files: [],
  copied: false,
  captures: false,
  notice: "",
  reminders: [],
  seconds: 8,
  language: "en",
  theme: "dark",
  reduced_motion: "off",
};
const DUE_REMINDERS: BubbleView = {
  ...SAID,
  number: 2,
  kind: "reminders",
  text: "",
  more: false,
  pieces: [],
  seconds: 0,
  language: "zh",
  reminders: [
    {
      file: "memory/2026-11-20.md",
      line: 3,
      due: "2026-11-19",
      text: "给牙医打电话",
      overdue: true,
      at: "",
      repeats: "",
    },
  ],
};

describe("the speech bubble", () => {
  let root: HTMLElement;
  let calls: [string, unknown][];
  let view: BubbleView;
  let room: number;
  let refuses = false;

  const ask = (async (name: string, args: unknown) => {
    calls.push([name, args]);
    if (name === "get_bubble") return view;
    if (name === "say_in_bubble" && refuses) return null;
    if (name === "size_bubble") return { side: "above", tail: 100, height: room };
    return name === "answer_reminder" ? null : {};
  }) as Ask;

  async function show(what: BubbleView): Promise<void> {
    view = what;
    window.__soulpet?.deliver({ resync: false, events: [] });
    await vi.advanceTimersByTimeAsync(0);
  }

  const names = () => calls.map(([name]) => name);
  const button = (text: string) =>
    [...root.querySelectorAll("button")].find((each) => each.textContent === text || each.ariaLabel === text);

  beforeEach(async () => {
    vi.useFakeTimers();
    window.matchMedia = vi.fn().mockReturnValue({ matches: false });
    document.body.innerHTML = '<div id="root" role="status" aria-live="polite"></div>';
    root = document.getElementById("root") as HTMLElement;
    calls = [];
    room = 100;
    view = { ...SAID, kind: "none" };
    mount(root, ask);
    await vi.advanceTimersByTimeAsync(0);
  });
  afterEach(() => void vi.useRealTimers());

  it("shows words, never markup, and asks for its room before it can be seen", async () => {
    expect(names()).toEqual(["get_bubble"]); // nothing to say, no room
    await show(SAID);
    expect(root.querySelector(".said")?.textContent).toBe(SAID.text);
    expect(root.querySelector("b")).toBeNull();
    expect(names()).toEqual(["get_bubble", "get_bubble", "size_bubble"]);
    expect(root.dataset["side"]).toBe("above");
    expect(document.documentElement.dataset["theme"]).toBe("dark");
    vi.useRealTimers();
    expect(await faults(root)).toEqual([]);
  });

  it("takes a line from the owner, with the keyboard, and keeps what could not be sent", async () => {
    await show({ ...SAID, number: 3, kind: "field", text: "", more: false, pieces: [], seconds: 0 });
    const field = () => root.querySelector<HTMLInputElement>(".field input") as HTMLInputElement;
    expect(document.activeElement).toBe(field());
    expect(calls.at(-1)).toEqual(["size_bubble", expect.objectContaining({ reading: true })]);
    field().value = "When does <b>the train</b> go?";
    field().dispatchEvent(new Event("input"));
    await show({ ...view, theme: "light" });
    expect(field().value).toBe("When does <b>the train</b> go?");
    refuses = true;
    root.querySelector("form")?.requestSubmit();
    await vi.advanceTimersByTimeAsync(0);
    expect(root.querySelector(".field.refused")).not.toBeNull();
    expect(field().value).toBe("When does <b>the train</b> go?");
    refuses = false;
    root.querySelector("form")?.requestSubmit();
    root.querySelector("form")?.requestSubmit();
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.filter(([name]) => name === "say_in_bubble")).toHaveLength(2);
    expect(calls.at(-1)).toEqual(["say_in_bubble", { text: "When does <b>the train</b> go?", number: 3 }]);
    vi.useRealTimers();
    expect(await faults(root)).toEqual([]);
  });

  it("opens the line in its place at a click on a greeting or its button, and takes no answer to a goodbye", async () => {
    await show({ ...SAID, number: 3, kind: "greeting", text: "Good morning!", more: false, pieces: [] });
    for (const place of [button("Answer"), root.querySelector<HTMLElement>(".said")]) {
      calls = [];
      place?.click();
      await vi.advanceTimersByTimeAsync(0);
      expect(calls).toEqual([["ask_about", { text: "" }]]);
    }
    await show({ ...SAID, number: 4, kind: "goodbye", text: "Bye!", more: false, pieces: [] });
    expect([...root.querySelectorAll("button")].map((each) => each.ariaLabel)).toEqual(["Close"]);
  });

  it("shows what the question is about, takes it out again, and adds what is dropped, pasted or captured", async () => {
    const files = [
      { id: "a1", name: "square.png", image: "data:image/png;base64,AAAA", note: "" },
      { id: "b2", name: "<b>long</b>.pdf", image: "", note: "pages 1 to 15 of 312 fit" },
    ];
    const notice = "Reading <i>next</i>.pdf";
    const field: BubbleView = {
      ...SAID,
      number: 6,
      kind: "field",
      text: "Rain.",
      pieces: [],
      more: false,
      seconds: 0,
    };
    await show({ ...field, files, notice, captures: true, suggestions: ["Explain this"] });
    expect(root.querySelector<HTMLImageElement>(".files img")?.alt).toBe("square.png");
    expect(root.querySelector(".files .text")?.textContent).toContain("<b>long</b>.pdfpages 1 to 15 of 312 fit");
    expect(root.querySelector(".notice")?.textContent).toBe(notice);
    button("Remove square.png")?.click();
    button("Remove Selected text")?.click();
    button("Show part of the screen")?.click();
    expect(calls.slice(-3)).toEqual([
      ["remove_from_field", { attachment: "a1", number: 6 }],
      ["remove_from_field", { attachment: "", number: 6 }],
      ["take_screenshot", { area: "region", ask: true }],
    ]);
    vi.useRealTimers();
    expect(await faults(root)).toEqual([]);
    const file = new File(["tea"], "tea.txt", { type: "text/plain" });
    const carried = { files: [file], getData: () => "", types: ["Files"] };
    for (const name of ["drop", "paste"]) {
      const event = new Event(name, { bubbles: true, cancelable: true });
      Object.assign(event, { dataTransfer: carried, clipboardData: carried });
      const before = calls.length;
      root.querySelector(".field input")?.dispatchEvent(event);
      expect(event.defaultPrevented).toBe(true);
      await vi.waitFor(() => expect(calls.length).toBeGreaterThan(before));
      expect(calls.at(-1)).toEqual([
        "drop_on_pet",
        { text: "", files: [{ name: "tea.txt", data: ["dGVh"] }], refused: [] },
      ]);
    }
  });

  it("says that a text is the clipboard's, and asks for it whenever it gets the keyboard", async () => {
    const focused = vi.spyOn(document, "hasFocus").mockReturnValue(false);
    const field: BubbleView = { ...SAID, number: 7, kind: "field", text: "", pieces: [], more: false, seconds: 0 };
    await show({ ...field, copied: true });
    expect(root.querySelector(".late")?.textContent).toContain("Copy a text");
    expect(names()).not.toContain("read_copied");
    focused.mockReturnValue(true);
    window.dispatchEvent(new Event("focus"));
    expect(calls.at(-1)).toEqual(["read_copied", { number: 7 }]);
    await show({ ...field, text: "Rain.", copied: true });
    expect(root.querySelector(".late")?.textContent).toBe("From the clipboard");
    window.dispatchEvent(new Event("focus"));
    expect(calls.filter(([name]) => name === "read_copied")).toHaveLength(1);
    await show({ ...field, number: 8 }); // a line of the owner's own
    window.dispatchEvent(new Event("focus"));
    expect(calls.filter(([name]) => name === "read_copied")).toHaveLength(1);
    focused.mockRestore();
  });

  it("quotes what is asked about, takes a suggestion by a click, and a long pasted text as what is asked about", async () => {
    const suggestions = ["Explain this", "Translate this into English", "Make this shorter"];
    const text = "Rain <b>until</b> four.";
    await show({ ...SAID, number: 5, kind: "field", text, suggestions, more: true, pieces: [], seconds: 0 });
    expect(root.querySelector(".quoted")?.textContent).toBe(text);
    expect(root.querySelector(".late")?.textContent).toContain("first 20,000 characters");
    const field = () => root.querySelector<HTMLInputElement>(".field input") as HTMLInputElement;
    expect(field().placeholder).toBe("Ask about it");
    expect(document.activeElement).toBe(field());
    refuses = true;
    button("Explain this")?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(root.querySelector(".field.refused")).not.toBeNull();
    refuses = false;
    button("Make this shorter")?.click();
    const sent = calls.filter(([name]) => name === "say_in_bubble").map(([, args]) => args);
    expect(sent).toEqual([
      { text: "Explain this", number: 5 },
      { text: "Make this shorter", number: 5 },
    ]);
    const paste = (words: string) => {
      const event = new Event("paste", { cancelable: true });
      Object.assign(event, { clipboardData: { getData: () => words } });
      field().dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect([paste("a few words"), paste("two\nlines"), paste("x".repeat(30_000))]).toEqual([false, true, true]);
    const asked = calls.filter(([name]) => name === "ask_about").map(([, args]) => (args as { text: string }).text);
    expect(asked.map((each) => each.length)).toEqual([9, 20_001]);
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    expect(names()).toContain("close_bubble");
    vi.useRealTimers();
    expect(await faults(root)).toEqual([]);
  });

  it("asks about an agent, and takes no answer before it has rested", async () => {
    await show({
      ...SAID,
      number: 4,
      kind: "agent",
      text: "Codex wants to read.",
      more: false,
      pieces: [],
      seconds: 0,
    });
    expect(button("Read only")?.disabled).toBe(true);
    await vi.advanceTimersByTimeAsync(700);
    button("Read only")?.click();
    button("Not now")?.click();
    button("Never")?.click();
    const answers = calls.filter(([name]) => name === "answer_agent").map(([, args]) => args);
    expect(answers).toEqual(["read", "later", "never"].map((answer) => ({ answer, number: 4 })));
  });

  it("shows the whole command an agent asks about, and allows it neither at once nor by Enter", async () => {
    const command = "rm -rf build\u27e8202E\u27e9\n".repeat(6);
    await show({
      ...SAID,
      number: 5,
      kind: "permission",
      text: "Claude Code in ~/src/tundra asks whether it may use Bash:",
      command,
      more: false,
      pieces: [],
      seconds: 0,
    });
    expect(root.querySelector(".command")?.textContent).toBe(command);
    expect(button("Allow")?.disabled).toBe(true);
    button("Allow")?.click();
    await vi.advanceTimersByTimeAsync(700);
    const enter = new KeyboardEvent("keydown", { key: "Enter", cancelable: true });
    expect(button("Allow")?.dispatchEvent(enter)).toBe(false);
    expect(names()).not.toContain("answer_permission");
    button("Allow")?.click();
    button("Deny")?.click();
    button("Ask me there")?.click();
    const answers = calls.filter(([name]) => name === "answer_permission").map(([, args]) => args);
    expect(answers).toEqual(["allow", "deny", ""].map((answer) => ({ answer, number: 5 })));
    vi.useRealTimers();
    expect(await faults(root)).toEqual([]);
  });

  it("lets a long command be allowed only once its end was in view", async () => {
    await show({
      ...SAID,
      number: 9,
      kind: "permission",
      text: "Codex asks whether it may use Bash:",
      command: "true\n".repeat(900),
      more: false,
      pieces: [],
      seconds: 0,
    });
    const body = root.querySelector<HTMLElement>(".body");
    if (!body) throw new Error("no body");
    Object.defineProperties(body, { scrollHeight: { value: 1000 }, clientHeight: { value: 500 } });
    const press = async () => {
      await vi.advanceTimersByTimeAsync(700);
      button("Allow")?.click();
    };
    await press(); // shows the next part
    expect(body.scrollTop).toBe(450);
    expect(button("Allow")?.disabled).toBe(true);
    await press();
    expect(names()).not.toContain("answer_permission");
    body.scrollTop = 500;
    body.dispatchEvent(new Event("scroll"));
    body.scrollTop = 0;
    await press();
    expect(names()).toContain("answer_permission");
  });

  it("goes to an agent's window only where the core knows one", async () => {
    const waits = { ...SAID, number: 6, kind: "state", text: "tundra: Codex is waiting for you" } as const;
    await show(waits);
    expect(button("Go there")).toBeUndefined();
    await show({ ...waits, number: 7, goes: true });
    button("Go there")?.click();
    expect(calls.filter(([name]) => name === "go_there").map(([, args]) => args)).toEqual([{ number: 7 }]);
  });

  it("opens the folder of what was saved", async () => {
    await show({ ...SAID, number: 8, kind: "saved", text: "Saved “Bun.png” in “Pictures”.", goes: true });
    expect(root.textContent).toContain("Bun.png");
    button("Open the folder")?.click();
    expect(calls.filter(([name]) => name === "go_there").map(([, args]) => args)).toEqual([{ number: 8 }]);
  });

  it("fades when it was read, not while the pointer rests on it, and leaves no timer", async () => {
    await show(SAID);
    root.dispatchEvent(new Event("pointerenter"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(names()).not.toContain("close_bubble");
    root.dispatchEvent(new Event("pointerleave"));
    await vi.advanceTimersByTimeAsync(8_000);
    expect(root.classList.contains("gone")).toBe(true);
    await vi.advanceTimersByTimeAsync(300);
    expect(names().at(-1)).toBe("close_bubble");
    await show({ ...SAID, kind: "none" });
    expect(root.childElementCount).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("opens in place to read on, in plain pieces, and closes again", async () => {
    await show(SAID);
    expect(root.getAttribute("aria-live")).toBe("polite");
    button("Read on")?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(calls.at(-1)).toEqual(["size_bubble", expect.objectContaining({ reading: true })]);
    const rest = root.querySelector<HTMLElement>("[role=region]");
    expect(document.activeElement).toBe(rest);
    expect([...(rest?.children ?? [])].map((each) => [each.localName, each.textContent])).toEqual([
      ["p", "Rain"],
      ["p", "Rain <b>until</b> four."],
      ["p", "\u2022a coat"],
      ["p", "\u2022مظلة"],
      ["blockquote", "so they say"],
      ["pre", "if rain:\n    run()"],
      ["p", "day \u00b7 rain"],
    ]);
    expect(rest?.querySelector("b")).toBeNull();
    expect(root.getAttribute("aria-live")).toBe("off"); // an expanded bubble does not fade
    await vi.advanceTimersByTimeAsync(60_000);
    expect(names()).not.toContain("close_bubble");
    vi.useRealTimers();
    expect(await faults(root)).toEqual([]);
    vi.useFakeTimers();
    button("Show less")?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(root.querySelector("[role=region]")).toBeNull();
    expect(root.classList.contains("open")).toBe(false);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(names()).toContain("close_bubble");
  });

  it("scrolls where there is too little room", async () => {
    Object.defineProperty(root, "offsetHeight", { configurable: true, value: 640 });
    room = 430;
    await show(SAID);
    button("Read on")?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(root.style.height).toBe("430px");
    room = 640;
    button("Show less")?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(root.style.height).toBe("");
  });

  it("stays open in another language, and not for another reply", async () => {
    await show(SAID);
    button("Read on")?.click();
    await vi.advanceTimersByTimeAsync(0);
    await show({ ...SAID, language: "zh", theme: "light" });
    expect(button("收起")).toBeDefined();
    expect(document.documentElement.lang).toBe("zh-CN");
    expect(document.documentElement.dataset["theme"]).toBe("light");
    await show({ ...SAID, number: 9 });
    expect(button("Read on")).toBeDefined();
  });

  it("has keys once it was clicked: Escape closes what is open, then the bubble", async () => {
    await show(SAID);
    button("Read on")?.click();
    await vi.advanceTimersByTimeAsync(0);
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    await vi.advanceTimersByTimeAsync(0);
    expect(root.querySelector("[role=region]")).toBeNull();
    expect(names()).not.toContain("close_bubble");
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    expect(names().at(-1)).toBe("close_bubble");
  });

  it("is not drawn anew where it says the same: what is pressed meanwhile stays, and is clicked", async () => {
    await show(SAID);
    const pressed = button("Open chat");
    await show({ ...SAID }); // its window came, or the pet moved: request the place
    expect(names().filter((name) => name === "size_bubble")).toHaveLength(2);
    expect(button("Open chat")).toBe(pressed);
    await show({ ...SAID, language: "es" });
    expect(pressed?.isConnected).toBe(false);
  });

  it("is not closed by a fading that began before its chat was asked for", async () => {
    await show(SAID);
    await vi.advanceTimersByTimeAsync(8_000);
    expect(root.classList.contains("gone")).toBe(true);
    button("Open chat")?.click();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(names().at(-1)).toBe("open_bubble");
  });

  it("opens the chat for an answer", async () => {
    await show(SAID);
    button("Open chat")?.click();
    expect(names().at(-1)).toBe("open_bubble");
    await show({ ...SAID, more: false });
    button("Answer")?.click();
    expect(names().at(-1)).toBe("open_bubble");
    button("Close")?.click();
    expect(names().at(-1)).toBe("close_bubble");
  });

  it("offers the answers that fit the end of a reply, once that is seen", async () => {
    const asks: BubbleView = { ...SAID, number: 6, text: "Shall I water it?", ending: "Shall I water it?" };
    await show(asks);
    expect(button("Yes, please")).toBeUndefined(); // there is more to read before the question
    button("Read on")?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(button("Yes, please")).toBeDefined();
    await show({ ...asks, number: 7, more: false });
    button("Yes, please")?.click();
    expect(calls.at(-1)).toEqual(["say_in_bubble", { text: "Yes, please", number: 7 }]);
    await show({ ...asks, number: 8, more: false, language: "zh", ending: "要我浇水吗？" });
    expect(root.querySelectorAll("button.quick").length).toBeGreaterThan(1);
    expect(root.querySelector("button.quick")?.textContent).toMatch(/[\u4e00-\u9fff]/);
  });

  it("offers a look at what failed, and waits with what needs a yes", async () => {
    await show({ ...SAID, number: 3, kind: "failed", text: "The key is not accepted.", more: false });
    button("Take a look")?.click();
    expect(names().at(-1)).toBe("open_bubble");
    calls = [];
    await show({ ...SAID, number: 4, kind: "question", text: "May I?", more: false, seconds: 0 });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(names()).not.toContain("close_bubble");
  });

  it("asks, and takes Tell, Not now and Don't ask for an answer", async () => {
    const asking: BubbleView = { ...SAID, number: 5, kind: "asking", text: "“امتحان”: how did it go?", more: false };
    await show(asking);
    expect(root.querySelector<HTMLElement>(".said")?.dir).toBe("auto");
    button("Tell")?.click();
    expect(names().at(-1)).toBe("open_bubble");
    await show(asking);
    button("Not now")?.click();
    expect(names().at(-1)).toBe("close_bubble");
    await show(asking);
    button("Don't ask about this")?.click();
    expect(names().at(-1)).toBe("leave_alone");
    vi.useRealTimers();
    expect(await faults(root)).toEqual([]);
  });

  it("asks whether a line still holds, and offers to undo what the answer changed", async () => {
    const recheck: BubbleView = { ...SAID, number: 5, kind: "recheck", text: "“Training”. Still true?", more: false };
    for (const [label, answer] of [
      ["Yes", "yes"],
      ["No longer", "no_longer"],
      ["Don't ask", "never"],
    ] as const) {
      await show(recheck);
      button(label)?.click();
      expect(calls.at(-1)).toEqual(["answer_recheck", { answer, number: 5 }]);
    }
    await show({ ...recheck, number: 6, kind: "changed", text: "Changed in USER.md." });
    button("Undo")?.click();
    expect(calls.at(-1)).toEqual(["undo_change", { number: 6 }]);
    vi.useRealTimers();
    expect(await faults(root)).toEqual([]);
  });

  it("keeps a reminder until it is answered, in the owner's language, and says when it is another one by now", async () => {
    vi.setSystemTime(new Date(2026, 11, 31, 12));
    await show(DUE_REMINDERS);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(names()).not.toContain("close_bubble");
    expect(document.documentElement.lang).toBe("zh-CN");
    button("晚点")?.click();
    await vi.advanceTimersByTimeAsync(0);
    button("返回")?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(button("明天")).toBeFalsy();
    button("晚点")?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(document.activeElement?.textContent).toBe("十分钟后");
    button("明天")?.click();
    await vi.advanceTimersByTimeAsync(0);
    const until = { answer: "snooze", until: "tomorrow", shown: "2026-11-19" };
    expect(calls.at(-1)).toEqual(["answer_reminder", expect.objectContaining(until)]);
    expect(root.textContent).toContain("刚刚变了");
  });

  it("says the hour and the series, and offers this evening only before it", async () => {
    vi.setSystemTime(new Date(2026, 10, 20, 17, 59));
    const [reminder] = DUE_REMINDERS.reminders;
    const timed = { ...reminder, overdue: false, at: "15:00", repeats: "每周五" } as typeof reminder;
    await show({ ...DUE_REMINDERS, reminders: [timed as NonNullable<typeof reminder>] });
    expect(root.querySelector(".late")?.textContent).toBe("15:00 · 每周五");
    button("晚点")?.click();
    await vi.advanceTimersByTimeAsync(0);
    const offered = [...root.querySelectorAll(".row button")].map((each) => each.textContent);
    expect(offered).toEqual(["十分钟后", "一小时后", "今晚", "明天", "返回"]);
    vi.setSystemTime(new Date(2026, 10, 20, 18, 0));
    await show({ ...DUE_REMINDERS, number: 99 });
    button("晚点")?.click();
    await vi.advanceTimersByTimeAsync(0);
    expect(button("今晚")).toBeUndefined();
  });
});

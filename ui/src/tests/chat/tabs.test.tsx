/** Tabs: restored, moved, renamed, unread; and the history, searched, paged and exported. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ArgsOf, PetEvent } from "../../bindings";
import { atWholeTab } from "../../chat/tabs";
import { faults } from "../axe";
import type { FakeCore } from "../core/core";
import { turnView } from "../core/records";
import { button, find, type Mounted, many, mountApp, mountTalk, press, settle, type } from "../render";

describe("the tabs", () => {
  const three = () =>
    mountApp((core) => {
      for (const id of ["a", "b", "c"])
        core.addConversation({ id, title: id.toUpperCase() }, [turnView("t", "x", "y")]);
      const tabs = ["a", "b", "c"].map((conversation) => ({
        conversation,
        draft: "",
        scroll: 0,
        attachments: [],
        pinned: false,
      }));
      core.app = { ...core.app, tabs, active_tab: "a" };
    });
  const titles = ({ root }: Mounted) => [...root.querySelectorAll(".tab .title")].map((each) => each.textContent);

  it("stand at the edge, and none is cut, where they don't fit", () => {
    expect([0, 85, 110, 378, 400].map((left) => atWholeTab(left, 185))).toEqual([0, 0, 189, 378, 378]);
  });

  it("show a temporary one as such, also once it has a title", async () => {
    const page = await mountApp((core) => {
      core.addConversation({ id: "a", title: "A talk", temporary: true, memory: false }, [turnView("t", "x", "y")]);
      core.addConversation({ id: "b", title: "B", memory: false }, [turnView("t", "x", "y")]);
      const tabs = ["a", "b"].map((conversation) => ({
        conversation,
        draft: "",
        scroll: 0,
        attachments: [],
        pinned: false,
      }));
      core.app = { ...core.app, tabs, active_tab: "a" };
    });
    const [temporary, off] = [...page.root.querySelectorAll(".tab [role=tab]")];
    expect(temporary?.textContent).toBe("A talktemporary: memory off, nothing is kept");
    expect(temporary?.querySelector(".dot")).toBeNull();
    expect(temporary?.querySelector("svg")).not.toBeNull();
    expect(off?.querySelector(".dot.off")).not.toBeNull();
  });

  it("keep a temporary one in its place when its owner wants that", async () => {
    const page = await mountApp((core) => {
      const info = { id: "a", title: "A talk", temporary: true, memory: false, read_only: true };
      core.addConversation(info, [turnView("t", "x", "y")]);
      core.app = {
        ...core.app,
        tabs: [{ conversation: "a", draft: "", scroll: 0, attachments: [], pinned: false }],
        active_tab: "a",
      };
    });
    expect(page.root.querySelector(".tab [role=tab]")?.textContent).toContain("memory read only, nothing is kept");
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Keep this conversation").click());
    expect(titles(page)).toEqual(["A talk"]);
    expect(page.root.querySelector(".tab [role=tab] svg")).toBeNull();
    expect(page.store.tabs.ids.value).toEqual(["a-kept"]);
    await settle(() => button(page.root, "More").click());
    expect([...page.root.querySelectorAll("[role=menuitem]")].map((each) => each.textContent)).not.toContain(
      "Keep this conversation",
    );
  });

  it("come back as they were, draft and place included, the last one closed first", async () => {
    const page = await three();
    await settle(() => page.store.drafts.set("b", "half a thought"));
    await settle(() => page.store.tabs.close("b"));
    await settle(() => page.store.tabs.close("c"));
    await settle(() => press(document.body, "T", { ctrlKey: true, shiftKey: true, code: "KeyT" }));
    expect(titles(page)).toEqual(["A", "C"]);
    await settle(() => press(document.body, "T", { ctrlKey: true, shiftKey: true, code: "KeyT" }));
    expect(titles(page)).toEqual(["A", "B", "C"]);
    expect(find<HTMLTextAreaElement>(page.root, ".composer textarea").value).toBe("half a thought");
  });

  it("in which nothing was begun leave nothing to bring back, and no menu offers it", async () => {
    const page = await three();
    const reopen = () => press(document.body, "T", { ctrlKey: true, shiftKey: true, code: "KeyT" });
    await settle(() => page.store.tabs.create());
    await settle(() => page.store.tabs.close(page.store.tabs.active.value ?? ""));
    await settle(reopen);
    expect(titles(page)).toEqual(["A", "B", "C"]);
    await settle(() => button(page.root, "More").click());
    const offered = [...page.root.querySelectorAll("[role=menuitem]")].map((each) => each.textContent ?? "");
    expect(offered.length).toBeGreaterThan(5);
    expect(offered.filter((each) => /reopen|closed/i.test(each))).toEqual([]);
    await settle(() => page.store.tabs.close("b"));
    await settle(() => page.store.tabs.create());
    await settle(() => page.store.tabs.close(page.store.tabs.active.value ?? ""));
    await settle(reopen);
    expect(titles(page)).toEqual(["A", "B", "C"]); // the one before it
  });

  it("that were deleted meanwhile are passed over", async () => {
    const page = await three();
    await settle(() => page.store.tabs.close("b"));
    await settle(() => page.store.tabs.close("c"));
    page.core.conversations.delete("c");
    await settle(() => page.store.tabs.reopen());
    expect(titles(page)).toEqual(["A", "B"]);
  });

  it("are moved by keys, and the core is told", async () => {
    const page = await three();
    await settle(() => press(document.body, "PageDown", { ctrlKey: true, shiftKey: true }));
    expect(titles(page)).toEqual(["B", "A", "C"]);
    await settle(() => press(document.body, "PageUp", { ctrlKey: true, shiftKey: true }));
    await settle(() => press(document.body, "PageUp", { ctrlKey: true, shiftKey: true }));
    expect(titles(page)).toEqual(["A", "B", "C"]);
    await settle(() => page.store.saver.now());
    expect(page.core.called("save_tabs").at(-1)).toMatchObject({ active: "a" });
  });

  it("are moved by dragging over others", async () => {
    const page = await three();
    const tabs = [...page.root.querySelectorAll<HTMLElement>(".tab")];
    for (const [at, tab] of tabs.entries()) {
      tab.getBoundingClientRect = () => new DOMRect(at * 100, 0, 100, 30);
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

  it("stay where they were dragged to over a wider one, and go back by the same way", async () => {
    const page = await three();
    for (const tab of page.root.querySelectorAll<HTMLElement>(".tab")) {
      tab.getBoundingClientRect = () => {
        const others = [...page.root.querySelectorAll(".tab")];
        const widths = others.map((each) => (each.textContent?.startsWith("B") ? 200 : 80));
        const at = others.indexOf(tab);
        return new DOMRect(
          widths.slice(0, at).reduce((sum, width) => sum + width, 0),
          0,
          widths[at],
          30,
        );
      };
    }
    const at = (kind: string, clientX: number) => new MouseEvent(kind, { bubbles: true, clientX, button: 0 });
    const seen: string[] = [];
    await settle(() => find(page.root, "[role=tab]").dispatchEvent(at("pointerdown", 40)));
    for (const x of [140, 210, 225, 230, 130, 100]) {
      await settle(() => window.dispatchEvent(at("pointermove", x)));
      seen.push(titles(page).join(""));
    }
    expect(seen).toEqual(["ABC", "ABC", "BAC", "BAC", "BAC", "BAC"]);
    await settle(() => window.dispatchEvent(at("pointermove", 50)));
    expect(titles(page)).toEqual(["A", "B", "C"]);
  });

  it("take a new title from the event, without listing every conversation", async () => {
    const page = await three();
    const before = page.core.called("list_conversations").length;
    await settle(() => page.core.emit({ type: "conversation_changed", conversation: "b", title: "Walnuts" }));
    expect(titles(page)).toEqual(["A", "Walnuts", "C"]);
    expect(page.core.called("list_conversations")).toHaveLength(before);
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

function talks(prepare: (core: FakeCore) => void = () => undefined): Promise<Mounted> {
  return mountApp((core) => {
    for (const id of ["a", "b", "c"])
      core.addConversation({ id, title: `About ${id}` }, [turnView("t", "Hi", "Yes")]);
    const tabs = ["a", "b"].map((conversation) => ({
      conversation,
      draft: "",
      scroll: 0,
      attachments: [],
      pinned: false,
    }));
    core.app = { ...core.app, tabs, active_tab: "a" };
    prepare(core);
  });
}

const unread = (...conversations: string[]): PetEvent => ({ type: "unread_changed", conversations });
const tab = ({ root }: Mounted, at: number) => find(root, `.tab:nth-child(${at + 1}) [role=tab]`);
const reported = ({ core }: Mounted) =>
  core.called("set_in_front").map((args) => (args as { conversation: unknown }).conversation);

it("the core is told in order whether the window has the focus", async () => {
  const page = await talks();
  const before = page.core.called("set_focused").length;
  const focus = vi.spyOn(document, "hasFocus");
  for (const focused of [true, false, true]) {
    focus.mockReturnValue(focused);
    await settle(() => window.dispatchEvent(new Event(focused ? "focus" : "blur")));
  }
  const reports = page.core.called("set_focused").slice(before);
  expect(reports).toEqual([{ focused: true }, { focused: false }, { focused: true }]);
  focus.mockRestore();
});

it("the core is told again what is in front once a chat that was shown is painted", async () => {
  const page = await talks();
  const frames = vi.spyOn(window, "requestAnimationFrame").mockImplementation((draw) => {
    queueMicrotask(() => draw(0));
    return 0;
  });
  await settle(() => page.core.emit({ type: "chat_shown", shown: true }));
  expect(reported(page)).toEqual(["a", "a"]);
  frames.mockRestore();
});

describe("what came where nobody looked", () => {
  it("marks its tab, in words too, until it is seen", async () => {
    const page = await talks();
    expect(tab(page, 1).textContent).not.toContain("unread");
    await settle(() => page.core.emit(unread("b")));
    expect(tab(page, 1).textContent).toContain("unread");
    expect(tab(page, 1).closest(".tab")?.classList.contains("unread")).toBe(true);
    expect(tab(page, 0).textContent).not.toContain("unread");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => tab(page, 1).click());
    expect(reported(page).at(-1)).toBe("b");
    await settle(() => page.core.emit(unread()));
    expect(tab(page, 1).textContent).not.toContain("unread");
  });

  it("is told apart from what is in front: settings and history cover the chat", async () => {
    const page = await talks();
    expect(reported(page)).toEqual(["a"]);
    await settle(() => button(page.root, "Settings").click());
    expect(reported(page)).toEqual(["a", null]);
    await settle(() => button(page.root, "Settings").click());
    await settle(() => page.store.navigation.show("history"));
    await settle(() => page.store.tabs.open("b"));
    expect(reported(page)).toEqual(["a", null, "a", null, "b"]);
  });

  it("is still marked after a restart, and brings a closed tab back behind the others", async () => {
    const page = await talks((core) => {
      core.app = { ...core.app, unread: ["b", "c", "gone"] };
    });
    expect(page.store.tabs.ids.value).toEqual(["a", "b", "c"]);
    expect(page.store.tabs.active.value).toBe("a");
    expect(tab(page, 1).textContent).toContain("unread");
    expect(tab(page, 2).textContent).toContain("unread");
  });

  it("comes into a tab that was closed meanwhile: it is there again, and closing it settles it", async () => {
    const page = await talks();
    await settle(() => page.store.tabs.close("b"));
    expect(page.core.called("mark_seen")).toEqual([]);
    await settle(() => page.core.emit(unread("b")));
    expect(page.store.tabs.ids.value).toEqual(["a", "b"]);
    await settle(() => page.store.tabs.close("b"));
    expect(page.core.called("mark_seen")).toEqual([{ conversation: "b" }]);
  });
});

describe("history", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  describe("the list of conversations", () => {
    const hostile = "<img src=x onerror=alert(1)> green tea";

    it("finds what was said, marked, and opens it at the turn", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const page = await mountTalk([turnView("t1", "hello", "hi")], (core) => {
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
      expect(page.store.tabs.active.value).toBe("c2");
      expect(find(page.root, ".turn-slot.found").dataset["slot"]).toBe("t91");
      expect(find<HTMLInputElement>(page.root, ".find-bar input").value).toBe("green tea");
    });

    it("says so when nothing is found, and pages through very many", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const page = await mountTalk([turnView("t1", "hello", "hi")], (core) => {
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
      const page = await mountTalk([turnView("t1", "x", "y")]);
      await settle(() => button(page.root, "More").click());
      await settle(() => button(page.root, "Export…").click());
      await settle(() => find(page.root, "dialog .choice-row").click());
      expect(page.core.called("export_conversation")).toEqual([{ conversation: "c1", format: "markdown" }]);
      expect(find(page.root, ".notice").textContent).toContain("Exported to /home/lin/Downloads/c1.md");
    });
  });
});

describe("pins", () => {
  it("put a conversation before the others, are saved, and go again", async () => {
    const page = await mountThree();
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Pin").click());
    expect(page.store.tabs.ids.value).toEqual(["c3", "c1", "c2"]);
    await settle(() => page.store.tabs.place("c3", 2)); // a pin holds
    expect(page.store.tabs.ids.value).toEqual(["c3", "c1", "c2"]);
    await settle(() => page.store.saver.now());
    expect((page.core.called("save_tabs").at(-1) as ArgsOf<"save_tabs">).tabs.map(({ pinned }) => pinned)).toEqual([
      true,
      false,
      false,
    ]);
    await settle(() => find(page.root, ".tab.pinned .close").click());
    expect(page.root.querySelector(".tab.pinned")).toBeNull();
    expect(page.store.tabs.ids.value).toHaveLength(3);
  });

  it("are there after a restart", async () => {
    const page = await mountThree(["c2"]);
    expect(page.store.tabs.ids.value).toEqual(["c2", "c1", "c3"]);
    expect(find(page.root, ".tab.pinned").textContent).toContain("pinned");
  });
});

describe("a wide window", () => {
  it("lists the conversations at the side in place of the tabs, the earlier ones by age", async () => {
    vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
    const page = await mountThree();
    const side = find(page.root, "nav.side");
    expect(page.root.querySelectorAll("[role=tablist]")).toHaveLength(1);
    expect(side.querySelectorAll("[role=tab]")).toHaveLength(3);
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(side, "An old one").click());
    expect(page.store.tabs.active.value).toBe("old");
    expect(side.querySelectorAll("[role=tab]")).toHaveLength(4);
    await settle(() => page.store.navigation.show("settings"));
    expect(page.root.querySelector("nav.side")).toBeNull();
    expect(page.root.querySelectorAll(".bar [role=tab]")).toHaveLength(4);
    vi.unstubAllGlobals();
  });
});

function mountThree(pinned: string[] = []): Promise<Mounted> {
  return mountApp((core) => {
    core.addConversation({ id: "old", title: "An old one" }, [turnView("t0", "x", "y")]);
    const tabs = ["c1", "c2", "c3"].map((conversation) => {
      core.addConversation({ id: conversation, title: `Talk ${conversation}` }, [turnView("t1", "x", "y")]);
      return { conversation, draft: "", scroll: 0, attachments: [], pinned: pinned.includes(conversation) };
    });
    core.app = { ...core.app, tabs, active_tab: "c3" };
  });
}

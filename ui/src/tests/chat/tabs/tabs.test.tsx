/** The tabs: brought back, moved, renamed. */
import { describe, expect, it } from "vitest";
import { atWholeTab } from "../../../chat/tabs/tabs";
import { turnView } from "../../../ipc/fake";
import { button, find, type Mounted, mountApp, press, settle } from "../../render";

describe("the tabs", () => {
  const three = () =>
    mountApp((core) => {
      for (const id of ["a", "b", "c"])
        core.addConversation({ id, title: id.toUpperCase() }, [turnView("t", "x", "y")]);
      const tabs = ["a", "b", "c"].map((conversation) => ({ conversation, draft: "", scroll: 0, attachments: [] }));
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
      const tabs = ["a", "b"].map((conversation) => ({ conversation, draft: "", scroll: 0, attachments: [] }));
      core.app = { ...core.app, tabs, active_tab: "a" };
    });
    const [temporary, off] = [...page.root.querySelectorAll(".tab [role=tab]")];
    expect(temporary?.textContent).toBe("A talktemporary: memory off, nothing is kept");
    expect(temporary?.querySelector(".dot")).toBeNull();
    expect(temporary?.querySelector("svg")).not.toBeNull();
    expect(off?.querySelector(".dot.off")).not.toBeNull();
  });

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

  it("in which nothing was begun leave nothing to bring back, and no menu offers it", async () => {
    const page = await three();
    const reopen = () => press(document.body, "T", { ctrlKey: true, shiftKey: true, code: "KeyT" });
    await settle(() => page.store.newTab());
    await settle(() => page.store.closeTab(page.store.active.value ?? ""));
    await settle(reopen);
    expect(titles(page)).toEqual(["A", "B", "C"]);
    await settle(() => button(page.root, "More").click());
    const offered = [...page.root.querySelectorAll("[role=menuitem]")].map((each) => each.textContent ?? "");
    expect(offered.length).toBeGreaterThan(5);
    expect(offered.filter((each) => /reopen|closed/i.test(each))).toEqual([]);
    await settle(() => page.store.closeTab("b"));
    await settle(() => page.store.newTab());
    await settle(() => page.store.closeTab(page.store.active.value ?? ""));
    await settle(reopen);
    expect(titles(page)).toEqual(["A", "B", "C"]); // the one before it
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

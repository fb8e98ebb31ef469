import { describe, expect, it, vi } from "vitest";
import type { PetEvent } from "../../../bindings";
import type { FakeCore } from "../../../ipc/fake";
import { turnView } from "../../../ipc/fake";
import { faults } from "../../axe";
import { button, find, type Mounted, mountApp, settle } from "../../render";

function talks(prepare: (core: FakeCore) => void = () => undefined): Promise<Mounted> {
  return mountApp((core) => {
    for (const id of ["a", "b", "c"])
      core.addConversation({ id, title: `About ${id}` }, [turnView("t", "Hi", "Yes")]);
    const tabs = ["a", "b"].map((conversation) => ({ conversation, draft: "", scroll: 0, attachments: [] }));
    core.app = { ...core.app, tabs, active_tab: "a" };
    prepare(core);
  });
}

const unread = (...conversations: string[]): PetEvent => ({ type: "unread_changed", conversations });
const tab = ({ root }: Mounted, at: number) => find(root, `.tab:nth-child(${at + 1}) [role=tab]`);
const looked = ({ core }: Mounted) =>
  core.called("look_at").map((args) => (args as { conversation: unknown }).conversation);

it("the core is told in order whether the window has the focus", async () => {
  const page = await talks();
  const before = page.core.called("set_focused").length;
  const focus = vi.spyOn(document, "hasFocus");
  for (const focused of [true, false, true]) {
    focus.mockReturnValue(focused);
    await settle(() => window.dispatchEvent(new Event(focused ? "focus" : "blur")));
  }
  const told = page.core.called("set_focused").slice(before);
  expect(told).toEqual([{ focused: true }, { focused: false }, { focused: true }]);
  focus.mockRestore();
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
    expect(looked(page).at(-1)).toBe("b");
    await settle(() => page.core.emit(unread()));
    expect(tab(page, 1).textContent).not.toContain("unread");
  });

  it("is told apart from what is in front: settings and history cover the chat", async () => {
    const page = await talks();
    expect(looked(page)).toEqual(["a"]);
    await settle(() => button(page.root, "Settings").click());
    expect(looked(page)).toEqual(["a", null]);
    await settle(() => button(page.root, "Settings").click());
    await settle(() => page.store.show("history"));
    await settle(() => page.store.openTab("b"));
    expect(looked(page)).toEqual(["a", null, "a", null, "b"]);
  });

  it("is still marked after a restart, and brings a closed tab back behind the others", async () => {
    const page = await talks((core) => {
      core.app = { ...core.app, unread: ["b", "c", "gone"] };
    });
    expect(page.store.tabs.value).toEqual(["a", "b", "c"]);
    expect(page.store.active.value).toBe("a");
    expect(tab(page, 1).textContent).toContain("unread");
    expect(tab(page, 2).textContent).toContain("unread");
  });

  it("comes into a tab that was closed meanwhile: it is there again, and closing it settles it", async () => {
    const page = await talks();
    await settle(() => page.store.closeTab("b"));
    expect(page.core.called("mark_seen")).toEqual([]);
    await settle(() => page.core.emit(unread("b")));
    expect(page.store.tabs.value).toEqual(["a", "b"]);
    await settle(() => page.store.closeTab("b"));
    expect(page.core.called("mark_seen")).toEqual([{ conversation: "b" }]);
  });
});

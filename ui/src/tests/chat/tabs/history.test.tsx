/** The list of conversations: searched, paged, exported. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { turnView } from "../../../ipc/fake";
import { faults } from "../../axe";
import { button, find, many, mountTalk, settle, type } from "../../render";

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
    expect(page.store.active.value).toBe("c2");
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
    await settle(() => button(page.root, "Export as Markdown").click());
    expect(page.core.called("export_conversation")).toEqual([{ conversation: "c1", format: "markdown" }]);
    expect(find(page.root, ".notice").textContent).toContain("Exported to /home/lin/Downloads/c1.md");
  });
});

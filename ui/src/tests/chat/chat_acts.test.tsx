/** Acts on a conversation and its messages: delete with Undo, cost, delete with forgetting, a first talk. */
import { describe, expect, it } from "vitest";
import { faults } from "../axe";
import type { FakeCore } from "../core/core";
import { NOW, turnView } from "../core/records";
import { button, find, type Mounted, mountApp, mountTalk, RECEIPT, settle } from "../render";

const composer = (page: Mounted) => find<HTMLTextAreaElement>(page.root, ".composer textarea");

describe("beginnings in an empty conversation", () => {
  const beginnings = (page: Mounted) => [...page.root.querySelectorAll<HTMLButtonElement>(".beginnings .chip")];

  it("are said at a click where they are finished, and wait for the owner's words where they have a gap", async () => {
    const page = await mountTalk([]);
    const conversation = page.store.tabs.active.value;
    const [finished, gap] = [false, true].map((open) =>
      beginnings(page).find((each) => each.textContent?.includes("…") === open),
    );
    await settle(() => gap?.click());
    expect(composer(page).value).toBe(gap?.textContent);
    expect(page.core.called("send_message")).toEqual([]);
    await settle(() => finished?.click());
    expect(page.core.called("send_message")).toEqual([{ conversation, text: finished?.textContent }]);
  });
});

describe("an empty conversation", () => {
  it("greets those who know each other, and asks nobody for the name that was told", async () => {
    const page = await mountTalk([], (core) => {
      core.acquainted = true;
    });
    expect(find(page.root, ".empty h2").textContent).toBe("Good to see you.");
    const words = [...page.root.querySelectorAll(".beginnings .chip")].map((each) => each.textContent);
    expect(words).toContain("What do you remember about me?");
    expect(words.join(" ")).not.toContain("My name is");
  });

  it("says nothing of what is known while memory is off", async () => {
    const page = await mountTalk([], (core) => {
      core.acquainted = true;
      for (const each of core.conversations.values()) each.info = { ...each.info, memory: false };
    });
    expect(find(page.root, ".empty h2").textContent).toBe("Hi, I'm Mochi!");
    expect(find(page.root, ".beginnings").textContent).not.toContain("remember");
    expect(page.core.called("get_welcome")).toEqual([]);
  });
});

describe("a deleted message", () => {
  const texts = (page: Mounted) => [...page.root.querySelectorAll(".owner .bubble")].map((each) => each.textContent);
  const three = [turnView("t1", "one", "1"), turnView("t2", "two", "2"), turnView("t3", "three", "3")];
  async function remove(page: Mounted, at: number): Promise<void> {
    const menus = page.root.querySelectorAll<HTMLButtonElement>('[aria-label="More for this message"]');
    await settle(() => menus[at]?.click());
    await settle(() => button(page.root, "Delete this message and its reply").click());
  }

  it("leaves a line with Undo in its place, which has the focus and puts it back", async () => {
    const page = await mountTalk(three);
    await remove(page, 1);
    expect(page.core.called("remove_turn")).toEqual([{ conversation: "c1", turn: "t2" }]);
    expect(texts(page)).toEqual(["one", "three"]);
    const slot = find(page.root, '[data-slot="t1"]');
    expect(find(slot, ".gone-line").textContent).toContain("Deleted: no longer shown, sent or found.");
    expect(document.activeElement?.textContent).toBe("Undo");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Undo").click());
    expect(page.core.called("restore_turns")).toEqual([{ conversation: "c1", turns: ["t2"] }]);
    expect(texts(page)).toEqual(["one", "two", "three"]);
    expect(page.root.querySelector(".gone-line")).toBeNull();
  });

  it("keeps its place when those around it go too, and each comes back by itself", async () => {
    const page = await mountTalk(three);
    await remove(page, 2);
    await remove(page, 1);
    await remove(page, 0);
    expect(texts(page)).toEqual([]);
    expect(page.root.querySelectorAll(".gone-line").length).toBe(3);
    await settle(() => page.root.querySelectorAll<HTMLButtonElement>(".gone-line button")[1]?.click());
    expect(texts(page)).toEqual(["two"]);
    expect(page.root.querySelectorAll(".gone-line").length).toBe(2);
  });

  it("makes the one before it the last, with what only the last one has", async () => {
    const page = await mountTalk([turnView("t1", "one", "Tea or coffee?"), turnView("t2", "two", "2")]);
    await remove(page, 1);
    expect(page.root.querySelectorAll('[aria-label="Another reply"]').length).toBe(1);
  });

  it("says that what was noted stays noted", async () => {
    const tool = {
      call: "k",
      round: 1,
      tool: "edit",
      file: "USER.md",
      running: false,
      error: null,
      receipt: RECEIPT,
    };
    const page = await mountTalk([turnView("t1", "one", "1", { tools: [tool] }), turnView("t2", "two", "2")]);
    await remove(page, 0);
    expect(find(page.root, ".gone-line").textContent).toContain("What I wrote down stays.");
  });

  it("takes a summary's line with it that told of it", async () => {
    const page = await mountTalk(three, (core) => {
      core.conversations.get("c1")?.dividers.push({ after_turn: "t2", at: NOW, kind: "compacted" });
    });
    expect(page.root.querySelector(".divider.compacted")).not.toBeNull();
    await remove(page, 0);
    expect(page.root.querySelector(".divider.compacted")).toBeNull();
  });

  it("is forgotten by the page with its tab: then there is no Undo any more", async () => {
    const page = await mountTalk(three);
    await remove(page, 0);
    await settle(() => page.store.tabs.close("c1"));
    await settle(() => page.store.tabs.open("c1"));
    expect(texts(page)).toEqual(["two", "three"]);
    expect(page.root.querySelector(".gone-line")).toBeNull();
  });

  it("stays where the core refuses", async () => {
    const page = await mountTalk(three);
    page.core.fail("remove_turn", { code: "turn_running", args: {}, retryable: false });
    await remove(page, 0);
    expect(texts(page)).toEqual(["one", "two", "three"]);
    expect(page.root.querySelector(".notice")).not.toBeNull();
  });
});

describe("what a reply took", () => {
  const shown = (core: FakeCore) => {
    core.app = { ...core.app, show_usage: true };
  };

  it("is told with its price on request, asked from the core", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], shown);
    expect(page.core.called("get_spent")).toEqual([]);
    await settle(() => find(page.root, "button.when").click());
    expect(page.core.called("get_spent")).toEqual([{ conversation: "c1", turn: "t1" }]);
    expect(find(page.root, ".spent-line").textContent).toBe(
      "2,140 tokens in, 96 out · 900 of them from the cache · 0.0018 at your prices",
    );
  });

  it("has an unknown price where none is set, and the way to set it", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], (core) => {
      shown(core);
      core.spent = { ...core.spent, cost: null, uncounted: 1 };
    });
    await settle(() => find(page.root, "button.when").click());
    const line = find(page.root, ".spent-line");
    expect(line.textContent).toContain("the server reported only part of it · unknown price");
    await settle(() => button(line, "Set the price").click());
    const dialog = find(page.root, "dialog");
    expect(dialog.textContent).toContain("Enter your prices below to see the cost.");
    expect(dialog.textContent).toContain("The server didn't report the tokens of 1 model call.");
  });

  it("and the whole conversation, in the dialog of its menu", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], shown);
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Tokens and cost").click());
    expect(page.core.called("get_spent")).toEqual([{ conversation: "c1" }]);
    const here = find(page.root, 'dialog section[aria-label="This conversation"]');
    expect(here.textContent).toContain("2,236 tokens here · 0.0018 at your prices");
    expect(here.textContent).toContain("Includes replaced and deleted replies");
  });
});

describe("deleting a conversation", () => {
  const learned = (core: FakeCore) => {
    const text = { text: "- likes Zanzibar", time: "", category: "" };
    const piece = { where: "file" as const, path: "USER.md", start_line: 3, end_line: 3, ...text };
    const old = { ...piece, where: "history" as const, start_line: 0, end_line: 0 };
    core.memory.forgets = { text: "likes Zanzibar", goes: [piece, old], stays: [] };
  };
  const open = async (page: Mounted) => {
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Delete…").click());
    return find(page.root, "dialog");
  };

  it("forgets nothing unless that was chosen, and another tab is there then", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], learned);
    const dialog = await open(page);
    expect(page.core.called("list_forget")).toEqual([{ conversation: "c1" }]);
    expect(dialog.textContent).toContain("“A talk” will be deleted for good.");
    expect(dialog.textContent).toContain("1 note comes from this conversation");
    expect(find<HTMLInputElement>(dialog, "input[type=checkbox]").checked).toBe(false);
    expect(document.activeElement?.textContent).toBe("Cancel");
    await settle(() => button(dialog, "Delete").click());
    expect(page.core.called("delete_conversation")).toEqual([{ conversation: "c1" }]);
    expect(page.core.called("forget")).toEqual([]);
    expect(page.root.querySelector("dialog")).toBeNull();
    expect(page.store.tabs.ids.value.length).toBe(1);
    expect(page.root.querySelector(".empty")).not.toBeNull();
  });

  it("shows what would be forgotten before, and what is left after it", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], learned);
    const dialog = await open(page);
    expect(dialog.textContent).not.toContain("likes Zanzibar");
    await settle(() => find<HTMLInputElement>(dialog, "input[type=checkbox]").click());
    expect(dialog.textContent).toContain("likes Zanzibar");
    expect(dialog.textContent).toContain("There is no undo.");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(dialog, "Delete and forget").click());
    const acts = page.core.calls
      .map((call) => call.name)
      .filter((name) => /^(delete_conversation|forget)$/.test(name));
    expect(acts).toEqual(["delete_conversation", "forget"]);
    expect(page.core.called("forget")).toEqual([{ conversation: "c1" }]);
    expect(find(page.root, "dialog").textContent).toContain("These words are nowhere any more.");
  });

  it("says which half is done where forgetting fails, and goes on with the other one", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], learned);
    const dialog = await open(page);
    await settle(() => find<HTMLInputElement>(dialog, "input[type=checkbox]").click());
    page.core.fail("forget", { code: "write_failed", args: { file: "USER.md", reason: "full" }, retryable: false });
    await settle(() => button(dialog, "Delete and forget").click());
    expect(find(dialog, "[role=alert]").textContent).toContain(
      "The conversation is deleted, but what was learned there",
    );
    await settle(() => button(dialog, "Try again").click());
    expect(page.core.called("delete_conversation").length).toBe(1);
    expect(page.core.called("forget").length).toBe(2);
    expect(find(page.root, "dialog").textContent).toContain("Forgotten");
  });

  it("stays where it can't be deleted, and nothing is forgotten", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], learned);
    const dialog = await open(page);
    await settle(() => find<HTMLInputElement>(dialog, "input[type=checkbox]").click());
    page.core.fail("delete_conversation", { code: "turn_running", args: {}, retryable: false });
    await settle(() => button(dialog, "Delete and forget").click());
    expect(page.core.called("forget")).toEqual([]);
    expect(button(dialog, "Delete and forget").disabled).toBe(false);
  });

  it("offers nothing to forget where nothing was learned, in the history too", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], (core) => {
      core.memory.forgets = { text: "", goes: [], stays: [] };
    });
    await settle(() => page.store.navigation.show("history"));
    await settle(() => button(page.root, "Delete “A talk”").click());
    const dialog = find(page.root, "dialog");
    expect(dialog.querySelector("input[type=checkbox]")).toBeNull();
    expect(dialog.textContent).toContain("No notes come from this conversation.");
  });
});

describe("a first talk", () => {
  const words = "Let's work out who you are and who I am";
  const empty = (prepare: (core: FakeCore) => void) =>
    mountApp((core) => {
      core.strangers = true;
      prepare(core);
    });

  it("is offered while one of the two is not known, and the pet speaks first", async () => {
    const page = await empty(() => undefined);
    await settle(() => button(page.root, words).click());
    expect(page.core.called("get_acquainted")).toEqual([{ conversation: page.store.tabs.active.value }]);
    expect(page.core.called("send_message")).toEqual([]);
  });

  it("is not offered where it could change nothing or nothing is missing", async () => {
    for (const prepare of [
      (core: FakeCore) => (core.strangers = false),
      (core: FakeCore) => (core.app = { ...core.app, paused: true }),
      (core: FakeCore) => (core.app = { ...core.app, demo: true }),
      (core: FakeCore) => (core.app = { ...core.app, key: { ...core.app.key, set: false } }),
    ]) {
      const page = await empty(prepare);
      expect(page.root.textContent).not.toContain(words);
    }
    const page = await empty(() => undefined);
    await settle(() => page.store.tabs.create(true));
    expect(page.root.querySelector(".empty")?.textContent).not.toContain(words);
  });

  it("is offered no more when the files have become known", async () => {
    const page = await empty(() => undefined);
    expect(page.root.textContent).toContain(words);
    page.core.strangers = false;
    await settle(() =>
      page.core.emit({ type: "workspace_changed", file: "SOUL.md", version: "v", author: "pet", lost: null }),
    );
    expect(page.root.textContent).not.toContain(words);
  });
});

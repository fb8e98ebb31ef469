import { render } from "preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CommandName } from "../../bindings";
import { type Loaded, useLoad } from "../../components/loading";
import type { Below, Section } from "../../state/navigation";
import type { FakeCore } from "../core/core";
import { entry, fileView } from "../core/memory";
import { beginFirstStart } from "../core/welcome";
import { button, find, type Mounted, mountApp, openAt, settle, type } from "../render";

const REFUSED = { code: "write_failed", args: { file: "x", reason: "EIO" }, retryable: true };

function prepare(core: FakeCore): void {
  core.addConversation({ id: "c1", title: "A talk" });
  core.app = {
    ...core.app,
    tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
    active_tab: "c1",
  };
  core.memory.entries.set("memory/2026-11-21.md", [entry(3, "Likes tea.")]);
}

interface View {
  open: (page: Mounted) => void;
  /** text that shows the answer */
  seen: string;
}

const VIEWS: Record<string, [CommandName, View]> = {
  history: [
    "list_conversations",
    { open: ({ core }) => core.emit({ type: "page_asked", view: "history" }), seen: "A talk" },
  ],
  "the file": ["read_file", { open: ({ store }) => store.openFile("SOUL.md"), seen: "Saved" }],
  models: ["get_settings", { open: place("model"), seen: "that Soulpet runs itself" }],
  keys: ["get_settings", { open: place("privacy", "keys"), seen: "memory on or off" }],
  "the desktop": ["get_settings", { open: place("desktop"), seen: "Quiet hours" }],
  skins: ["list_skins", { open: place("me"), seen: "SkinsMochi" }],
  pets: ["list_pets", { open: place("me"), seen: "2 conversations" }],
  "the shelf of logs": ["list_logs", { open: place("us", "days"), seen: "November 2026" }],
  entries: ["read_entries", { open: place("us", "days"), seen: "Likes tea." }],
  reminders: ["list_reminders", { open: place("us", "reminders"), seen: "reminder" }],
  remembering: ["get_settings", { open: place("privacy", "memory"), seen: "Remember by itself" }],
  advanced: ["get_settings", { open: place("privacy", "advanced"), seen: "Files of your pet" }],
  "what my pet sees": ["preview_prompt", { open: place("privacy", "sees"), seen: "SOUL.md" }],
};

function place(section: Section, below: Below = ""): (page: Mounted) => void {
  return ({ store }) => {
    store.memory.reminders.value = null;
    store.navigation.openSettings(section, below);
  };
}

function main(page: Mounted): string {
  return find(page.root, "main").textContent ?? "";
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("each view", () => {
  it.each(Object.entries(VIEWS))("tells why %s did not come, and asks again", async (_, [name, { open }]) => {
    const page = await mountApp(prepare);
    page.core.fail(name, REFUSED);
    await settle(() => open(page));
    const fault = find(page.root, "main .fault");
    expect(fault.getAttribute("role")).toBe("alert");
    expect(fault.textContent).toContain("EIO");
    const before = page.core.called(name).length;
    await settle(() => button(fault, "Retry").click());
    expect(page.core.called(name).length).toBe(before + 1);
    expect(page.root.querySelector("main .fault")).toBeNull();
    expect(page.store.notices.list.value).toEqual([]);
  });

  it.each(Object.entries(VIEWS))("waits calmly for %s: nothing flashes up", async (_, [name, { open, seen }]) => {
    const page = await mountApp(prepare);
    const release = page.core.hold(name);
    await settle(() => open(page));
    expect(main(page)).not.toContain("One moment");
    await settle(() => vi.advanceTimersByTime(149));
    expect(main(page)).not.toContain("One moment");
    await settle(() => vi.advanceTimersByTime(1));
    expect(main(page)).toContain("One moment");
    expect(main(page)).not.toContain(seen);
    await settle(release);
    expect(main(page)).not.toContain("One moment");
    expect(main(page)).toContain(seen);
  });
});

describe("a list that is there", () => {
  it("stays in sight while a newer one does not come", async () => {
    const page = await mountApp(prepare);
    await settle(() => page.core.emit({ type: "page_asked", view: "history" }));
    page.core.fail("list_conversations", REFUSED);
    await settle(() => {
      page.store.listed.value += 1;
    });
    expect(find(page.root, "main .fault").textContent).toContain("EIO");
    expect(main(page)).toContain("A talk");
  });

  it("of what is sent with memory on is not shown for memory off", async () => {
    const page = await mountApp(prepare);
    await settle(() => place("privacy", "sees")(page));
    expect(main(page)).toContain("USER.md");
    const release = page.core.hold("preview_prompt");
    await settle(() => find(page.root, "input[name=sees][value=off]").click());
    expect(main(page)).not.toContain("USER.md");
    await settle(release);
    expect(main(page)).toContain("SOUL.md");
  });
});

describe("a search that fails", () => {
  it("in the history says so instead of finding nothing", async () => {
    const page = await mountApp(prepare);
    await settle(() => page.core.emit({ type: "page_asked", view: "history" }));
    page.core.fail("search_history", REFUSED);
    await settle(() => type(find<HTMLInputElement>(page.root, "input[type=search]"), "zzz"));
    await settle(() => vi.advanceTimersByTime(200));
    expect(find(page.root, "main .fault").textContent).toContain("EIO");
    expect(main(page)).not.toContain("Nothing found");
    await settle(() => button(page.root, "Retry").click());
    await settle(() => vi.advanceTimersByTime(200));
    expect(page.root.querySelector("main .fault")).toBeNull();
  });

  it("in the memory can be asked once more", async () => {
    const page = await mountApp(prepare);
    await settle(() => place("us", "days")(page));
    page.core.fail("search_memory", REFUSED);
    await settle(() => type(find<HTMLInputElement>(page.root, "input[type=search]"), "tea"));
    await settle(() => vi.advanceTimersByTime(200));
    await settle(() => button(find(page.root, "main .fault"), "Retry").click());
    await settle(() => vi.advanceTimersByTime(200));
    expect(page.core.called("search_memory")).toHaveLength(2);
    expect(page.root.querySelector("main .fault")).toBeNull();
  });
});

describe("a dialog", () => {
  it.each([
    ["Versions", "list_versions", ".version"],
    ["Templates", "list_templates", ".file-text"],
  ] as const)("%s tells why nothing came, and asks again", async (words, name, there) => {
    const page = await mountApp(prepare);
    await openAt(page, "SOUL.md");
    page.core.fail(name, REFUSED);
    await settle(() => button(page.root, words).click());
    const dialog = find(page.root, "dialog");
    expect(find(dialog, ".fault").textContent).toContain("EIO");
    expect(dialog.querySelector(there)).toBeNull();
    await settle(() => button(dialog, "Retry").click());
    expect(dialog.querySelector(there)).not.toBeNull();
  });

  it("that shows a difference says when it can't, and stays on the version", async () => {
    const page = await mountApp(prepare);
    await openAt(page, "SOUL.md");
    page.core.fail("diff_versions", REFUSED);
    await settle(() => button(page.root, "Versions").click());
    const view = find(page.root, ".version-view");
    expect(view.querySelector(".fault")?.textContent).toContain("EIO");
    await settle(() => button(view, "Retry").click());
    expect(button(view, "Restore this version")).toBeTruthy();
  });

  it("of what would be forgotten can be asked for again, and forgets nothing before", async () => {
    const page = await mountApp(prepare);
    await settle(() => place("us", "days")(page));
    page.core.fail("list_forget", REFUSED);
    await settle(() => find(page.root, "[aria-label='Forget: Likes tea.']").click());
    const dialog = find(page.root, "dialog");
    expect(button(dialog, "Forget").disabled).toBe(true);
    await settle(() => button(dialog, "Retry").click());
    expect(dialog.querySelector(".fault")).toBeNull();
    expect(page.core.called("forget")).toEqual([]);
  });

  it("that compares a conflict copy can be asked for again", async () => {
    const text = "# Memory\n";
    const page = await mountApp((core) => {
      prepare(core);
      const info = { copy: "MEMORY.copy.md", file: "MEMORY.md", at: "", program: "Syncthing" };
      core.memory.copies = [{ info, file: fileView("MEMORY.md", text), text: `${text}More.\n`, merged: null }];
    });
    await settle(() => page.store.openFile("MEMORY.md"));
    page.core.fail("read_copy", REFUSED);
    await settle(() => button(page.root, "Compare").click());
    expect(find(page.root, "dialog .fault").textContent).toContain("EIO");
    await settle(() => button(find(page.root, "dialog"), "Retry").click());
    expect(find(page.root, "dialog .side-by-side").textContent).toContain("More.");
  });

  it("that would delete everything names what it deletes before it can", async () => {
    const page = await mountApp((core) => {
      core.handlers.list_folders = () => ({ folders: ["/home/lin/.local/share/soulpet"] });
    });
    await openAt(page, "privacy");
    page.core.fail("list_folders", REFUSED);
    await settle(() => button(page.root, "Delete all data…").click());
    await settle(() => type(find<HTMLInputElement>(page.root, "#erase-word"), "delete"));
    expect(button(find(page.root, "dialog"), "Delete all data").disabled).toBe(true);
    await settle(() => button(find(page.root, "dialog"), "Retry").click());
    expect(find(page.root, "dialog").textContent).toContain("/home/lin");
    expect(button(find(page.root, "dialog"), "Delete all data").disabled).toBe(false);
  });
});

describe("the page as a whole", () => {
  it("says why nothing came, and begins when it is asked to", async () => {
    const page = await mountApp((core) => {
      prepare(core);
      core.fail("get_app_state", REFUSED);
    });
    expect(find(page.root, "main .fault").textContent).toContain("EIO");
    await settle(() => button(page.root, "Retry").click());
    expect(page.root.querySelector("main.chat h1")?.textContent).toBe("A talk");
  });
});

describe("a command's reply", () => {
  it("is not replaced by an answer that was under way when it came", async () => {
    const answers: ((value: string) => void)[] = [];
    const ask = () => new Promise<string>((done) => answers.push(done));
    let loaded: Loaded<string> | undefined;
    function Names() {
      loaded = useLoad(ask);
      return <p>{loaded.value}</p>;
    }
    const root = document.createElement("div");
    await settle(() => render(<Names />, root));
    await settle(() => loaded?.set("Mochi, Mooncat"));
    await settle(() => answers[0]?.("Mochi"));
    expect(root.textContent).toBe("Mochi, Mooncat");
    await settle(() => answers[1]?.("Mochi, Mooncat, Rye"));
    expect(root.textContent).toBe("Mochi, Mooncat, Rye");
    await settle(() => loaded?.set("Mochi"));
    expect([root.textContent, answers.length, loaded?.busy]).toEqual(["Mochi", 2, false]);
  });
});

describe("the first start", () => {
  it.each(["get_welcome", "get_settings"] as const)("says why it can't begin (%s), and begins then", async (name) => {
    const page = await mountApp((core) => {
      beginFirstStart(core);
      core.fail(name, REFUSED);
    });
    expect(find(page.root, "main .fault").textContent).toContain("EIO");
    await settle(() => button(page.root, "Retry").click());
    expect(page.root.querySelector("main.welcome")).not.toBeNull();
  });

  it("tells when the personalities don't come, and the other ways stay open", async () => {
    const page = await mountApp((core) => beginFirstStart(core, [], 2));
    expect(main(page)).toContain("Vesper");
    const again = await mountApp((core) => {
      beginFirstStart(core, [], 2);
      core.fail("list_templates", REFUSED);
    });
    expect(find(again.root, "main .fault").textContent).toContain("EIO");
    expect(again.root.querySelectorAll("input[name=who]").length).toBeGreaterThan(1);
    await settle(() => button(find(again.root, "main .fault"), "Retry").click());
    expect(main(again)).toContain("Vesper");
  });
});

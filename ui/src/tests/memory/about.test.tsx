/** Settings > Memory > About you: sentences in groups, searched, corrected and forgotten. */
import { describe, expect, it } from "vitest";
import type { StatementView } from "../../bindings";
import { faults } from "../axe";
import type { FakeCore } from "../core/core";
import { turnView } from "../core/records";
import { button, find, type Mounted, mountApp, openAt, press, settle, type } from "../render";

const HOSTILE = "<img src=x onerror=alert(1)>";

function said(sentence: string, at = 1): StatementView {
  return {
    file: "USER.md",
    start_line: at,
    end_line: at,
    text: sentence,
    sentence,
    day: "",
    due: "",
    ended: false,
    since: "",
    earlier: [],
  };
}

function some(core: FakeCore): void {
  core.memory.statements = [
    { name: "you", total: 2, statements: [said("Your name is Alex."), said(HOSTILE, 2)] },
    {
      name: "likes",
      total: 100,
      statements: Array.from({ length: 100 }, (_, at) => said(`You like tea ${at}.`, at + 3)),
    },
  ];
}

async function open(prepare: (core: FakeCore) => void = some): Promise<Mounted> {
  const page = await mountApp(prepare);
  await openAt(page, "us");
  return page;
}

function sentences(page: Mounted): string[] {
  return [...page.root.querySelectorAll(".statement .said")].map((each) => each.textContent ?? "");
}

async function choose(page: Mounted, act: string): Promise<void> {
  await settle(() => find(page.root, ".statement .quiet").click());
  await settle(() => button(page.root, act).click());
}

describe("what I know about you", () => {
  it("is what Memory opens on: sentences in groups, inert, without a fault", async () => {
    const page = await open();
    expect(sentences(page).slice(0, 3)).toEqual(["Your name is Alex.", HOSTILE, "You like tea 0."]);
    expect(page.root.querySelector(".statement img")).toBeNull();
    expect(await faults(page.root)).toEqual([]);
  });

  it("draws more of a group by its button", async () => {
    const page = await open();
    expect(sentences(page)).toHaveLength(8);
    await settle(() => button(page.root, "94 more").click());
    expect(sentences(page)).toHaveLength(2 + 66);
    await settle(() => button(page.root, "34 more").click());
    expect(sentences(page)).toHaveLength(2 + 100);
  });

  it("finds the sentences with the words", async () => {
    const page = await open();
    await settle(() => type(find<HTMLInputElement>(page.root, "input[type=search]"), "alex"));
    await settle(() => new Promise((done) => setTimeout(done, 250)));
    expect(sentences(page)).toEqual(["Your name is Alex."]);
  });

  it("corrects an entry as it is written", async () => {
    const page = await open();
    await choose(page, "Correct");
    await settle(() => type(find<HTMLTextAreaElement>(page.root, ".correction textarea"), "Your name is Ann."));
    await settle(() => press(find(page.root, ".correction .primary"), "Enter"));
    await settle(() => button(page.root, "Save").click());
    const [sent] = page.core.called("correct_statement");
    expect(sent).toMatchObject({ text: "Your name is Alex.", new_text: "Your name is Ann.", start_line: 1 });
  });

  it("sets an entry aside, where it can be used again", async () => {
    const page = await open();
    await choose(page, "Don't use this");
    expect(page.core.called("set_aside")).toEqual([{ file: "USER.md", line: 1, sentence: "Your name is Alex." }]);
    const aside = find(page.root, '[aria-label="Not used"]');
    expect(aside.textContent).toContain("Your name is Alex.");
    await settle(() => find(aside, ".quiet").click());
    await settle(() => button(page.root, "Use it again").click());
    expect(page.core.called("use_again")).toEqual([{ line: 1, sentence: "Your name is Alex." }]);
    expect(await faults(page.root)).toEqual([]);
  });

  it("forgets after the list was seen", async () => {
    const page = await open();
    await choose(page, "Forget…");
    expect(page.core.called("list_forget")[0]).toMatchObject({ file: "USER.md", start_line: 1, end_line: 1 });
  });

  it("says where a sentence comes from, with the way there and what stood before", async () => {
    const page = await open((core) => {
      some(core);
      const [first] = core.memory.statements[0]?.statements ?? [];
      if (first) {
        first.since = "2026-11-20T10:00:00+00:00";
        first.earlier = [{ sentence: "Your name is Al.", part: "Al", until: "2026-11-20T10:00:00+00:00" }];
      }
      const origin = { kind: "conversation", at: "2026-11-21T10:00:00+00:00", title: "Tea", quote: HOSTILE } as const;
      core.memory.origin = { ...core.memory.origin, ...origin, conversation: "c2", turn: "t1" };
      core.addConversation({ id: "c2", title: "Tea" }, [turnView("t1", "hi", "ok")]);
    });
    expect(find(page.root, ".earlier").textContent).toBe(" since November 2026; before: Al");
    await settle(() => find(page.root, ".sentence").click());
    expect(find(page.root, "ul.earlier").textContent).toContain("Your name is Al. (until");
    expect(find(page.root, ".why").textContent).toContain(HOSTILE);
    expect(page.root.querySelector(".why img")).toBeNull();
    expect(page.core.called("explain_statement")).toEqual([{ file: "USER.md", line: 1 }]);
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Go there").click());
    expect(page.store.tabs.active.value).toBe("c2");
  });

  it("shows until when a sentence held", async () => {
    const page = await open((core) => {
      some(core);
      const [first] = core.memory.statements[0]?.statements ?? [];
      if (first) Object.assign(first, { sentence: "Training for a marathon.", day: "2025-11-21", ended: true });
    });
    expect(find(page.root, ".statement").textContent).toContain("until 21 Nov 2025");
  });

  it("names the file that was written outside, and leads there", async () => {
    const page = await open((core) => {
      some(core);
      core.memory.origin = { ...core.memory.origin, kind: "outside", at: "2026-11-21T10:00:00Z" };
    });
    await settle(() => find(page.root, ".sentence").click());
    expect(find(page.root, ".why").textContent).toContain("Written into USER.md on 21 Nov");
    await settle(() => button(page.root, "Show in the file").click());
    expect(page.store.navigation.file.value).toBe("USER.md");
  });

  it("shows nothing of a deleted conversation", async () => {
    const page = await open((core) => {
      some(core);
      core.memory.origin = { ...core.memory.origin, kind: "conversation", at: "2026-11-21T10:00:00Z", gone: true };
    });
    await settle(() => find(page.root, ".sentence").click());
    expect(find(page.root, ".why").textContent).toContain("that is deleted");
    expect(page.root.querySelector(".why button, .why blockquote")).toBeNull();
  });

  it("shows nothing of a message whose words were forgotten", async () => {
    const page = await open((core) => {
      some(core);
      const origin = { kind: "conversation", at: "2026-11-21T10:00:00Z", gone: true, forgotten: true } as const;
      core.memory.origin = { ...core.memory.origin, ...origin };
    });
    await settle(() => find(page.root, ".sentence").click());
    expect(find(page.root, ".why").textContent).toContain("asked me to forget");
    expect(page.root.querySelector(".why button, .why blockquote")).toBeNull();
  });

  it("says so when nothing is known yet", async () => {
    const page = await open(() => {});
    expect(find(page.root, ".nothing").textContent).toContain("Nothing yet");
  });
});

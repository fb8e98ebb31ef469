import { beforeEach, describe, expect, it } from "vitest";
import type { Proposal } from "../../bindings";
import { turnView } from "../core/records";
import { button, find, type Mounted, mountApp, press, settle, type } from "../render";

const LINES = Array.from({ length: 400 }, (_, index) => `line ${index + 1}`);
const PROPOSAL: Proposal = {
  id: "p1",
  file: "SOUL.md",
  reason: "soul",
  before: LINES.join("\n"),
  after: [...LINES.slice(0, 200), "a new line\u202e with a trick", ...LINES.slice(200)].join("\n"),
  base: "v1",
  category: "",
  call: null,
  noted: null,
  foreign: [],
};

function asking(proposal: Proposal = PROPOSAL) {
  return mountApp((core) => {
    core.addConversation({ id: "c1", running: true }, [
      turnView("t1", "be funny", "May I?", { end: null, proposal }),
    ]);
    core.app = {
      ...core.app,
      tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
      active_tab: "c1",
    };
  });
}

const answers = (page: Mounted) => page.core.called("answer_proposal");

describe("a change of the soul", () => {
  let page: Mounted;
  beforeEach(async () => {
    page = await asking();
  });

  it("is shown whole, with both line numbers, and with what would be hidden", () => {
    expect(page.root.querySelectorAll(".proposal .diff tr")).toHaveLength(401);
    expect(find(page.root, ".proposal tr.added .text").textContent).toBe("a new lineU+202E with a trick");
    const last = [...page.root.querySelectorAll(".proposal .diff tr:last-child .no")];
    expect(last.map((each) => each.textContent)).toEqual(["400", "401"]);
  });

  it("is not allowed by Enter, wherever the focus is", async () => {
    const places = [
      ...page.root.querySelectorAll<HTMLElement>(".proposal h2, .proposal button, .proposal .diff-lines"),
    ];
    expect(places.length).toBeGreaterThan(4);
    for (const place of places) {
      place.focus();
      await settle(() => {
        const event = press(place, "Enter");
        // Do what a browser does with an unhandled Enter.
        if (!event.defaultPrevented && place.textContent === "Allow") place.click();
      });
    }
    expect(answers(page)).toEqual([]);
  });

  it("is allowed by a click", async () => {
    await settle(() => button(page.root, "Allow").click());
    expect(answers(page)).toEqual([{ conversation: "c1", proposal: "p1", answer: "allow" }]);
  });

  it("is refused by a click", async () => {
    await settle(() => button(page.root, "Refuse").click());
    expect(answers(page)).toEqual([{ conversation: "c1", proposal: "p1", answer: "refuse" }]);
  });

  it("is saved as the owner made it", async () => {
    await settle(() => button(page.root, "Edit").click());
    const area = find<HTMLTextAreaElement>(page.root, ".edit-proposal");
    expect(area.value).toBe(PROPOSAL.after.replace("\u202e", ""));
    await settle(() => type(area, "mine"));
    await settle(() => button(page.root, "Save my version").click());
    expect(answers(page)).toEqual([{ conversation: "c1", proposal: "p1", answer: "edit", text: "mine" }]);
  });

  it("starts with the focus where no key answers", async () => {
    const second = { ...PROPOSAL, id: "p2" };
    await settle(() => page.core.emit({ type: "proposal_asked", conversation: "c1", turn: "t1", proposal: second }));
    expect(document.activeElement?.tagName).toBe("H2");
  });

  it("goes when it is answered elsewhere", async () => {
    await settle(() =>
      page.core.emit({ type: "proposal_closed", conversation: "c1", turn: "t1", proposal: "p1", outcome: "refused" }),
    );
    expect(page.root.querySelector(".proposal")).toBeNull();
  });
});

it("can't be allowed before the whole change is there", async () => {
  const page = await mountApp((core) => {
    core.fail("diff_texts", { code: "internal", args: { id: "x" }, retryable: false });
    core.addConversation({ id: "c1" }, [turnView("t1", "x", "", { end: null, proposal: PROPOSAL })]);
    core.app = {
      ...core.app,
      tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
      active_tab: "c1",
    };
  });
  expect(button(page.root, "Allow").disabled).toBe(true);
});

/** Give an element the sizes of a layout, which these tests have none of. */
function laidOut(element: HTMLElement, sizes: Partial<Record<"clientHeight" | "scrollHeight", number>>): void {
  for (const [name, value] of Object.entries(sizes)) Object.defineProperty(element, name, { value });
}

it.each(["Allow", "Allow in this conversation"])("is allowed once the last change was in view: %s", async (name) => {
  const page = await asking({ ...PROPOSAL, reason: "foreign" });
  const box = find<HTMLElement>(page.root, ".proposal .diff-lines");
  const last = find<HTMLElement>(page.root, ".proposal tr.added");
  laidOut(box, { clientHeight: 100, scrollHeight: 8_020 });
  Object.defineProperty(last, "offsetTop", { value: 190 });
  box.scrollTop = 0;
  await settle(() => button(page.root, name).click());
  expect(answers(page)).toEqual([]);
  expect(box.scrollTop).toBe(90);
  await settle(() => {
    box.scrollTop = 100;
    box.dispatchEvent(new Event("scroll"));
    box.scrollTop = 0; // read, and gone back
  });
  await settle(() => button(page.root, name).click());
  expect(answers(page)).toHaveLength(1);
});

it("is edited without what can't be seen", async () => {
  const tags = [..."evil"].map((each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join("");
  const page = await asking({ ...PROPOSAL, before: "", after: `tea${tags} \u2764\ufe0f\u3164` });
  expect(find(page.root, ".proposal tr.added .text").textContent).toBe(
    "teaU+E0065U+E0076U+E0069U+E006C \u2764\ufe0fU+3164",
  );
  await settle(() => button(page.root, "Edit").click());
  expect(find<HTMLTextAreaElement>(page.root, ".edit-proposal").value).toBe("tea \u2764\ufe0f");
});

it("says when a note reminds, how often, and of what kind it is", async () => {
  const noted = { text: "water the ferns", due: "2020-11-20", at: "18:00", repeats: "every Monday", earlier: "" };
  const page = await asking({ ...PROPOSAL, reason: "unasked", before: "", after: "x", category: "todo", noted });
  const facts = find(page.root, ".proposal .note-facts").textContent ?? "";
  for (const each of ["every Monday", "18:00", "20 Nov 2020", "to do"]) expect(facts).toContain(each);
});

it("names what of others is in the conversation, and is allowed for all of it by one click", async () => {
  const foreign = [
    { kind: "file", name: "let\u202Eter.txt", id: "1" },
    { kind: "import", name: "chatgpt", id: "" },
    { kind: "picture", name: "", id: "2" },
    { kind: "later", name: "x", id: "" },
  ];
  const page = await asking({ ...PROPOSAL, reason: "foreign", before: "", after: "likes tea", foreign });
  const text = find(page.root, ".proposal").textContent ?? "";
  for (const each of ["letU+202Eter.txt", "ChatGPT", "a picture", "something from outside"])
    expect(text).toContain(each);
  await settle(() => press(button(page.root, "Allow in this conversation"), "Enter"));
  expect(answers(page)).toEqual([]);
  await settle(() => button(page.root, "Allow in this conversation").click());
  expect(answers(page)).toEqual([{ conversation: "c1", proposal: "p1", answer: "allow", lasting: "conversation" }]);
});

it("says when much of a file would be lost", async () => {
  const page = await asking({ ...PROPOSAL, file: "MEMORY.md", reason: "losing_text" });
  expect(find(page.root, ".proposal").textContent).toContain("Much of MEMORY.md would be lost");
});

describe("a page that the owner did not name", () => {
  it("is asked for with its whole address, and read only by a click", async () => {
    const before = `https://example.org/${"a".repeat(300)}?for=\u202Eann`;
    const page = await asking({
      id: "p2",
      file: "",
      reason: "page",
      before,
      after: "",
      base: "",
      category: "",
      call: null,
      noted: null,
      foreign: [],
    });
    expect(find(page.root, ".proposal h2").textContent).toBe("May I read this page?");
    expect(find(page.root, ".forget-list").textContent).toBe(before.replace("\u202E", "U+202E"));
    expect(page.core.called("diff_texts")).toHaveLength(0);
    expect([...page.root.querySelectorAll(".proposal button")].map((each) => each.textContent)).toEqual([
      "Refuse",
      "Read it",
    ]);
    await settle(() => press(button(page.root, "Read it"), "Enter"));
    expect(answers(page)).toHaveLength(0);
    await settle(() => button(page.root, "Read it").click());
    expect(answers(page)).toEqual([{ conversation: "c1", proposal: "p2", answer: "allow" }]);
  });
});

describe("a call of another program's tool", () => {
  const call = { source: "calendar", tool: "add", changes: false, remembered: ["- Name: Lin"] };
  const proposal = {
    ...PROPOSAL,
    id: "p3",
    file: "",
    reason: "call",
    before: '{"who": "Lin\u200b"}',
    after: "",
    call,
  } as const;

  it("shows all that is sent and what of memory is in it, and is allowed only by a click", async () => {
    const page = await asking(proposal);
    const card = find(page.root, ".proposal");
    expect(find(card, "h2").textContent).toBe("May I use add of calendar?");
    expect(find(card, ".forget-list").textContent).toBe('{"who": "LinU+200B"}');
    expect(card.textContent).toContain("- Name: Lin");
    await settle(() => press(button(page.root, "Only this time"), "Enter"));
    expect(answers(page)).toHaveLength(0);
    await settle(() => button(page.root, "In this conversation").click());
    expect(answers(page)).toEqual([{ conversation: "c1", proposal: "p3", answer: "allow", lasting: "conversation" }]);
  });

  it("is not allowed before the end of a long call was in view", async () => {
    const page = await asking(proposal);
    const box = find<HTMLElement>(page.root, ".forget-list");
    laidOut(box, { clientHeight: 100, scrollHeight: 250 });
    for (const name of ["Only this time", "In this conversation"]) {
      await settle(() => button(page.root, name).click());
      expect(answers(page)).toEqual([]);
    }
    expect(box.scrollTop).toBe(180);
    await settle(() => button(page.root, "Only this time").click());
    expect(answers(page)).toHaveLength(1);
  });

  it("names the tool with what can't be seen", async () => {
    const page = await asking({ ...proposal, call: { ...call, tool: "add\u202e" } });
    expect(find(page.root, ".proposal h2").textContent).toContain("addU+202E");
  });

  it("is not allowed for the whole conversation if the tool says that it changes something", async () => {
    const page = await asking({ ...proposal, call: { ...call, changes: true } });
    const names = [...page.root.querySelectorAll(".proposal button")].map((each) => each.textContent);
    expect(names).toEqual(["Refuse", "Always", "Only this time"]);
    expect(find(page.root, ".proposal").textContent).toContain("says that it changes something");
  });
});

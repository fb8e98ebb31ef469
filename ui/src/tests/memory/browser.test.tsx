/** Settings > Memory: search, days and entries, forgetting, reminders, the index; and spoken words. */
import { EditorView } from "@codemirror/view";
import { render } from "preact";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CommandError, type HitView } from "../../bindings";
import { whenWords } from "../../memory/places";
import { marked } from "../../memory/search";
import { plainNote, quoted } from "../../memory/spoken";
import { language } from "../../texts";
import { faults } from "../axe";
import type { FakeCore } from "../core/core";
import { entry, fileView } from "../core/memory";
import {
  button,
  find,
  type Mounted,
  mountApp,
  mountSettings,
  openAt,
  type Place,
  press,
  settle,
  type,
} from "../render";
import whenTable from "./when_words.test.json";

const HOSTILE = "<img src=x onerror=alert(1)>";
const DAY = "memory/2026-11-03.md";
const HIT: HitView = {
  path: DAY,
  start_line: 7,
  end_line: 9,
  score: 0.9,
  sure: true,
  superseded: false,
  heading: "",
  snippet: `Tea on the balcony ${HOSTILE}`,
  source: "log",
  turn: null,
};

function days(core: FakeCore): void {
  core.memory.entries.set(DAY, [
    entry(3, "First of the day"),
    entry(7, "Tea on the balcony", { heading: "event", time: "20:14:02" }),
    entry(11, "Buy tea", { heading: "todo", due: "2026-11-05", state: "done" }),
    entry(15, HOSTILE, { heading: "weather" }),
  ]);
  core.memory.entries.set("memory/2026-11-01.md", [entry(3, "Only one")]);
  for (let month = 1; month <= 9; month += 1) core.memory.entries.set(`memory/2025-0${month}-05.md`, [entry(3, "x")]);
  core.memory.hits = [HIT];
}

function open(place: Place = "days", prepare: (core: FakeCore) => void = days): Promise<Mounted> {
  return mountSettings(place, prepare);
}

describe("searching", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function seek(page: Mounted, text: string): Promise<void> {
    await settle(() => type(find<HTMLInputElement>(page.root, "input[type=search]"), text));
    await settle(() => vi.advanceTimersByTimeAsync(300));
  }

  it("asks once for what was typed at last", async () => {
    const page = await open();
    const field = find<HTMLInputElement>(page.root, "input[type=search]");
    for (const text of ["t", "te", "tea"]) await settle(() => type(field, text));
    await settle(() => vi.advanceTimersByTimeAsync(300));
    expect(page.core.called("search_memory")).toEqual([{ query: "tea", count: 20 }]);
  });

  it("shows where each was found with the words marked, inert, and opens it at its line", async () => {
    const page = await open();
    await seek(page, "tea img");
    page.core.memory.hits = [HIT];
    await seek(page, "tea");
    expect(find(page.root, ".hit mark").textContent).toBe("Tea");
    expect(find(page.root, ".hit").textContent).toContain(HOSTILE);
    expect(page.root.querySelector(".hit img")).toBeNull();
    expect(find(page.root, ".hit .source").textContent).toBe("Log");
    vi.useRealTimers();
    expect(await faults(page.root)).toEqual([]);
    await settle(() => find(page.root, ".hit").click());
    expect(find(page.root, ".entry.found").textContent).toContain("Tea on the balcony");
    expect(document.activeElement).toBe(find(page.root, ".entry.found"));
  });

  it("keeps what hardly fits apart from what does", async () => {
    const page = await open();
    const unsure = Array.from({ length: 9 }, (_, at) => ({
      ...HIT,
      start_line: 100 + at,
      score: 0.01,
      sure: false,
      superseded: false,
      heading: "",
      snippet: "A hot drink",
    }));
    const answer = (hits: HitView[]) => () => ({ hits, embedder: "e" });
    page.core.handlers.search_memory = answer([HIT, ...unsure]);
    await seek(page, "tea");
    expect(find(page.root, ".results [role=status]").textContent).toBe("1 found.");
    expect([...page.root.querySelectorAll(".results ul")].map((list) => list.children.length)).toEqual([1, 5]);
    page.core.handlers.search_memory = answer(unsure);
    await seek(page, "balcony");
    expect(find(page.root, ".results [role=status]").textContent).toContain("Nothing certain");
    expect(page.root.querySelectorAll(".hit")).toHaveLength(5);
  });

  it("shows a note without its Markdown", async () => {
    const page = await open();
    const snippet = "- **Oolong** is the `best` [tea](https://tea.example)";
    page.core.handlers.search_memory = () => ({ hits: [{ ...HIT, snippet }], embedder: "e" });
    await seek(page, "best tea");
    expect(find(page.root, ".hit .snippet").textContent).toBe("Oolong is the best tea");
    expect([...page.root.querySelectorAll(".hit mark")].map((mark) => mark.textContent)).toEqual(["best", "tea"]);
  });

  it("says when nothing was found, and that meaning was not searched", async () => {
    const page = await open("days", (core) => {
      core.memory.index = { embedder: null, done: 0, total: 4 };
    });
    await seek(page, "nothing like it");
    expect(find(page.root, ".results").textContent).toContain("Nothing found");
    expect(find(page.root, ".results").textContent).toContain("Searched by words and dates");
  });

  it("tells a failure where the results would be", async () => {
    const page = await open();
    page.core.handlers.search_memory = () => {
      throw new CommandError({ code: "not_answering", args: {}, retryable: true });
    };
    await seek(page, "tea");
    expect(find(page.root, ".results [role=alert]").textContent).not.toBe("");
  });

  it("keeps the newest answer, however late the older one comes", async () => {
    const page = await open();
    const waiting: ((reply: { hits: HitView[]; embedder: null }) => void)[] = [];
    page.store.commands.searchMemory = () => new Promise((done) => void waiting.push(done));
    await seek(page, "old");
    await seek(page, "tea");
    await settle(() => waiting[1]?.({ hits: [HIT], embedder: null }));
    await settle(() => waiting[0]?.({ hits: [{ ...HIT, snippet: "stale" }], embedder: null }));
    expect(find(page.root, ".results").textContent).not.toContain("stale");
  });

  it("is emptied by Escape, which leaves the settings only then", async () => {
    const page = await open();
    await seek(page, "tea");
    const field = find<HTMLInputElement>(page.root, "input[type=search]");
    await settle(() => press(field, "Escape"));
    expect(field.value).toBe("");
    expect(page.store.navigation.view.value).toBe("settings");
  });
});

describe("an entry", () => {
  it.each([DAY, "MEMORY.md"])("of %s says where it comes from", async (file) => {
    const page = await open("days", (core) => {
      days(core);
      core.memory.entries.set("MEMORY.md", [entry(7, "Likes tea")]);
      core.memory.origin = { ...core.memory.origin, kind: "owner", at: "2026-11-03T10:00:00+00:00" };
    });
    await settle(() => page.store.memory.browse(file));
    const item = find(page.root, '.entry[data-line="7"]');
    expect(item.querySelector(".why")).toBeNull();
    await settle(() => find(item, '[data-tip="Where from?"]').click());
    expect(page.core.called("explain_statement")).toEqual([{ file, line: 7 }]);
    expect(find(item, ".why").textContent).toContain("You wrote it");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => find(item, '[data-tip="Where from?"]').click());
    expect(item.querySelector(".why")).toBeNull();
  });
});

describe("marking", () => {
  const marks = (text: string, query: string) => {
    const box = document.createElement("div");
    render(<p>{marked(text, query)}</p>, box);
    expect(box.textContent).toBe(text);
    return [...box.querySelectorAll("mark")].map((mark) => mark.textContent);
  };

  it.each([
    ["Green TEA and tea", "tea", ["TEA", "tea"]],
    ["上周去了香山看红叶", "香山", ["香山"]],
    ["上周去了香山看红叶", "香山红叶", ["香山", "红叶"]],
    ["a plain text", "a", []],
    ["(.*) stays (.*)", ".*", []],
    ["C++ [x] tea|milk", "tea|milk", ["tea", "milk"]],
    ["nothing", "", []],
  ])("%s for %s", (text, query, matches) => expect(marks(text, query)).toEqual(matches));

  it("marks a word whatever its accents", () => {
    expect(marks("Émile and Emile are friends of Begoña", "emile begona")).toEqual(["Émile", "Emile", "Begoña"]);
    expect(marks("Emile", "Émile")).toEqual(["Emile"]);
    expect(marks("two ﬁgs of E\u0301mile, Łódź", "fig emile lodz")).toEqual(["ﬁg", "E\u0301mile", "Łódź"]);
  });
});

describe("days", () => {
  it("say how much there is", async () => {
    const page = await open();
    expect(find(page.root, ".shelf-list > .note").textContent).toMatch(/^\d+ days, \d+ entries$/);
    expect(find(page.root, ".entries-sum").textContent).toMatch(/^\d+ entr(y|ies), [\d,]+ characters$/);
  });

  it("are grouped by month, the newest one open and read", async () => {
    const page = await open();
    const months = [...page.root.querySelectorAll<HTMLDetailsElement>(".month")];
    expect(months[0]?.querySelector("summary")?.textContent).toBe("November 20262 days");
    expect(months.map((month) => month.open)).toEqual([true, ...Array.from({ length: 5 }, () => false)]);
    expect(find(page.root, ".entries h3").textContent).toBe("Tuesday, 3 November 2026");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Earlier months").click());
    expect(page.root.querySelectorAll(".month")).toHaveLength(10);
  });

  it("show their entries with time, kind and state, as text", async () => {
    const page = await open();
    const shown = [...page.root.querySelectorAll(".entry")].map((each) => each.textContent);
    expect(shown[1]).toBe("20:14eventTea on the balcony");
    expect(shown[2]).toContain("to dofor 5 Novdone");
    expect(shown[3]).toContain(`weather${HOSTILE}`);
    expect(page.root.querySelector(".entry img")).toBeNull();
  });

  it("are read again when they change", async () => {
    const page = await open();
    page.core.memory.entries.set(DAY, [entry(3, "Quite another")]);
    const change = { type: "workspace_changed", file: DAY, version: "v2", author: "pet", lost: null } as const;
    await settle(() => page.core.emit(change));
    expect(find(page.root, ".entries").textContent).toContain("Quite another");
  });

  it("have nothing yet in a new pet, and say how that changes", async () => {
    const page = await open("days", (core) => {
      core.handlers.read_entries = ({ file }) => ({ file: fileView(file, "", { state: "missing" }), entries: [] });
    });
    expect(page.root.textContent).toContain("No logs yet");
    expect(page.root.textContent).toContain("No memory yet");
  });

  it("that can't be read say why", async () => {
    const page = await open("days", (core) => {
      days(core);
      const broken = { state: "broken", problem: "file_not_utf8" } as const;
      core.handlers.read_entries = ({ file }) => ({ file: fileView(file, "", broken), entries: [] });
    });
    expect(find(page.root, ".entries .fault").textContent).toContain("can't be read, so it was left alone");
  });

  it("open as text in the editor", async () => {
    const page = await open();
    await settle(() => button(page.root, "Edit as text").click());
    expect(page.store.navigation.file.value).toBe(DAY);
    expect(page.core.called("read_file")).toContainEqual({ file: DAY });
    expect(find(page.root, ".file-head h2").textContent).toBe(DAY);
  });

  it("an entry is forgotten after the list was seen, and the day is read again", async () => {
    const page = await open("days", (core) => {
      days(core);
      const noted = { text: "Tea on the balcony", time: "09:12:30", category: "todo" };
      const text = `Owner: ${noted.text}`;
      const piece = { where: "log", path: DAY, start_line: 7, end_line: 9, ...noted, text } as const;
      core.memory.forgets = { text: "", goes: [piece], stays: [] };
    });
    await settle(() => button(page.root, "Forget: Tea on the balcony").click());
    expect(page.core.called("list_forget")).toEqual([{ file: DAY, start_line: 7, end_line: 9 }]);
    const card = find(page.root, "dialog .entry");
    expect(
      [...card.querySelectorAll("time, .category:last-child, .entry-text")].map((each) => each.textContent),
    ).toEqual(
      ["09:12", "to do", "Tea on the balcony"], // as the memory page shows it
    );
    await settle(() => button(find(page.root, "dialog"), "Forget").click());
    expect(find(page.root, "dialog").textContent).toContain("nowhere any more");
    page.core.memory.entries.set(DAY, [entry(3, "First of the day")]);
    await settle(() => page.core.emit({ type: "forgotten", conversations: [] }));
    expect(page.root.querySelectorAll(".entry")).toHaveLength(1);
  });

  it("an entry's buttons are named by what stands there, without its label", async () => {
    const page = await open("days", (core) => {
      days(core);
      core.memory.entries.set(DAY, [entry(3, "Owner: First of the day")]);
    });
    expect(button(page.root, "Forget: First of the day").disabled).toBe(false);
  });

  it("where it was said is offered too, and its conversation goes with everything in it", async () => {
    const said = "01k5zzzzzzzzzzzzzzzzzzzzzz";
    const page = await open("days", (core) => {
      days(core);
      const place = { start_line: 7, end_line: 9, time: "", category: "", text: "Tea on the balcony" };
      const spoken = { where: "said", path: `conversations/${said}.jsonl`, ...place } as const;
      const goes = [{ where: "log", path: DAY, ...place } as const];
      core.memory.forgets = { text: "", goes, stays: [spoken, { ...spoken, start_line: 12 }] };
    });
    await settle(() => button(page.root, "Forget: Tea on the balcony").click());
    const boxes = () => [...page.root.querySelectorAll<HTMLInputElement>("dialog input[type=checkbox]")];
    expect(boxes().map((each) => each.checked)).toEqual([true, false]);
    await settle(() => boxes()[0]?.click());
    expect(button(find(page.root, "dialog"), "Forget").disabled).toBe(true);
    await settle(() => boxes()[0]?.click());
    await settle(() => boxes()[1]?.click());
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(find(page.root, "dialog"), "Forget").click());
    expect(page.core.called("forget")).toEqual([{ file: DAY, start_line: 7, end_line: 9 }]);
    expect(page.core.called("delete_conversation")).toEqual([{ conversation: said }]);
    expect(page.root.querySelector("dialog")).toBeNull();
  });

  it("what is too short to forget is told in the dialog", async () => {
    const page = await open();
    page.core.fail("list_forget", { code: "forget_too_short", args: {}, retryable: false });
    await settle(() => button(page.root, "Forget: Buy tea").click());
    expect(find(page.root, "dialog [role=alert]").textContent).toContain("so short");
    expect(button(find(page.root, "dialog"), "Forget").disabled).toBe(true);
  });
});

describe("the index", () => {
  it("tells how much can be found how, grows, and is made anew", async () => {
    const page = await open("days", (core) => {
      core.memory.index = { embedder: "e", done: 3, total: 9 };
    });
    const line = () => find(page.root, ".index-line");
    expect(line().textContent).toContain("Search by meaning is ready for 3 of 9");
    await settle(() => page.core.emit({ type: "index_progress", done: 9, total: 9 }));
    expect(page.root.querySelector(".index-line")).toBeNull();
    page.core.memory.index = { embedder: "e", done: 9, total: 9 };
    await openAt(page, "advanced");
    expect(page.root.textContent).toContain("9 entries can be searched");
    await settle(() => button(page.root, "Rebuild search index").click());
    expect(page.core.called("rebuild_index")).toHaveLength(1);
  });
});

describe("reminders", () => {
  it("that are open stand by their day, and open their log", async () => {
    const page = await open("reminders", (core) => {
      core.memory.due = [
        { file: DAY, line: 11, due: "2026-11-05", text: "Buy tea", overdue: true, at: "", repeats: "" },
      ];
      core.memory.coming = [
        { file: DAY, line: 15, due: "2027-01-05", text: "Buy more", overdue: false, at: "", repeats: "" },
      ];
      days(core);
    });
    expect(find(page.root, ".sub-tabs .count").textContent).toBe("1");
    expect(find(page.root, ".reminder.overdue").textContent).toContain("was due 5 Nov");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => find(page.root, ".reminder-text").click());
    expect(find(page.root, ".entry.found").textContent).toContain("Buy tea");
  });

  it("are added by hand, in words for the moment; words that name none stay to be mended", async () => {
    const page = await open("reminders");
    const [what, when] = [...page.root.querySelectorAll<HTMLInputElement>(".add-reminder input")];
    if (!what || !when) throw new Error("no fields");
    await settle(() => type(what, `Buy ${HOSTILE}`));
    await settle(() => type(when, "soon"));
    await settle(() => button(page.root, "Add").click());
    expect(find(page.root, ".add-reminder .error-text").textContent).toContain("when that is");
    expect(what.value).toBe(`Buy ${HOSTILE}`);
    await settle(() => type(when, "on the 5th at 9"));
    await settle(() => button(page.root, "Add").click());
    expect(page.core.called("add_reminder").at(-1)).toEqual({ text: `Buy ${HOSTILE}`, when: "on the 5th at 9" });
    expect(find(page.root, ".reminder").textContent).toContain(`Buy ${HOSTILE}`);
    expect(await faults(page.root)).toEqual([]);
  });

  it("that were done lately are one click away, and lead to their log", async () => {
    const page = await open("reminders", (core) => {
      days(core);
      core.memory.finished = [{ file: DAY, line: 11, text: "Owner: Buy tea", day: "2026-11-05" }];
    });
    expect(page.core.called("list_finished_reminders")).toEqual([]);
    await settle(() => {
      find<HTMLDetailsElement>(page.root, "details.advanced").open = true;
      find(page.root, "details.advanced").dispatchEvent(new Event("toggle"));
    });
    expect(find(page.root, ".finished").textContent).toBe("Buy teadone 5 Nov");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => find(page.root, ".finished button").click());
    expect(find(page.root, ".entry.found").textContent).toContain("Buy tea");
  });

  it("that don't exist are no empty table", async () => {
    const page = await open("reminders");
    expect(find(page.root, ".nothing").textContent).toContain("No open reminders");
  });
});

describe("how it works", () => {
  it("changes recall and upkeep", async () => {
    const page = await open("advanced");
    await settle(() => find<HTMLInputElement>(page.root, "[name=recall_count][value='8']").click());
    await settle(() => find(page.root, "#upkeep").click());
    await openAt(page, "memory");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => find(page.root, "#recall").click());
    await openAt(page, "advanced");
    expect(page.core.called("change_settings")).toEqual([
      { changes: { recall_count: 8 } },
      { changes: { upkeep: false } },
      { changes: { recall: false } },
    ]);
    expect(page.root.querySelector("[name=recall_count]")).toBeNull();
  });

  it("keeps what was written by hand among the choices, and says what pet.toml decides", async () => {
    const page = await open("advanced", (core) => {
      core.settings = { ...core.settings, recall_count: 7, overridden: ["recall"] };
    });
    expect(find<HTMLInputElement>(page.root, "[name=recall_count][value='7']").checked).toBe(true);
    await openAt(page, "memory");
    expect(find(page.root, "label[for=recall]").textContent).toContain("pet.toml");
  });
});

it("a note that is no log opens with its path as the title, at the entry found", async () => {
  const path = "memory/people/femi.md";
  const page = await mountApp((core) => void core.memory.entries.set(path, [entry(3, "figs"), entry(7, "plums")]));
  await settle(() => page.store.openPlace({ path, start_line: 7, end_line: 7, turn: null }));
  expect(find(page.root, ".entries h3").textContent).toBe(path);
  expect(find(page.root, ".entry.found").textContent).toContain("plums");
});

it("a core file opens in its editor with the lines chosen", async () => {
  const page = await mountApp((core) => void core.files.set("USER.md", "# You\n\n- tea\n- rain\n"));
  await settle(() => page.store.openPlace({ path: "USER.md", start_line: 3, end_line: 3, turn: null }));
  const editor = EditorView.findFromDOM(find(page.root, ".cm-editor"));
  const { from, to } = editor?.state.selection.main ?? { from: 0, to: 0 };
  expect(editor?.state.sliceDoc(from, to)).toBe("- tea");
  expect(editor?.hasFocus).toBe(true);
  expect(page.store.memory.place.value).toBeNull();
});

it.each([
  ["Owner: send the parcel (2026-11-27)", "send the parcel"],
  ["主人：交房租（截止2026-11-27）", "交房租"],
  ["[2026-11-22] call Ana", "call Ana"],
  ["Owner:", "Owner:"],
  ["Ask the owner: is 2026-11-27 fine?", "Ask the owner: is 2026-11-27 fine?"],
])("a reminder is said without speaker and date: %s", (noted, spoken) => {
  expect(plainNote(noted)).toBe(spoken);
});

it.each([
  ["主人：我第一杯咖啡不加奶。", "owner", "我第一杯咖啡不加奶。"],
  ["Pet: Noted.", "pet", "Noted."],
  ["- likes: tea", null, "likes: tea"],
  ["- likes: tea\n-\n  *\n- hates: noise", null, "likes: tea\n- hates: noise"],
  ["-", null, ""],
  ["Owner:", null, "Owner:"],
])("a piece of memory names its speaker apart: %s", (snippet, who, words) => {
  expect(quoted(snippet)).toEqual({ who, words });
});

it.each(["en", "zh", "es"] as const)("when a reminder comes is said as in the terminal: %s", (spoken) => {
  const before = language.value;
  language.value = spoken;
  for (const { due, at, repeats, ...words } of whenTable.rows)
    expect(whenWords(due, at, repeats, new Date(`${whenTable.today}T12:00:00`))).toBe(words[spoken]);
  language.value = before;
});

import { options } from "preact";
import { describe, expect, it, vi } from "vitest";
import { findMatches } from "../../chat/find";
import { turnView } from "../core/records";
import { button, find, type Mounted, mountTalk, press, RECEIPT, settle, type } from "../render";

const tool = (name: string, file: string, receipt: typeof RECEIPT | null = null) => {
  return { call: name, round: 1, tool: name, file, running: false, error: null, receipt };
};
const bees = [
  turnView("t1", "Bees! Do bees sleep?", "**Be**es do. A bee[s](https://bees.example) nap."),
  turnView("t2", "And wasps?", "Look: no bee here.", { tools: [tool("memory_search", "bees")] }),
  turnView("t3", "Note it", "Done.", {
    tools: [
      tool("memory_write", "MEMORY.md", {
        ...RECEIPT,
        noted: [{ text: "likes bees", due: "", at: "", repeats: "", earlier: "" }],
      }),
    ],
  }),
  turnView("t4", "bees go on", "Yes.", { kind: "continue" }),
];

const status = (page: Mounted) => find(page.root, ".find-bar [role=status]").textContent;

async function look(words: string): Promise<{ page: Mounted; field: HTMLInputElement }> {
  const page = await mountTalk(bees);
  await settle(() => page.store.navigation.find());
  const field = find<HTMLInputElement>(page.root, ".find-bar input");
  await settle(() => type(field, words));
  return { page, field };
}

/** Return the focused element at the next key: after microtasks, before effects that wait for drawing. */
async function focusedAfter(key: string): Promise<Element | null> {
  const soon = options.requestAnimationFrame;
  const waiting: (() => void)[] = [];
  options.requestAnimationFrame = (effect) => void waiting.push(effect);
  press(document.body, key, { ctrlKey: true });
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  const focused = document.activeElement;
  if (soon) options.requestAnimationFrame = soon;
  for (const effect of waiting) effect();
  await settle();
  return focused;
}

describe("Find", () => {
  it("has the focus before the next key, so that nothing typed at once is lost", async () => {
    const page = await mountTalk(bees);
    expect(await focusedAfter("f")).toBe(find(page.root, ".find-bar input"));
    expect(await focusedAfter("h")).toBe(find(page.root, ".history input"));
  });

  it("counts every place that can be read, folded ones too, and none that can't", async () => {
    const { page } = await look("bees");
    expect(status(page)).toBe("1 of 6"); // 2 messages, 2 replies, 1 tool, 1 receipt; not the address, not "go on"
  });

  it("is at the first as it is typed, goes down on Enter and up on Shift+Enter, around the ends", async () => {
    const { page, field } = await look("bees");
    const seen = [status(page)];
    for (const shiftKey of [false, false, true, true, true]) {
      await settle(() => press(field, "Enter", { shiftKey }));
      seen.push(status(page));
    }
    expect(seen).toEqual(["1 of 6", "2 of 6", "3 of 6", "2 of 6", "1 of 6", "6 of 6"]);
    await settle(() => type(field, "bees nap"));
    expect(find(page.root, ".turn-slot.found").dataset["slot"]).toBe("t1");
    expect(status(page)).toBe("1 of 1");
  });

  it("opens the folded part in which a match stands", async () => {
    const { page, field } = await look("bees");
    const folded = find<HTMLDetailsElement>(page.root, "[data-slot=t2] details.tools");
    for (let at = 0; at < 3; at += 1) await settle(() => press(field, "Enter"));
    expect(folded.open).toBe(false);
    await settle(() => button(page.root, "Next match").click());
    expect(status(page)).toBe("5 of 6");
    expect(folded.open).toBe(true);
  });

  it("brings its only match in sight again on Enter", async () => {
    const { page, field } = await look("looked for");
    const folded = find<HTMLDetailsElement>(page.root, "[data-slot=t2] details.tools");
    folded.open = false;
    await settle(() => press(field, "Enter"));
    expect(folded.open).toBe(true);
  });

  it("takes the words together, and apart only where they never stand together", () => {
    const turns = bees.map((turn) => ({ ...turn, wait: null, thinking: 0, noted: false }));
    expect(findMatches(turns, " do  bees ").words).toEqual(["do", "bees"]);
    expect(findMatches(turns, "Do bees")).toEqual({ words: ["do bees"], matches: [{ turn: "t1", nth: 0 }] });
    expect(findMatches(turns, "sleep bees").matches).toHaveLength(5);
    expect(findMatches(turns, "sleep wasps").matches).toEqual([]);
    expect(findMatches(turns, "  ").matches).toEqual([]);
  });

  it("minds no accents, and takes those with the accents as typed alone where there are any", () => {
    const turns = [
      turnView("t1", "E\u0301mile and Begoña", "Émile? Yes."),
      turnView("t2", "emile", "El té te espera."),
    ].map((turn) => ({ ...turn, wait: null, thinking: 0, noted: false }));
    const places = (sought: string) => findMatches(turns, sought).matches.map(({ turn }) => turn);
    expect(places("emile")).toEqual(["t1", "t1", "t2"]);
    expect(places("Émile")).toEqual(["t1", "t1"]);
    expect(places("Begona")).toEqual(["t1"]);
    expect(places("Émilé")).toEqual(["t1", "t1", "t2"]);
    expect(places("té")).toEqual(["t2"]);
    expect(places("te")).toEqual(["t2", "t2"]);
    expect(places("begona ÉMILE")).toEqual(["t1", "t1", "t1"]);
  });

  it("marks the right characters where folding changes lengths", async () => {
    const drawn = new Map<string, Range[]>();
    vi.stubGlobal("Highlight", function marks(...ranges: Range[]) {
      return ranges;
    });
    vi.stubGlobal("CSS", { escape: (text: string) => text, highlights: drawn });
    const page = await mountTalk([
      turnView("t1", "the ﬁg of E\u0301mile", "An **É**mile in the Straße, says emile."),
    ]);
    await settle(() => page.store.navigation.find());
    const marks = async (sought: string) => {
      await settle(() => type(find<HTMLInputElement>(page.root, ".find-bar input"), sought));
      return drawn.get("found")?.map(String);
    };
    expect(await marks("emile")).toEqual(["E\u0301mile", "Émile", "emile"]);
    expect(await marks("émile")).toEqual(["E\u0301mile", "Émile"]);
    expect(await marks("fig of")).toEqual(["ﬁg of"]);
    expect(await marks("STRASSE, s")).toEqual(["Straße, s"]);
    vi.unstubAllGlobals();
  });
});

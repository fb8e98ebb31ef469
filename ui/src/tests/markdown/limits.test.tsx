/** Limits of Markdown: endless, long and deeply nested texts stay fast. */

import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  DEEPEST_BLOCK,
  DEEPEST_INLINE,
  EMPTY,
  LONGEST_BLOCK,
  MOST_ITEMS,
  type Parsed,
  parse,
} from "../../markdown/blocks";
import { highlight } from "../../markdown/highlight";
import { Markdown } from "../../markdown/markdown";
import { plain } from "../../markdown/plain";
import { FileText } from "../../settings/editor/file_text";
import { StoreContext } from "../../state/context";
import { Store } from "../../state/store";
import { FakeCore } from "../core/core";
import { turnView } from "../core/records";
import { find, mountTalk } from "../render";
import { DEEP } from "./samples";

it.each(["!", "$", "a_", "_a*", "\\[", "\\(", "[", "$$a \\["])("%s for ever is shown as it was written", (unit) => {
  const text = unit.repeat(Math.floor(100_000 / unit.length));
  const { blocks } = parse(text);
  expect(blocks.map(({ token }) => token.raw).join("")).toBe(text);
});

it("a long Chinese paragraph is cut between sentences, and each part keeps its marks", () => {
  const text = "今天**天气**很好。".repeat(2000);
  const { blocks } = parse(text);
  expect(blocks.length).toBeGreaterThan(2);
  expect(blocks.map(({ token }) => token.raw).join("")).toBe(text);
  expect(blocks.every(({ token }) => token.type === "paragraph" && token.raw.endsWith("。"))).toBe(true);
});

it("a formula within a line is one of its words", () => {
  expect(parse("so $$x$$ it is\nand on").blocks.map(({ token }) => token.type)).toEqual(["paragraph"]);
  expect(parse("so\n$$x$$\nit is").blocks.map(({ token }) => token.type)).toEqual(["paragraph", "math", "paragraph"]);
});

const WORDS = "Ein *kleines* Wort - und noch 1. eins.\n";
const LONG: [string, string, number][] = [
  ["words", WORDS.repeat(2_000), LONGEST_BLOCK],
  ["Chinese words", "我喜欢 *绿茶* 和 咖啡。\n".repeat(3_000), LONGEST_BLOCK],
  ["items", "- one\n- two\n  more of two\n".repeat(400), MOST_ITEMS * 30],
];

function raws(parsed: Parsed): string {
  return parsed.blocks.map((block) => block.token.raw).join("");
}

describe("a long block", () => {
  it.each(LONG)("of %s is in parts, which hold all of it", (_, text, most) => {
    const parsed = parse(text);
    expect(parsed.blocks.length).toBeGreaterThan(3);
    expect(Math.max(...parsed.blocks.map((block) => block.token.raw.length))).toBeLessThanOrEqual(most);
    expect(raws(parsed).trimEnd()).toBe(text.trimEnd());
    for (const { start, token } of parsed.blocks) expect(text.startsWith(token.raw, start)).toBe(true);
  });

  it.each(LONG)("of %s keeps all but its end while it grows", (_, whole) => {
    const text = whole.slice(0, 3 * LONGEST_BLOCK);
    let parsed = EMPTY;
    for (let length = 0; length < text.length; length += LONGEST_BLOCK / 4) {
      const before = parsed;
      parsed = parse(text.slice(0, length), before);
      const changed = parsed.blocks.filter((block, at) => block !== before.blocks[at]);
      expect(changed.length).toBeLessThanOrEqual(4);
    }
    expect(raws(parse(text, parsed)).trimEnd()).toBe(text.trimEnd());
  });

  it("goes on counting in the next part", () => {
    const root = document.createElement("div");
    const text = Array.from({ length: MOST_ITEMS + 5 }, (_, at) => `${at + 3}. item`).join("\n");
    render(<Markdown text={text} onLink={vi.fn()} />, root);
    expect([...root.querySelectorAll("ol")].map((list) => list.start)).toEqual([3, MOST_ITEMS + 3]);
  });

  it("without a place to cut stays whole", () => {
    const text = "-".repeat(10).concat("x".repeat(LONGEST_BLOCK * 2));
    expect(parse(text).blocks).toHaveLength(1);
  });
});

/** Elements around a token: list and item, link and its parts, a formula's fallback. */
const DEEPEST_DRAWN = 4 * (DEEPEST_BLOCK + DEEPEST_INLINE);

async function draw(text: string) {
  const root = document.createElement("div");
  await act(() => render(<Markdown text={text} onLink={vi.fn()} />, root));
  await vi.dynamicImportSettled();
  await act(async () => undefined);
  return root;
}

function depth(root: Element): number {
  let deepest = 0;
  for (let level: Element[] = [root]; level.length > 0; level = level.flatMap((each) => [...each.children])) {
    deepest += 1;
  }
  return deepest;
}

describe("nested Markdown", () => {
  it.each(Object.entries(DEEP))("of %s is drawn in few levels, with its words", async (_, text) => {
    const root = await draw(text);
    expect(root.textContent).toContain("heart");
    expect(depth(root)).toBeLessThan(DEEPEST_DRAWN);
    expect(plain(text)).toContain("heart");
  });

  it.each(Object.entries(DEEP))("of %s is in the blocks completely", (_, text) => {
    expect(
      parse(text)
        .blocks.map((block) => block.token.raw)
        .join("")
        .trim(),
    ).toBe(text.replace(/\n\n\[a\]: .+$/, "").trim());
  });

  it("is drawn as ever up to the limit", async () => {
    const quotes = await draw(`${">".repeat(DEEPEST_BLOCK)} heart`);
    expect(quotes.querySelectorAll("blockquote")).toHaveLength(DEEPEST_BLOCK);
    expect(quotes.textContent).toBe("heart");
    const lists = await draw(`${"- ".repeat(DEEPEST_BLOCK + 2)}heart`);
    expect(lists.querySelectorAll("li")).toHaveLength(DEEPEST_BLOCK);
    expect(lists.textContent).toBe("- - heart");
  });

  it("does not slow down what comes after it", async () => {
    const root = await draw(`${">".repeat(1000)} heart\n\n**after**\n\n- [a](https://example.org)`);
    expect(root.querySelector("strong")?.textContent).toBe("after");
    expect(root.querySelector("li a")?.textContent).toBe("a");
  });

  it("is shown in the preview of a file", async () => {
    const root = document.createElement("div");
    const text = `# Who I am\n\n${"- ".repeat(700)}heart\n\n\`\`\`html\n<!-- ${"<b>".repeat(500)} -->\n\`\`\`\n`;
    const store = new Store(new FakeCore().commands);
    const preview = (
      <StoreContext.Provider value={store}>
        <FileText text={text} label="SOUL.md" />
      </StoreContext.Provider>
    );
    await act(() => render(preview, root));
    expect(root.textContent).toContain("heart");
    expect(root.querySelector("code")?.textContent).toContain("<b><b>");
  });
});

describe("tables", () => {
  it("with too many cells to fill up are text", async () => {
    const wide = `|${"a|".repeat(2000)}\n|${"-|".repeat(2000)}\n${"|heart\n".repeat(2000)}`;
    const root = await draw(wide);
    expect(root.querySelector("table")).toBeNull();
    expect(root.textContent?.match(/heart/g)).toHaveLength(2000);
  });

  it("of a usual size are tables", async () => {
    const root = await draw(`|a|b|c|\n|-|-|-|\n${"|1|2|3|\n".repeat(500)}`);
    expect(root.querySelectorAll("td")).toHaveLength(1500);
  });
});

describe("code", () => {
  it("that nests too deep for colours keeps its text", () => {
    const code = "`${".repeat(3000);
    expect(highlight(code, "javascript")).toBe(code);
  });

  it("whose grammar fails keeps its text", async () => {
    const { default: hljs } = await import("highlight.js/lib/core");
    const failing = vi.spyOn(hljs, "highlight").mockImplementation(() => {
      throw new RangeError("in a grammar");
    });
    expect(highlight("<b>text</b>", "xml")).toBe("<b>text</b>");
    failing.mockRestore();
  });

  it("of which a grammar drops a part keeps its text", async () => {
    const { default: hljs } = await import("highlight.js/lib/core");
    const result = { ...hljs.highlight("a", { language: "xml" }) };
    const dropping = vi.spyOn(hljs, "highlight").mockReturnValue(result);
    expect(highlight("a<b>", "xml")).toBe("a<b>");
    dropping.mockRestore();
  });
});

describe("a block or a reply that can't be drawn", () => {
  afterEach(() => vi.restoreAllMocks());

  /** Make drawing of this text throw. */
  function poison(words: string): void {
    const real = String.prototype.replace;
    vi.spyOn(String.prototype, "replace").mockImplementation(function (this: string, ...args: unknown[]) {
      if (this.includes(words) && new Error("where").stack?.includes("unescapeText")) throw new RangeError("drawn");
      return Reflect.apply(real, this, args) as string;
    });
  }

  it("is shown as it was written, between others that are drawn", async () => {
    poison("poison");
    const root = await draw("**one**\n\n- *poison* here\n\n`three`");
    expect(root.querySelector("strong")?.textContent).toBe("one");
    expect(root.querySelector(".as-written")?.textContent).toBe("- *poison* here");
    expect(root.querySelector("code")?.textContent).toBe("three");
  });

  it("is drawn when it has grown into one that can be", async () => {
    poison("poison");
    const root = document.createElement("div");
    const show = (text: string) => act(() => render(<Markdown text={text} onLink={vi.fn()} />, root));
    await show("a *poison*");
    expect(root.querySelector(".as-written")?.textContent).toBe("a *poison*");
    vi.restoreAllMocks();
    await show("a *poison* and more");
    expect(root.querySelector(".as-written")).toBeNull();
    expect(root.querySelector("em")?.textContent).toBe("poison");
  });

  it("leaves the other turns and the composer as they are", async () => {
    const turns = [
      turnView("t0", "first", "a **good** one"),
      turnView("t1", "second", "words", { used: null as never }),
      turnView("t2", "third", "**another**"),
    ];
    const { root } = await mountTalk(turns);
    expect([...root.querySelectorAll(".bubble strong")].map((each) => each.textContent)).toEqual(["good", "another"]);
    expect(find(root, '[data-turn="t1"]').textContent).toContain("second");
    expect(find(root, '[data-turn="t1"] .as-written').textContent).toBe("words");
    expect(root.querySelector(".composer textarea")).not.toBeNull();
  });
});

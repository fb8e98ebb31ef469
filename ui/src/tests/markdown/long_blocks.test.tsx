/** A paragraph or a list without an end is read in parts, so that one more piece costs the same as the first. */

import { render } from "preact";
import { describe, expect, it, vi } from "vitest";
import { EMPTY, LONGEST_BLOCK, MOST_ITEMS, type Parsed, parse } from "../../markdown/blocks";
import { Markdown } from "../../markdown/markdown";

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

  it.each(LONG)("of %s keeps all but its end while it grows", (_, text) => {
    let parsed = EMPTY;
    for (let length = 0; length < text.length; length += 1_000) {
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

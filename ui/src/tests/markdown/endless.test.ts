/** What a small model says when it goes round in circles: without limits each takes minutes, and the page stands still. */
import { expect, it } from "vitest";
import { parse } from "../../markdown/blocks";

it.each(["!", "$", "a_", "_a*", "\\[", "\\(", "[", "$$a \\["])("%s for ever is shown as it was written", (unit) => {
  const text = unit.repeat(Math.floor(100_000 / unit.length));
  const { blocks } = parse(text);
  expect(blocks.map(({ token }) => token.raw).join("")).toBe(text);
});

it("a long Chinese paragraph is cut between sentences, and each part keeps its marks", () => {
  const text = "今天**天气**很好。".repeat(3000);
  const { blocks } = parse(text);
  expect(blocks.length).toBeGreaterThan(2);
  expect(blocks.map(({ token }) => token.raw).join("")).toBe(text);
  expect(blocks.every(({ token }) => token.type === "paragraph" && token.raw.endsWith("。"))).toBe(true);
});

it("a formula within a line is one of its words", () => {
  expect(parse("so $$x$$ it is\nand on").blocks.map(({ token }) => token.type)).toEqual(["paragraph"]);
  expect(parse("so\n$$x$$\nit is").blocks.map(({ token }) => token.type)).toEqual(["paragraph", "math", "paragraph"]);
});

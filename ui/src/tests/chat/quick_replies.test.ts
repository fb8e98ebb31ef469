/** Quick replies against a labelled set of ends of replies, Chinese and English. */
import { describe, expect, it } from "vitest";
import { quickReplies } from "../../chat/quick_replies";
import { wordedIn } from "../../texts";
import labelled from "./quick_replies.test.json";

function worded(reply: string): string[] {
  const { language, replies } = quickReplies(reply);
  return replies.map((each) => ("text" in each ? each.text : wordedIn(language, each.key)));
}

describe("quick replies", () => {
  it.each(labelled as [string, string[]][])("%s", (reply, expected) => {
    expect(worded(reply)).toEqual(expected);
  });

  it("are labelled in both languages, with and without an answer to offer", () => {
    const zh = (labelled as [string, string[]][]).filter(([reply]) => /[\u4e00-\u9fff]/.test(reply));
    expect(labelled.length).toBeGreaterThanOrEqual(60);
    expect(zh.length).toBeGreaterThanOrEqual(25);
    expect(labelled.length - zh.length).toBeGreaterThanOrEqual(25);
    expect(labelled.filter(([, replies]) => (replies as string[]).length === 0).length).toBeGreaterThan(15);
  });

  it("say nothing that is not shown: no marks, hidden characters, lines or long texts", () => {
    const hostile = [
      "Which one?\n1. **tea\u202e\u200b**: x\n2. [coffee](https://example.org)",
      "Which?\n1. <b>tea</b>\n2. `rm -rf`\n3. y",
      `${"a".repeat(400)} or ${"b".repeat(400)}?`,
      `${"(".repeat(3000)}?`,
      `${"x, ".repeat(3000)}or y?`,
      `a${" ".repeat(200_000)}b?`,
      `${"![".repeat(60_000)}?`,
      `Tea${" or".repeat(60_000)}?`,
      `${"1. x\n".repeat(40_000)}Which one?`,
      `你${"想".repeat(90_000)}还是不想？`,
      "1. \n2. \nWhich?",
      "还是？",
      " or ?",
    ];
    for (const reply of hostile) {
      for (const texts of worded(reply)) {
        expect(texts).not.toMatch(/[\u200b-\u200f\u202a-\u202e\n*`]|\]\(/);
        expect(texts.length).toBeLessThan(40);
        expect(texts.trim()).not.toBe("");
      }
    }
  });
});

import { render } from "preact";
import { describe, expect, it } from "vitest";
import { DiffView } from "../../components/diff";
import { language } from "../../texts";

function summed(added: number, removed: number): string {
  const root = document.createElement("div");
  render(<DiffView diff={{ lines: [], added, removed }} label="change" />, root);
  return [...root.querySelectorAll(".diff-sum span")].map((each) => each.textContent).join(", ");
}

describe("the sum of a change", () => {
  it("counts only what there is", () => {
    language.value = "en";
    expect(summed(7, 0)).toBe("+7 lines");
    expect(summed(0, 1)).toBe("−1 line");
    expect(summed(2, 3)).toBe("+2 lines, −3 lines");
    expect(summed(0, 0)).toBe("+0 lines");
  });
});

/** What a screen reader hears of a formula: MathML in the reply, plain characters where the whole reply is told at once. */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { turnView } from "../../ipc/fake";
import { spokenFormula } from "../../markdown/math";
import { find, mountTalk, settle } from "../render";

const SAID = "The roots: $x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$";

/** A reply with a formula, which brings what sets them. */
async function talk() {
  const page = await mountTalk([turnView("t1", "how large?", SAID, { end: null })]);
  await vi.dynamicImportSettled();
  await settle();
  return page;
}

beforeAll(async () => void (await talk()));

describe("a formula that is heard", () => {
  it.each([
    ["x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}", "x = (−b ± √(b² − 4ac))/(2a)"],
    ["\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}", "∑ᵢ₌₁ⁿ i = n(n + 1)/2"],
    ["e^{i\\pi} + 1 = 0", "e^(iπ) + 1 = 0"],
    ["\\left( \\frac{a+b}{c} \\right)^2", "((a + b)/c)²"],
    ["\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}", "(a b; c d)"],
    ["90^\\circ, \\sin\\theta, \\sqrt[3]{8}, 10^{-3}", "90°, sin θ, ∛8, 10⁻³"],
    ["v_{\\text{max}}, \\binom{n}{k}, f'(x)", "vₘₐₓ, (n, k), f′(x)"],
    ["\\frac{", "\\frac{"],
  ])("%s", (tex, heard) => {
    expect(spokenFormula(tex)).toBe(heard);
  });

  it("has no TeX in what is told when the reply is complete, nor in its own place", async () => {
    const page = await talk();
    const usage = { input_tokens: null, output_tokens: null, cache_read_tokens: null, cache_write_tokens: null };
    await settle(() =>
      page.core.emit({
        type: "turn_ended",
        conversation: "c1",
        turn: "t1",
        end: "done",
        error: null,
        usage,
        claim: null,
      }),
    );
    const told = [...page.root.querySelectorAll("[role=status]")].map((each) => each.textContent).join();
    expect(told).toContain("The roots: x = (−b ± √(b² − 4ac))/(2a)");
    const place = find(page.root, ".formula");
    expect(place.querySelector("math mfrac")).not.toBeNull();
    for (const drawn of place.querySelectorAll(".katex-html")) expect(drawn.ariaHidden).toBe("true");
  });
});

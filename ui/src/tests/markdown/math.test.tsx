/** Formulas: what counts as one, and how it is spoken. */
import { beforeAll, describe, expect, it, test, vi } from "vitest";
import { keepsItsBox, spokenFormula } from "../../markdown/math";
import { turnView } from "../core/records";
import { find, mountTalk, settle } from "../render";

test.each([
  String.raw`\rlap{x}`,
  String.raw`\mathllap{x}`,
  String.raw`a\kern-3em b`,
  String.raw`a\kern -3em b`,
  String.raw`a\hskip\x b`,
  String.raw`a\mkern-3mu b`,
  String.raw`\hspace{-3em}`,
  String.raw`\hspace*{ -.5em }`,
  String.raw`\raisebox{6em}{x}`,
  String.raw`\colorbox{white}{x}`,
  String.raw`\fcolorbox{red}{white}{x}`,
  String.raw`\fbox{x}`,
  String.raw`\smash{x}`,
  String.raw`\rule{9em}{9em}`,
  String.raw`\htmlId{app}{x}`,
  String.raw`\htmlStyle{position:fixed}{x}`,
  String.raw`\def\x{y}`,
  String.raw`\newcommand{\x}{y}`,
  String.raw`\begin{array}{l}a\\[-3em]b\end{array}`,
  String.raw`\!`.repeat(40),
  String.raw`\negthinspace`.repeat(40),
])("a formula that moves or covers is shown as it was written: %s", (tex) => {
  expect(keepsItsBox(tex)).toBe(false);
});

test.each([
  String.raw`\frac{-b \pm \sqrt{b^2-4ac}}{2a}`,
  String.raw`\int_0^1\!\!f(x)\,dx \tag{1}`,
  String.raw`\begin{bmatrix}1&2\\[4pt]3&-4\end{bmatrix}`,
  String.raw`\boxed{x = 5} \quad \text{in } -3\,\mathrm{mm}`,
  String.raw`x \hspace{1cm} y \kern 2em z \mskip5mu`,
  String.raw`\textcolor{red}{a} \overset{!}{=} \phantom{b} \lambda \letter \ruler \defn`,
  "a_{-1} [-3, 5]",
])("an ordinary formula is set: %s", (tex) => {
  expect(keepsItsBox(tex)).toBe(true);
});

describe("spoken formulas", () => {
  const SAID = "The roots: $x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$";

  /** Draw a reply with a formula, which loads KaTeX. */
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
    ])("%s", (tex, spoken) => {
      expect(spokenFormula(tex)).toBe(spoken);
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
      const announced = [...page.root.querySelectorAll("[role=status]")].map((each) => each.textContent).join();
      expect(announced).toContain("The roots: x = (−b ± √(b² − 4ac))/(2a)");
      const place = find(page.root, ".formula");
      expect(place.querySelector("math mfrac")).not.toBeNull();
      for (const drawn of place.querySelectorAll(".katex-html")) expect(drawn.ariaHidden).toBe("true");
    });
  });
});

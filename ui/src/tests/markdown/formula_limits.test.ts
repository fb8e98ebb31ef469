import { expect, test } from "vitest";
import { stays } from "../../markdown/math";

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
  expect(stays(tex)).toBe(false);
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
  expect(stays(tex)).toBe(true);
});

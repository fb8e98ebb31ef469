/**
 * Escape a script for a `<script>` element without changing its meaning. HTML interprets `</script` and `<!--`; both
 * may occur only in literals and comments, where the `<` becomes `\x3C`. Unlike `\<` or `\!`, that is legal in
 * strings, templates and every regular expression, also when its source becomes part of another with the flag `u`.
 * Throws where `\x3C` would change the meaning: in a tagged template, in a lookbehind, and outside of literals.
 */
import { type ESTree, parseSync } from "vite";

type Kind = "text" | "regex" | "tagged" | "comment";

interface Span {
  start: number;
  end: number;
  kind: Kind;
}

export function inlineScript(code: string): string {
  const found = [...code.matchAll(/<(?=!--|\/script)/gi)].map((match) => match.index);
  if (found.length === 0) return code;
  const spans = literals(code);
  let made = "";
  let done = 0;
  for (const at of found) {
    const span = spans.find(({ start, end }) => start <= at && at < end);
    if (!span) throw refused(code, at, "outside of a literal");
    if (span.kind === "tagged") throw refused(code, at, "in a tagged template");
    if (span.kind === "regex" && code.slice(at - 2, at) === "(?") throw refused(code, at, "as a lookbehind");
    made += code.slice(done, at) + (escaped(code, at) ? "x3C" : "\\x3C");
    done = at + 1;
  }
  return made + code.slice(done);
}

/** A backslash before the `<` belongs to the escape. */
function escaped(code: string, at: number): boolean {
  const backslashes = /\\*$/.exec(code.slice(Math.max(0, at - 50), at))?.[0].length ?? 0;
  return backslashes % 2 === 1;
}

function literals(code: string): Span[] {
  const { program, comments, errors } = parseSync("page.js", code, { sourceType: "script" });
  if (errors.length > 0) throw new Error(`the script can't be parsed: ${errors[0]?.message}`);
  const spans: Span[] = comments.map(({ start, end }) => ({ start, end, kind: "comment" }));
  const tagged = new Set<number>();
  const open: unknown[] = [program];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (isNode(node)) {
      const { type, start, end } = node;
      if (type === "Literal") spans.push({ start, end, kind: "regex" in node ? "regex" : "text" });
      if (type === "TemplateElement") spans.push({ start, end, kind: tagged.has(start) ? "tagged" : "text" });
      if (type === "TaggedTemplateExpression") {
        for (const part of (node as ESTree.TaggedTemplateExpression).quasi.quasis) tagged.add(part.start);
      }
    }
    for (const child of Object.values(node)) open.push(child);
  }
  return spans;
}

function isNode(node: object): node is { type: string; start: number; end: number } {
  return "type" in node && "start" in node && "end" in node;
}

function refused(code: string, at: number, where: string): Error {
  return new Error(`${JSON.stringify(code.slice(at, at + 8))} stands ${where}: …${code.slice(at - 60, at + 60)}…`);
}

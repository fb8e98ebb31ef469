/** Code with everything an inline script must escape (comments, tags, ends of scripts), for every language. */
import hljs from "highlight.js/lib/core";
import { LANGUAGES } from "../../markdown/highlight";

/** Every language name of a fence. */
export const NAMES = Object.keys(LANGUAGES).flatMap((name) => [name, ...(hljs.getLanguage(name)?.aliases ?? [])]);

const MARKUP = [
  "<!DOCTYPE html>",
  "<!-- a comment, and <b>a tag</b> in it -->",
  "<!---->",
  '<svg viewBox="0 0 8 8"><path d="M0 0"/></svg>',
  "<script>let a = 1 < 2; // </b>\n</script>",
  "<style>b { color: red }</style>",
  "</script><!-- not closed </script>",
].join("\n");

const CODE = [
  "// a comment with <!-- and </script> in it",
  "/* one of more lines, with <b>tags</b> */",
  "# another --> comment",
  "-- and another",
  `const a = "</script>" + '<!--' + \`<b>\${x}</b>\`;`,
  "const view = <Tag name={a}>text <!-- and --> more</Tag>;",
  "if (a<b && c>d) { return /<!--/.test(a) }",
  "key: value",
  "[section]",
  "key = 1.5",
  '{"a": [1, null, true]}',
  "@@ -1 +1 @@",
  "-removed <b>",
  "+added <!-- -->",
  "def f(x): return f'{x}'",
  "SELECT * FROM t WHERE a <> 'b';",
  "b > a::before { content: '<!--' }",
].join("\n");

const TEXT = [
  "# A title",
  "",
  "Some *text* with <b>tags</b>, <!-- a comment --> and [a link](https://example.org).",
  "",
  "- a list",
  "> a quotation",
  "<div>",
  "</div>",
  "</script>",
].join("\n");

export const SAMPLES = { markup: MARKUP, code: CODE, text: TEXT };

/** Markdown nested extremely deep, with one word ("heart") inside. */
const times = (text: string, count: number) => text.repeat(count);

export const DEEP: Record<string, string> = {
  "1,000 quotes": `${times(">", 1000)} heart`,
  "20,000 quotes": `${times("> ", 20_000)}heart`,
  "700 lists in a line": `${times("- ", 700)}heart`,
  "700 numbered lists in a line": `${times("1. ", 700)}heart`,
  "300 lists by indentation": `${Array.from({ length: 300 }, (_, at) => `${times("  ", at)}- item`).join("\n")} heart`,
  "quotes in lists": `${times("- > ", 500)}heart`,
  "lists in quotes": `${times("> - ", 500)}heart`,
  "quotes with lazy lines": `${times(">", 500)} one\nheart\n${times(">", 400)} two`,
  "3,000 stars": `${times("*", 3000)}heart${times("*", 3000)}`,
  "stars and underscores": `${times("*a _b ", 500)}heart${times(" b_ a*", 500)}`,
  "stars in stars": `${times("**a *b ", 300)}heart${times(" b* a**", 300)}`,
  "stars without end": `${times("*", 20_000)}heart${times("*", 20_000)}`,
  "emphasis that never closes": `heart ${times("_a*", 10_000)}`,
  strikethrough: `${times("~~a *b ", 300)}heart${times(" b* a~~", 300)}`,
  brackets: `${times("[", 5000)}heart${times("]", 5000)}`,
  links: `${times("[", 2000)}heart${times("](https://example.org)", 2000)}`,
  pictures: `${times("![", 1000)}heart${times("](https://example.org)", 1000)}`,
  "links by reference": `${times("[", 1000)}heart${times("][a]", 1000)}\n\n[a]: https://example.org`,
  "a table in quotes": `${times(">", 500)} |heart|\n${times(">", 500)} |---|`,
  "a cell of stars": `|a|\n|-|\n|${times("*", 2000)}heart${times("*", 2000)}|`,
  "a formula of roots": `$${times("\\sqrt{", 300)}heart${times("}", 300)}$`,
  "a formula of powers": `$${times("a^{", 700)}heart${times("}", 700)}$`,
  "a formula of sizes": `$${times("\\tiny ", 490)}heart$`,
  "a heading of stars": `# ${times("*", 2000)}heart${times("*", 2000)}`,
  "code in templates": `\`\`\`js\n${times("`${", 3000)}heart\n\`\`\``,
  "tags in code": `\`\`\`html\n${times("<b>", 3000)}heart\n\`\`\``,
  "scripts in code": `\`\`\`html\n${times("<script>a = <b>", 300)}heart\n\`\`\``,
};

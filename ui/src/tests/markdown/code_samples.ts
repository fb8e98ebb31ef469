/** Code with what an inline script must escape (comments, tags, ends of scripts), for every language. */
import hljs from "highlight.js/lib/core";
import { LANGUAGES } from "../../markdown/highlight";

/** Every name that a fence can be marked with. */
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

/** Markdown to plain text for screen readers and search: no markup, all words. Pure. */
import type { Token, Tokens } from "marked";
import { parse } from "./blocks";
import { isBreak, unescapeText } from "./markdown";

/** `formula`: returns a formula's text, by default its TeX. */
export function plain(text: string, formula = (tex: string) => tex): string {
  return lines(
    parse(text).blocks.map((block) => block.token),
    formula,
  );
}

function textOf(token: Token, formula: (tex: string) => string): string {
  switch (token.type) {
    case "list":
      return (token as Tokens.List).items.map((item) => lines(item.tokens, formula)).join("\n");
    case "blockquote":
      return lines((token as Tokens.Blockquote).tokens, formula);
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((row) => row.map((cell) => inline(cell.tokens, formula)).join(", ")).join("\n");
    }
    case "code":
      return (token as Tokens.Code).text;
    case "math":
      return formula((token as unknown as { tex: string }).tex);
    case "hr":
    case "space":
    case "def":
    case "checkbox":
      return "";
    case "br":
      return "\n";
    case "codespan":
    case "escape":
      return (token as Tokens.Escape).text;
    case "image":
      return unescapeText((token as Tokens.Image).text);
    default: {
      if (isBreak(token)) return "\n";
      const { tokens, text, raw } = token as Tokens.Generic;
      return tokens ? inline(tokens, formula) : typeof text === "string" ? unescapeText(text) : raw;
    }
  }
}

const inline = (tokens: Token[], formula: (tex: string) => string) =>
  tokens.map((token) => textOf(token, formula)).join("");
const lines = (tokens: Token[], formula: (tex: string) => string) =>
  tokens
    .map((token) => textOf(token, formula))
    .filter((each) => each !== "")
    .join("\n");

/** A text without its Markdown, for who hears it: no pipes, stars and fences, all of its words. Pure. */
import type { Token, Tokens } from "marked";
import { parse } from "./blocks";
import { unescapeText } from "./markdown";

export function plain(text: string): string {
  return parse(text)
    .blocks.map((block) => said(block.token))
    .filter((each) => each !== "")
    .join("\n");
}

function said(token: Token): string {
  switch (token.type) {
    case "list":
      return (token as Tokens.List).items.map((item) => lines(item.tokens)).join("\n");
    case "blockquote":
      return lines((token as Tokens.Blockquote).tokens);
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((row) => row.map((cell) => inline(cell.tokens)).join(", ")).join("\n");
    }
    case "code":
      return (token as Tokens.Code).text;
    case "math":
      return (token as unknown as { tex: string }).tex;
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
      const { tokens, text, raw } = token as Tokens.Generic;
      return tokens ? inline(tokens) : typeof text === "string" ? unescapeText(text) : raw;
    }
  }
}

const inline = (tokens: Token[]) => tokens.map(said).join("");
const lines = (tokens: Token[]) =>
  tokens
    .map(said)
    .filter((each) => each !== "")
    .join("\n");

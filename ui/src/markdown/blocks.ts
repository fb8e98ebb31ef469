/**
 * Markdown text as top-level blocks, kept up while it grows: only the tail is read again.
 * Pure; what is drawn from the tokens is in markdown.tsx.
 */
import { Lexer, Marked, type Token, type Tokens } from "marked";
import { LimitedTokenizer } from "./limits";
import { MATH } from "./math";

const marked = new Marked({ gfm: true, breaks: true, extensions: MATH });

export interface Block {
  /** where it starts in the text; the key for drawing */
  start: number;
  token: Token;
}

export interface Parsed {
  text: string;
  blocks: Block[];
}

export const EMPTY: Parsed = { text: "", blocks: [] };

/** What could not be read as Markdown: one block, shown as it was written. */
export interface PlainToken extends Tokens.Generic {
  type: "plain";
}

/** The blocks of `text`, which together hold all of it. Never throws. Those of `before` that can't change any more are the same objects. */
export function parse(text: string, before: Parsed = EMPTY): Parsed {
  if (text === before.text) return before;
  const grown = before.text !== "" && text.startsWith(before.text);
  // The last block may go on (a list, a table, a fence), and the one before it may be joined by it.
  const kept = grown ? before.blocks.slice(0, Math.max(0, before.blocks.length - 2)) : [];
  const start = grown ? (before.blocks[kept.length]?.start ?? 0) : 0;
  return { text, blocks: [...kept, ...lex(text.slice(start), start)] };
}

function lex(text: string, from: number): Block[] {
  const blocks: Block[] = [];
  let start = from;
  for (const token of tokens(text)) {
    if (token.type !== "space" && token.type !== "def") blocks.push({ start, token });
    start += token.raw.length;
  }
  return blocks;
}

function tokens(text: string): Token[] {
  try {
    return Lexer.lex(text, { ...marked.defaults, tokenizer: new LimitedTokenizer() });
  } catch {
    // Also a regular expression can run out of stack, whatever the limits are.
    return [{ type: "plain", raw: text } satisfies PlainToken];
  }
}

/**
 * Markdown text as top-level blocks, kept up while it grows: only the tail is read again.
 * Pure; what is drawn from the tokens is in markdown.tsx.
 */
import { Lexer, Marked, type Token, type Tokens } from "marked";
import { LimitedTokenizer, LONGEST_BLOCK, MOST_ITEMS } from "./limits";
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
  for (const token of tokens(text).flatMap(parts)) {
    if (token.type !== "space" && token.type !== "def") blocks.push({ start, token });
    start += token.raw.length;
  }
  return blocks;
}

/** One that never ends, in parts: with every piece that arrives, only the last two blocks are read and drawn again. */
function parts(token: Token): Token[] {
  if (token.type === "paragraph" && token.raw.length > LONGEST_BLOCK) return paragraphs(token.raw);
  if (token.type === "list" && (token as Tokens.List).items.length > MOST_ITEMS) return lists(token as Tokens.List);
  return [token];
}

/** Cut before words, since what begins with a mark would be another block when it is read by itself. */
const CUT = new RegExp(`[^]{${LONGEST_BLOCK / 2},${LONGEST_BLOCK}}(?:\\s|[。！？])(?=\\p{L})`, "uy");

function paragraphs(raw: string): Token[] {
  const found: Token[] = [];
  for (let rest = raw; rest !== ""; ) {
    CUT.lastIndex = 0;
    const part = (rest.length > LONGEST_BLOCK && CUT.exec(rest)?.[0]) || rest;
    const endless = part.length > 2 * LONGEST_BLOCK; // no words: a model that says one sign for ever
    if (endless) found.push({ type: "plain", raw: part } satisfies PlainToken);
    else found.push({ type: "paragraph", raw: part, text: part.trimEnd(), tokens: inline(part.trimEnd()) });
    rest = rest.slice(part.length);
  }
  return found;
}

function lists(list: Tokens.List): Token[] {
  const found: Token[] = [];
  for (let at = 0; at < list.items.length; at += MOST_ITEMS) {
    const items = list.items.slice(at, at + MOST_ITEMS);
    const start = list.start === "" ? "" : Number(list.start) + at;
    found.push({ ...list, items, start, raw: items.map((item) => item.raw).join("") });
  }
  return found;
}

function tokens(text: string): Token[] {
  return read(text, () => lexer().lex(text));
}

function inline(text: string): Token[] {
  return read(text, () => lexer().inlineTokens(text));
}

/** Leaves a text as it is where marked would take too long: its time grows with the square of the length. */
class LimitedLexer extends Lexer {
  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (text.length <= 2 * LONGEST_BLOCK) return super.inlineTokens(text, tokens);
    tokens.push({ type: "text", raw: text, text, escaped: false });
    return tokens;
  }
}

function lexer(): LimitedLexer {
  return new LimitedLexer({ ...marked.defaults, tokenizer: new LimitedTokenizer() });
}

function read(text: string, lex: () => Token[]): Token[] {
  try {
    return lex();
  } catch {
    // Also a regular expression can run out of stack, whatever the limits are.
    return [{ type: "plain", raw: text } satisfies PlainToken];
  }
}

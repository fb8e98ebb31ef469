/** Markdown text to blocks of tokens, within limits on length, depth and items. A growing text reparses its last block. */
import { Lexer, Marked, type Token, Tokenizer, type Tokens } from "marked";
import { MATH } from "./math";

/** Depth of quotes and lists, together. */
export const DEEPEST_BLOCK = 16;
/** Depth of emphasis, strikethrough and links, together. */
export const DEEPEST_INLINE = 16;
/**
 * Characters of one text that may be scanned for the ends of emphasis: at worst a fifth of a second. Ordinary texts
 * stay below; without a limit, 30 KB of `_a*` take half a minute.
 */
const MOST_SEARCHED = 400_000;
/** Cells of tables: short rows are filled up to the header's width, so a few kilobytes could ask for millions. */
const MOST_CELLS = 10_000;

/** Characters drawn of one text unless the owner asks for more. Replies stay far below. */
export const MOST_DRAWN = 100_000;

/** Return the beginning of a text, with a stable end while the text grows. */
export function beginning(text: string, most = MOST_DRAWN): string {
  if (text.length <= most) return text;
  const whole = text.slice(0, most);
  const cut = Math.max(whole.lastIndexOf("\n"), whole.lastIndexOf(" "));
  return cut > most - 1_000 ? whole.slice(0, cut + 1) : whole.replace(/[\ud800-\udbff]$/, "");
}

/** Characters of a paragraph, and items of a list, above which it is parsed and drawn in parts. */
export const LONGEST_BLOCK = 8_000;
export const MOST_ITEMS = 100;

const OPENS = /^([*_])\1{0,63}(?!\1)\S/;

class LimitedTokenizer extends Tokenizer {
  #blocks = 0;
  #inlines = 0;
  #searched = 0;

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#block(() => super.blockquote(src));
  }

  override list(src: string): Tokens.List | undefined {
    return this.#block(() => super.list(src));
  }

  override table(src: string): Tokens.Table | undefined {
    const match = this.rules.block.table.exec(src);
    if (!match) return undefined;
    const columns = (match[2] ?? "").split("|").length;
    const rows = (match[3] ?? "").split("\n").length;
    return columns * rows > MOST_CELLS ? undefined : super.table(src);
  }

  override emStrong(src: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    // Skip the search where emphasis can't close: a star before a space, an underscore inside a word, a line of
    // stars.
    const mark = OPENS.exec(src)?.[1];
    const opens = mark === "*" || (mark === "_" && !/[\p{L}\p{N}]$/u.test(before ?? ""));
    return opens ? this.#searching(src, () => super.emStrong(src, masked, before)) : undefined;
  }

  override del(src: string, masked: string, before?: string): Tokens.Del | undefined {
    return src.startsWith("~") ? this.#searching(src, () => super.del(src, masked, before)) : undefined;
  }

  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    return this.#inline(() => super.link(src));
  }

  override reflink(
    src: string,
    links: Parameters<Tokenizer["reflink"]>[1],
  ): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    return this.#inline(() => super.reflink(src, links));
  }

  #block<T>(read: () => T | undefined): T | undefined {
    if (this.#blocks >= DEEPEST_BLOCK) return undefined;
    this.#blocks += 1;
    try {
      return read();
    } finally {
      this.#blocks -= 1;
    }
  }

  #searching<T extends Token>(src: string, read: () => T | undefined): T | undefined {
    if (this.#searched > MOST_SEARCHED) return undefined;
    const match = this.#inline(read);
    this.#searched += (match?.raw ?? src).length;
    return match;
  }

  #inline<T>(read: () => T | undefined): T | undefined {
    if (this.#inlines >= DEEPEST_INLINE) return undefined;
    this.#inlines += 1;
    try {
      return read();
    } finally {
      this.#inlines -= 1;
    }
  }
}

const marked = new Marked({ gfm: true, breaks: true, extensions: MATH });

interface Block {
  /** offset in the text; the key for drawing */
  start: number;
  token: Token;
}

export interface Parsed {
  text: string;
  blocks: Block[];
}

export const EMPTY: Parsed = { text: "", blocks: [] };

/** Return a text that could not be parsed as one block, as written. */
interface PlainToken extends Tokens.Generic {
  type: "plain";
}

/**
 * Return the blocks of `text`, which together hold all of it. Never throws. Finished blocks of `before` keep their
 * identity.
 */
export function parse(text: string, before: Parsed = EMPTY): Parsed {
  if (text === before.text) return before;
  const grown = before.text !== "" && text.startsWith(before.text);
  // The last block may continue (a list, a table, a fence), and the one before may be joined with it.
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

/** Split an endless block, so that each new piece parses and draws only the last two parts. */
function parts(token: Token): Token[] {
  if (token.type === "paragraph" && token.raw.length > LONGEST_BLOCK) return paragraphs(token.raw);
  if (token.type === "list" && (token as Tokens.List).items.length > MOST_ITEMS) return lists(token as Tokens.List);
  return [token];
}

/** Split before words: a part that begins with a mark would be another kind of block. */
const CUT = new RegExp(`[^]{${LONGEST_BLOCK / 2},${LONGEST_BLOCK}}(?:\\s|[。！？])(?=\\p{L})`, "uy");

function paragraphs(raw: string): Token[] {
  const parts: Token[] = [];
  for (let rest = raw; rest !== ""; ) {
    CUT.lastIndex = 0;
    const part = (rest.length > LONGEST_BLOCK && CUT.exec(rest)?.[0]) || rest;
    const endless = part.length > 2 * LONGEST_BLOCK; // no words: an endlessly repeated sign
    if (endless) parts.push({ type: "plain", raw: part } satisfies PlainToken);
    else parts.push({ type: "paragraph", raw: part, text: part.trimEnd(), tokens: inline(part.trimEnd()) });
    rest = rest.slice(part.length);
  }
  return parts;
}

function lists(list: Tokens.List): Token[] {
  const parts: Token[] = [];
  for (let at = 0; at < list.items.length; at += MOST_ITEMS) {
    const items = list.items.slice(at, at + MOST_ITEMS);
    const start = list.start === "" ? "" : Number(list.start) + at;
    parts.push({ ...list, items, start, raw: items.map((item) => item.raw).join("") });
  }
  return parts;
}

function tokens(text: string): Token[] {
  return read(text, () => lexer().lex(text));
}

function inline(text: string): Token[] {
  return read(text, () => lexer().inlineTokens(text));
}

/** Return the text as it is where marked would take too long: its time is quadratic in the length. */
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
    // A regular expression, too, can exhaust the stack.
    return [{ type: "plain", raw: text } satisfies PlainToken];
  }
}

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

/**
 * Characters of scripts without spaces between words, and their punctuation. Beside one, punctuation keeps no mark of
 * emphasis from opening or closing, and the script's own punctuation counts as letters: the amendment of CommonMark's
 * flanking rule that is known as "CJK friendly" (github.com/tats-u/markdown-cjk-friendly, specification.md).
 */
const CJK =
  String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}` +
  String.raw`\u3001-\u303f\u3099-\u309c\u30fb\u30fc\u3200-\u33ff\ufe10-\ufe1f\ufe30-\ufe6f\uff01-\uffee\u{e0100}-\u{e01ef}`;
const AFTER_CJK = new RegExp(`[${CJK}]$`, "u");
const SIGN = String.raw`(?!~)(?![${CJK}])[\p{P}\p{S}]`;
const LETTER = String.raw`(?![${CJK}])[^\s\p{P}\p{S}]`;

/** marked's pattern for runs of a mark: groups 1 and 2 only close, 3 and 4 only open, 5 and 6 do both. */
function delimiters(mark: string, run: string, letter: string, skipped: string): RegExp {
  const sign = `(?!${mark})${SIGN}`;
  const [whole, ahead] = [`(${run})(?!${mark})`, `${run}(?!${mark})`];
  return new RegExp(
    [
      skipped,
      String.raw`${sign}${whole}(?=\s|$)`,
      String.raw`(?:${letter}(?=${ahead}(?:${SIGN}|\s|$))|[${CJK}](?=${ahead}(?:\s|$)))${whole}`,
      String.raw`(?:${sign}(?=${ahead}${letter})|\s(?=${ahead}(?:${letter}|[${CJK}])))${whole}`,
      String.raw`\s${whole}(?=${SIGN})`,
      `${sign}${whole}(?=${SIGN})`,
      String.raw`[^\s${mark}]${whole}(?=\S)`,
    ].join("|"),
    "gu",
  );
}

const INLINE_RULES = {
  emStrongLDelim: new RegExp(
    String.raw`^\*+(?:((?!\*)${SIGN})|([^\s*]))?|^_+(?:((?!_)(?!~)[\p{P}\p{S}])|([^\s_]))?`,
    "u",
  ),
  emStrongRDelimAst: delimiters(
    String.raw`\*`,
    String.raw`\*+`,
    `(?:~|${LETTER})`,
    String.raw`^[^_*]*?__[^_*]*?\*[^_*]*?(?=__)|[^*]+(?=[^*])`,
  ),
  // One tilde is a range ("10~20"), not GFM's second form of strikethrough.
  delLDelim: new RegExp(String.raw`^~~(?:((?!~)${SIGN})|[^\s~])`, "u"),
  delRDelim: delimiters("~", "~~", LETTER, "^[^~]+(?=[^~])"),
};

/** Where a bare address ends though GFM reads on: at punctuation that no address has, or at a word after the host. */
const ADDRESS_END = /[，。、；：！？（）【】《》〈〉「」『』〔〕〖〗｛｝［］＂＇“”‘…—～｜]|’(?![A-Za-z])/;
const HOST = new RegExp(
  String.raw`^(?:[a-z]+:\/\/)?(?:(?:[a-z0-9-]+\.)+[a-z0-9]+|localhost)(?::\d+)?(?=[${CJK}])`,
  "iu",
);

function address(text: string): string {
  return HOST.exec(text)?.[0] ?? text.slice(0, ADDRESS_END.exec(text)?.index);
}

const PIPE = /(?<!\\)\|/g;
const CODE = /(?<!`)(`+)(?!`).*?[^`]\1(?!`)/g;

/** Escape the pipes in code of rows that have too many cells: GFM would cut the code in two. */
function withCodeWhole(table: string, columns: number): string {
  return table.replace(/^.*`.*$/gm, (row) => {
    const cells = row
      .trim()
      .replace(/^\||(?<!\\)\|$/g, "")
      .split(PIPE).length;
    return cells > columns ? row.replace(CODE, (code) => code.replace(PIPE, "\\|")) : row;
  });
}

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
    if (columns * rows > MOST_CELLS) return undefined;
    const whole = withCodeWhole(match[0], (match[2] ?? "").replace(/^\s*\||\|\s*$/g, "").split("|").length);
    if (whole === match[0]) return super.table(src);
    const token = super.table(whole);
    return token && { ...token, raw: match[0].replace(/\n+$/, "") };
  }

  override emStrong(src: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    // Skip the search where emphasis can't close: a star before a space, an underscore inside a word, a line of
    // stars.
    const mark = OPENS.exec(src)?.[1];
    const opens = mark === "*" || (mark === "_" && !/[\p{L}\p{N}]$/u.test(before ?? ""));
    if (!opens) return undefined;
    const left = mark === "*" ? beside(src, masked, before) : before;
    return this.#searching(src, () => super.emStrong(src, masked, left));
  }

  override del(src: string, masked: string, before?: string): Tokens.Del | undefined {
    if (!/^~~(?!~)/.test(src)) return undefined;
    return this.#searching(src, () => super.del(src, masked, beside(src, masked, before)));
  }

  override url(src: string): Tokens.Link | undefined {
    const link = super.url(src);
    const own = link && address(link.raw);
    return link && own !== link.raw ? super.url(own ?? "") : link;
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

/** Return what stands before a mark: nothing, as at a text's beginning, where that allows it to open. */
function beside(src: string, masked: string, before?: string): string | undefined {
  const at = masked.length - src.length;
  return before && AFTER_CJK.test(masked.slice(Math.max(0, at - 2), at)) ? "" : before;
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
  const tokenizer = new LimitedTokenizer();
  const made = new LimitedLexer({ ...marked.defaults, tokenizer });
  tokenizer.rules = { ...tokenizer.rules, inline: { ...tokenizer.rules.inline, ...INLINE_RULES } };
  return made;
}

function read(text: string, lex: () => Token[]): Token[] {
  try {
    return lex();
  } catch {
    // A regular expression, too, can exhaust the stack.
    return [{ type: "plain", raw: text } satisfies PlainToken];
  }
}

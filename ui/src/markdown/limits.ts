/**
 * The tokenizer of replies, with limits on nesting and on table cells. Beyond them Markdown is text: nothing is lost,
 * and neither the lexer nor what draws its tokens recurses deeper. One instance reads one text.
 */
import { type Token, Tokenizer, type Tokens } from "marked";

/** Levels of quotes and lists, together. */
export const DEEPEST_BLOCK = 16;
/** Levels of emphasis, strikethrough and links, together. */
export const DEEPEST_INLINE = 16;
/**
 * Characters that may be searched for the ends of emphasis in one text, which takes a fifth of a second at worst. An ordinary
 * text of what is drawn stays below; without a limit, 30 KB of `_a*` take half a minute.
 */
export const MOST_SEARCHED = 400_000;
/** Short rows are filled up to the width of the header, so a few kilobytes can ask for millions of cells. */
export const MOST_CELLS = 10_000;

/** Characters of one text that are drawn unless the owner asks for more. What a model says in one go stays far below. */
export const MOST_DRAWN = 100_000;

/** The beginning of a text, at most so long; where it is cut does not change while the text grows. */
export function beginning(text: string, most = MOST_DRAWN): string {
  if (text.length <= most) return text;
  const whole = text.slice(0, most);
  const cut = Math.max(whole.lastIndexOf("\n"), whole.lastIndexOf(" "));
  return cut > most - 1_000 ? whole.slice(0, cut + 1) : whole.replace(/[\ud800-\udbff]$/, "");
}

/** Characters of a paragraph, and items of a list, beyond which it is read and drawn in parts. */
export const LONGEST_BLOCK = 8_000;
export const MOST_ITEMS = 100;

const OPENS = /^([*_])\1{0,63}(?!\1)\S/;

export class LimitedTokenizer extends Tokenizer {
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
    const found = this.rules.block.table.exec(src);
    if (!found) return undefined;
    const columns = (found[2] ?? "").split("|").length;
    const rows = (found[3] ?? "").split("\n").length;
    return columns * rows > MOST_CELLS ? undefined : super.table(src);
  }

  override emStrong(src: string, masked: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    // Nothing is searched for a star before a space, for an underscore inside a word, and for a line of stars.
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
    const found = this.#inline(read);
    this.#searched += (found?.raw ?? src).length;
    return found;
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

/**
 * The part of a file that a prompt leaves out, by the core's rule. Counts code points, as the core does; positions are
 * in UTF-16, as the editor counts.
 */

/** Characters that the marker line takes, as in the core. */
const MARKER_ROOM = 120;

export interface Cut {
  /** the first position left out, and the first after it */
  from: number;
  to: number;
  /** characters left out */
  characters: number;
}

interface Sized {
  characters: number;
  cut: Cut | null;
}

export function sized(text: string, limit: number): Sized {
  const characters = countCharacters(text);
  if (characters <= limit) return { characters, cut: null };
  const most = Math.max(0, limit);
  const body =
    most > 2 * MARKER_ROOM ? Math.min(Math.floor((most * 9) / 10), most - MARKER_ROOM) : Math.floor(most / 2);
  const from = before(text, placeOf(text, Math.floor((body * 7) / 9)));
  const to = Math.max(from, after(text, placeOf(text, characters - Math.floor((body * 2) / 9))));
  return { characters, cut: { from, to, characters: countCharacters(text.slice(from, to)) } };
}

function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) if (splitsPair(text, at)) count -= 1;
  return count;
}

/** Return the position of the character with this index. */
function placeOf(text: string, wanted: number): number {
  let place = 0;
  for (let seen = 0; seen < wanted && place < text.length; seen += 1) place += splitsPair(text, place + 1) ? 2 : 1;
  return place;
}

function splitsPair(text: string, at: number): boolean {
  const [left, right] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return left >= 0xd800 && left < 0xdc00 && right >= 0xdc00 && right < 0xe000;
}

/** Made with the first long text: it takes ten milliseconds, which the page's start can do without. */
let characters: Intl.Segmenter | undefined;
const FLAG = /[\u{1f1e6}-\u{1f1ff}]/u;
/** UTF-16 units around a position that contain its whole grapheme. */
const REACH = 128;

/** Return the position, or the nearest grapheme boundary before or after it. */
function around(text: string, place: number): { from: number; to: number } {
  const start = startOf(text, place);
  const piece = text.slice(start, place + REACH);
  characters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const grapheme = place < text.length ? characters.segment(piece).containing(place - start) : undefined;
  if (!grapheme || grapheme.index === place - start) return { from: place, to: place };
  return { from: start + grapheme.index, to: start + grapheme.index + grapheme.segment.length };
}

/** Return an earlier position that is certainly a boundary: flags are pairs of letters, counted from the first. */
function startOf(text: string, place: number): number {
  let start = Math.max(0, text.lastIndexOf("\n", place - 1), place - REACH);
  while (start > 0 && (splitsPair(text, start) || FLAG.test(text.slice(start - 2, start)))) start -= 1;
  return start;
}

function before(text: string, place: number): number {
  return around(text, place).from;
}

function after(text: string, place: number): number {
  return around(text, place).to;
}

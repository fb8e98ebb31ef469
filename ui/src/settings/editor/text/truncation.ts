/**
 * What of a file a prompt leaves out: the core's rule, kept up while the owner types. Pure.
 * Counts code points, as the core does; places are in UTF-16, as the editor counts.
 */

/** Room that the line in between takes, as in the core. */
const MARKER_ROOM = 120;

export interface Cut {
  /** the first place that is left out, and the first after it */
  from: number;
  to: number;
  /** how many characters that are */
  characters: number;
}

export interface Sized {
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

/** Where the so-maniest character begins. */
function placeOf(text: string, wanted: number): number {
  let place = 0;
  for (let seen = 0; seen < wanted && place < text.length; seen += 1) place += splitsPair(text, place + 1) ? 2 : 1;
  return place;
}

function splitsPair(text: string, at: number): boolean {
  const [left, right] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return left >= 0xd800 && left < 0xdc00 && right >= 0xdc00 && right < 0xe000;
}

const CHARACTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const FLAG = /[\u{1f1e6}-\u{1f1ff}]/u;
/** So far around a place lies all that is one character to the eye. */
const REACH = 128;

/** The place itself where it lies between two characters, else where the one that it splits begins or ends. */
function around(text: string, place: number): { from: number; to: number } {
  const start = startOf(text, place);
  const piece = text.slice(start, place + REACH);
  const found = place < text.length ? CHARACTERS.segment(piece).containing(place - start) : undefined;
  if (!found || found.index === place - start) return { from: place, to: place };
  return { from: start + found.index, to: start + found.index + found.segment.length };
}

/** Somewhere before the place where certainly no character is split: flags are letters in pairs, counted from the first. */
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

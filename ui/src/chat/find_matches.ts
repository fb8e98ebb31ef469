/** Where words stand in a conversation: what was said, what was done and what was written down. Pure. */
import { plain } from "../markdown/plain";
import type { Turn } from "../state/chat/conversation";
import { toolText } from "./turn/activity/tools";

/** One place: the turn, and which one it is among those of the turn. */
export interface Match {
  turn: string;
  nth: number;
}

/** The elements that hold what `partsOf` gives, in the same order; for marking. */
export const PARTS = ".bubble, .tools li .what, .receipt-text :is(span, s)[dir]";

/** The words as they stand beside each other; only where they never do, each by itself, in turns that have them all. */
export function findMatches(turns: readonly Turn[], sought: string): { words: string[]; matches: Match[] } {
  const phrase = sought.toLowerCase().trim();
  const words = phrase.split(/\s+/).filter(Boolean);
  if (words.length === 0) return { words, matches: [] };
  const whole = matchesOf(turns, [phrase]);
  if (whole.length > 0 || words.length === 1) return { words: [phrase], matches: whole };
  return { words, matches: matchesOf(turns, words) };
}

/** The places of these words in a text, in its order; what lies within another is none. */
export function placesOf(text: string, words: readonly string[]): [from: number, to: number][] {
  const found: [number, number][] = [];
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      found.push([at, at + word.length]);
    }
  }
  found.sort(([a, x], [b, y]) => a - b || y - x);
  let end = 0;
  return found.filter(([from, to]) => {
    const within = from < end;
    end = Math.max(end, to);
    return !within;
  });
}

function matchesOf(turns: readonly Turn[], words: readonly string[]): Match[] {
  return turns.flatMap((turn) => {
    const parts = partsOf(turn);
    if (!words.every((word) => parts.some((part) => part.includes(word)))) return [];
    const count = parts.reduce((sum, part) => sum + placesOf(part, words).length, 0);
    return Array.from({ length: count }, (_, nth) => ({ turn: turn.turn, nth }));
  });
}

const known = new WeakMap<Turn, string[]>();

/** What is to be read of a turn, folded parts included, in lower case. */
function partsOf(turn: Turn): string[] {
  const before = known.get(turn);
  if (before) return before;
  const numbers = [...new Set([...turn.rounds, ...turn.tools].map(({ round }) => round))];
  const rounds = numbers.sort((a, b) => (a || Number.MAX_VALUE) - (b || Number.MAX_VALUE));
  const said = rounds.flatMap((round) => {
    const tools = turn.tools.filter((tool) => tool.round === round);
    const told = tools.some((tool) => !tool.receipt) ? tools.map(toolText) : [];
    return [plain(turn.rounds.find((each) => each.round === round)?.text ?? ""), ...told];
  });
  const written = [...turn.left.flatMap(({ tools }) => tools), ...turn.tools].flatMap(
    ({ receipt }) => receipt?.noted.map(({ text }) => text) ?? [],
  );
  const parts = [turn.kind === "continue" ? "" : turn.text, ...said, ...written].map((each) => each.toLowerCase());
  known.set(turn, parts);
  return parts;
}

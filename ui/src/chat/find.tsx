/**
 * Find in the open conversation: the bar, the matches in turns, and their highlights on the page (CSS custom
 * highlights; elements stay unchanged).
 */

import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { IconButton } from "../components/controls";
import { Icon } from "../components/icons";
import { useBack } from "../input/back";
import { composing, isKey } from "../input/keys";
import { plain } from "../markdown/plain";
import { searchForm, searchFormPlaces } from "../search_form";
import type { Conversation, Turn } from "../state/chat/conversation";
import { useStore } from "../state/context";
import { number, t } from "../texts";
import { toolText } from "./turn/activity";

/** A match: the turn, and its index among the matches of the turn. */
interface Match {
  turn: string;
  nth: number;
}

/** Selector of the elements with the texts of `partsOf`, in the same order. */
const PARTS = ".bubble, .tools li .what, .receipt-text :is(span, s)[dir]";

/**
 * Return the matches of the whole phrase; if there are none, of each word in turns that contain all. Of each, a text
 * with the accents of what is sought comes before any.
 */
export function findMatches(turns: readonly Turn[], sought: string): { words: string[]; matches: Match[] } {
  const forms = [...new Set([searchForm(sought, true), searchForm(sought)])].map((form) => form.trim());
  const phrases = forms.map((form) => [form]);
  for (const words of [...phrases, ...forms.map((form) => form.split(/\s+/))]) {
    const matches = words[0] === "" ? [] : matchesOf(turns, words);
    if (matches.length > 0) return { words, matches };
  }
  return { words: forms[0]?.split(/\s+/).filter(Boolean) ?? [], matches: [] };
}

/** Whether a text has to have the accents of the words. */
function isAccented(words: readonly string[]): boolean {
  return words.some((word) => searchForm(word) !== word);
}

/** Return the non-overlapping matches of the words in a text's search form, in order. */
function placesOf(text: string, words: readonly string[]): [from: number, to: number][] {
  const spans: [number, number][] = [];
  for (const word of words) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      spans.push([at, at + word.length]);
    }
  }
  spans.sort(([a, x], [b, y]) => a - b || y - x);
  let end = 0;
  return spans.filter(([from, to]) => {
    const within = from < end;
    end = Math.max(end, to);
    return !within;
  });
}

function matchesOf(turns: readonly Turn[], words: readonly string[]): Match[] {
  const accents = isAccented(words);
  return turns.flatMap((turn) => {
    const parts = partsOf(turn, accents);
    if (!words.every((word) => parts.some((part) => part.includes(word)))) return [];
    const count = parts.reduce((sum, part) => sum + placesOf(part, words).length, 0);
    return Array.from({ length: count }, (_, nth) => ({ turn: turn.turn, nth }));
  });
}

const known = { plain: new WeakMap<Turn, string[]>(), accented: new WeakMap<Turn, string[]>() };

/** Return the search forms of a turn's readable texts, folded parts included. */
function partsOf(turn: Turn, accents: boolean): string[] {
  const forms = accents ? known.accented : known.plain;
  const before = forms.get(turn);
  if (before) return before;
  const numbers = [...new Set([...turn.rounds, ...turn.tools].map(({ round }) => round))];
  const rounds = numbers.sort((a, b) => (a || Number.MAX_VALUE) - (b || Number.MAX_VALUE));
  const replies = rounds.flatMap((round) => {
    const tools = turn.tools.filter((tool) => tool.round === round);
    const toolLines = tools.some((tool) => !tool.receipt) ? tools.map(toolText) : [];
    return [plain(turn.rounds.find((each) => each.round === round)?.text ?? ""), ...toolLines];
  });
  const written = [...turn.left.flatMap(({ tools }) => tools), ...turn.tools].flatMap(
    ({ receipt }) => receipt?.noted.map(({ text }) => text) ?? [],
  );
  const texts = [turn.kind === "continue" ? "" : turn.text, ...replies, ...written];
  const parts = texts.map((each) => searchForm(each, accents));
  forms.set(turn, parts);
  return parts;
}

const EVERY = "found";
const HERE = "found-here";
/** Pixels kept above and below the current match. */
const AROUND = 40;

/** Highlight all matches and scroll to the current one. Returns a function that removes the highlights. */
function markWords(frame: Element | null, words: readonly string[], here: Match | null): () => void {
  const list = frame?.querySelector(".messages-content");
  if (!list || words.length === 0) return () => undefined;
  const marks = typeof Highlight === "undefined" ? null : CSS.highlights;
  let redraw = 0;
  let shown = false;
  const mark = () => {
    redraw = 0;
    const current = here && rangeOf(list, words, here);
    marks?.set(EVERY, new Highlight(...ranges(list, words)));
    marks?.set(HERE, new Highlight(...(current ? [current] : [])));
    if (!current || shown) return;
    shown = true;
    reveal(current);
  };
  const soon = () => {
    redraw ||= requestAnimationFrame(mark);
  };
  mark();
  const watch = new MutationObserver(soon);
  watch.observe(list, { childList: true, characterData: true, subtree: true });
  return () => {
    watch.disconnect();
    cancelAnimationFrame(redraw);
    marks?.delete(EVERY);
    marks?.delete(HERE);
  };
}

function rangeOf(list: Element, words: readonly string[], { turn, nth }: Match): Range | undefined {
  const slot = list.querySelector(`[data-slot="${CSS.escape(turn)}"]`);
  return slot ? ranges(slot, words)[nth] : undefined;
}

function ranges(within: Element, words: readonly string[]): Range[] {
  return [...within.querySelectorAll(PARTS)].flatMap((part) => rangesIn(part, words));
}

/** Matches may cross elements: bold, links, code. */
function rangesIn(part: Element, words: readonly string[]): Range[] {
  const nodes: { node: Text; from: number }[] = [];
  let text = "";
  let block: Element | null = null;
  const walk = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode() as Text | null; node !== null; node = walk.nextNode() as Text | null) {
    const its = node.parentElement?.closest("p, li, td, th, pre, h1, h2, h3, h4, h5, h6, blockquote") ?? null;
    if (text !== "" && its !== block) text += "\n";
    block = its;
    nodes.push({ node, from: text.length });
    text += node.data;
  }
  const within = searchFormPlaces(text, isAccented(words));
  return placesOf(within.form, words).flatMap((place) => {
    const [from, to] = [within.from(place[0]), within.to(place[1] - 1)];
    const start = nodes.findLast((each) => each.from <= from);
    const end = nodes.findLast((each) => each.from < to);
    if (!start || !end) return [];
    const range = new Range();
    range.setStart(start.node, Math.min(from - start.from, start.node.length));
    range.setEnd(end.node, Math.min(to - end.from, end.node.length));
    return [range];
  });
}

function reveal(range: Range): void {
  const element = range.startContainer.parentElement;
  for (let folded = element?.closest("details:not([open])"); folded; folded = folded.closest("details:not([open])")) {
    (folded as HTMLDetailsElement).open = true;
  }
  const box = element?.closest(".messages");
  if (!box || typeof range.getBoundingClientRect !== "function") return;
  const [at, frame] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
  const over = at.top - (frame.top + AROUND);
  const under = at.bottom - (frame.bottom - AROUND);
  if (over < 0) box.scrollTop += over;
  else if (under > 0) box.scrollTop += Math.min(under, over);
}

export function FindBar({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { id } = conversation.info;
  const field = useRef<HTMLInputElement>(null);
  const sought = store.navigation.finding.value ?? "";
  const turns = conversation.turns;
  const { words, matches } = useMemo(() => findMatches(turns, sought), [turns, sought]);
  // The current match; of a turn that was opened from a list, its first.
  const [at, setAt] = useState<Match | null>(() => {
    const opened = store.navigation.targetTurn.value?.turn;
    return opened === undefined ? null : { turn: opened, nth: 0 };
  });
  const place = at ? matches.findIndex((each) => each.turn === at.turn && each.nth === at.nth) : -1;
  const here = matches[place] ?? null;

  /** Where the search began: what is typed on is sought from here, and not from match to match. */
  const began = useRef(0);
  // Update before the next key: an effect after drawing would lose fast typing.
  useLayoutEffect(() => {
    began.current = placeInSight(frame(), turns);
    field.current?.focus();
    field.current?.select();
  }, [store.navigation.findFocus.value]);
  const frame = () => field.current?.closest(".messages-frame") ?? null;
  /** How often a match was chosen: each time the list goes to its turn first, also to the one that it was at. */
  const [chosen, choose] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => markWords(frame(), words, here), [words.join(" "), here?.turn, here?.nth, chosen]);

  function show(match: Match | undefined): void {
    setAt(match ?? null);
    if (match) store.navigation.targetTurn.value = { conversation: id, turn: match.turn };
    choose(undefined);
  }

  function go(by: 1 | -1): void {
    const next = place < 0 ? startingAt(began.current, turns, matches) : place + by;
    show(matches.at(next % matches.length));
  }

  function typed(words: string): void {
    store.navigation.finding.value = words;
    const found = findMatches(turns, words).matches;
    show(found[startingAt(began.current, turns, found)]);
  }

  function close(): void {
    store.navigation.finding.value = null;
    store.navigation.focusComposer();
  }

  useBack(close);
  const turn = { icon: "chevron", disabled: matches.length === 0 } as const;

  function keyDown(event: KeyboardEvent): void {
    if (composing(event)) return;
    if (isKey("match", event)) go(1);
    else if (isKey("match_back", event)) go(-1);
    else return;
    event.preventDefault();
  }

  return (
    <search class="find-bar">
      <Icon name="search" />
      <input
        ref={field}
        type="text"
        value={sought}
        aria-label={t("ui.find.label")}
        placeholder={t("ui.find.label")}
        onInput={(event) => typed(event.currentTarget.value)}
        onKeyDown={keyDown}
      />
      <span class="quiet-text" role="status">
        {words.length > 0 &&
          (matches.length === 0
            ? t("ui.find.none")
            : place < 0
              ? t("ui.find.count", { count: matches.length })
              : t("ui.find.place", { at: number(place + 1), count: number(matches.length) }))}
      </span>
      <IconButton {...turn} class="quiet up" label={t("ui.find.before")} onClick={() => go(-1)} />
      <IconButton {...turn} class="quiet down" label={t("ui.find.next")} onClick={() => go(1)} />
      <IconButton icon="close" label={t("ui.close")} onClick={close} />
    </search>
  );
}

/** Return the place of the first turn in sight. */
function placeInSight(frame: Element | null, turns: readonly Turn[]): number {
  const top = frame?.getBoundingClientRect().top ?? 0;
  const slots = [...(frame?.querySelectorAll<HTMLElement>("[data-slot]") ?? [])];
  const inSight = slots.find((slot) => slot.getBoundingClientRect().bottom > top)?.dataset["slot"];
  return Math.max(
    0,
    turns.findIndex(({ turn }) => turn === inSight),
  );
}

/** Return the index of the first match in this turn or below; beyond the last one, of the first of all. */
function startingAt(from: number, turns: readonly Turn[], matches: readonly Match[]): number {
  const order = new Map(turns.map(({ turn }, at) => [turn, at]));
  return Math.max(
    0,
    matches.findIndex(({ turn }) => (order.get(turn) ?? 0) >= from),
  );
}

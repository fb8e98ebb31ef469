/** Finds words in the open conversation: how often they stand there, the next and the one before, all marked. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "../components/icons";
import { useBack } from "../input/back";
import { composing } from "../input/ime";
import { isKey } from "../input/key_table";
import type { Conversation, Turn } from "../state/chat/conversation";
import { useStore } from "../state/context";
import { number, t, tn } from "../texts";
import { markWords } from "./find_highlights";
import { findMatches, type Match } from "./find_matches";

export function FindBar({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { id } = conversation.info;
  const field = useRef<HTMLInputElement>(null);
  const sought = store.finding.value ?? "";
  const turns = conversation.turns;
  const { words, matches } = useMemo(() => findMatches(turns, sought), [turns, sought]);
  // The place that is looked at; of a turn that was opened from a list, its first.
  const [at, setAt] = useState<Match | null>(() => {
    const opened = store.turnAsked.value?.turn;
    return opened === undefined ? null : { turn: opened, nth: 0 };
  });
  const place = at ? matches.findIndex((each) => each.turn === at.turn && each.nth === at.nth) : -1;
  const here = matches[place] ?? null;

  // Before the next key: an effect after the drawing would lose what is typed at once.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [store.findAsked.value]);
  const frame = () => field.current?.closest(".messages-frame") ?? null;
  useEffect(() => markWords(frame(), words, here), [words.join(" "), here?.turn, here?.nth]);

  function go(by: 1 | -1): void {
    const first = place < 0 ? startingAt(frame(), turns, matches) : place + by;
    const next = matches[(first + matches.length) % matches.length];
    if (!next) return;
    setAt(next);
    store.turnAsked.value = { conversation: id, turn: next.turn };
  }

  function close(): void {
    store.finding.value = null;
    store.askFocus();
  }

  useBack(close);

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
        onInput={(event) => {
          store.finding.value = event.currentTarget.value;
          setAt(null);
        }}
        onKeyDown={keyDown}
      />
      <span class="quiet-text" role="status">
        {words.length > 0 &&
          (matches.length === 0
            ? t("ui.find.none")
            : place < 0
              ? tn("ui.find.one", "ui.find.count", matches.length)
              : t("ui.find.place", { at: number(place + 1), count: number(matches.length) }))}
      </span>
      <FindButton label={t("ui.find.before")} turned="up" idle={matches.length === 0} onPress={() => go(-1)} />
      <FindButton label={t("ui.find.next")} turned="down" idle={matches.length === 0} onPress={() => go(1)} />
      <button type="button" class="quiet" aria-label={t("ui.close")} data-tip="" onClick={close}>
        <Icon name="close" />
      </button>
    </search>
  );
}

interface FindButtonProps {
  label: string;
  turned: "up" | "down";
  idle: boolean;
  onPress: () => void;
}

function FindButton({ label, turned, idle, onPress }: FindButtonProps) {
  return (
    <button type="button" class={`quiet ${turned}`} aria-label={label} data-tip="" disabled={idle} onClick={onPress}>
      <Icon name="chevron" />
    </button>
  );
}

/** The first match in what is in sight or below it; at the end of the list, the first of all. */
function startingAt(frame: Element | null, turns: readonly Turn[], matches: readonly Match[]): number {
  const top = frame?.getBoundingClientRect().top ?? 0;
  const slots = [...(frame?.querySelectorAll<HTMLElement>("[data-slot]") ?? [])];
  const inSight = slots.find((slot) => slot.getBoundingClientRect().bottom > top)?.dataset["slot"];
  const order = new Map(turns.map(({ turn }, at) => [turn, at]));
  const from = order.get(inSight ?? "") ?? 0;
  return Math.max(
    0,
    matches.findIndex(({ turn }) => (order.get(turn) ?? 0) >= from),
  );
}

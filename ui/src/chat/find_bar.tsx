/** Finds words in the open conversation: how many messages hold them, the next and the one before, all marked. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useBack } from "../parts/back";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import type { Conversation, Turn } from "../state/conversation";
import { number, t, tn } from "../texts";
import { composing } from "./composer/ime";
import { markWords, wordsOf } from "./find_highlights";
import { isKey } from "./key_table";

export function FindBar({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { id } = conversation.info;
  const field = useRef<HTMLInputElement>(null);
  const sought = store.finding.value ?? "";
  const turns = conversation.turns;
  const found = useMemo(() => holding(turns, sought), [turns, sought]);
  const [at, setAt] = useState<string | null>(store.turnAsked.value?.turn ?? null);
  const place = found.indexOf(at ?? "");

  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, [store.findAsked.value]);
  useEffect(() => markWords(field.current?.closest(".messages-frame") ?? null, wordsOf(sought)), [sought]);

  function go(by: 1 | -1): void {
    const next = place < 0 ? (by > 0 ? 0 : found.length - 1) : (place + by + found.length) % found.length;
    const turn = found[next];
    if (turn === undefined) return;
    setAt(turn);
    store.turnAsked.value = { conversation: id, turn };
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
        {wordsOf(sought).length > 0 &&
          (found.length === 0
            ? t("ui.find.none")
            : place < 0
              ? tn("ui.find.one", "ui.find.count", found.length)
              : t("ui.find.place", { at: number(place + 1), count: number(found.length) }))}
      </span>
      <FindButton label={t("ui.find.before")} turned="up" idle={found.length === 0} onPress={() => go(-1)} />
      <FindButton label={t("ui.find.next")} turned="down" idle={found.length === 0} onPress={() => go(1)} />
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

/** The turns in which all the words stand, said by either of the two. */
function holding(turns: readonly Turn[], sought: string): string[] {
  const words = wordsOf(sought);
  if (words.length === 0) return [];
  return turns
    .filter((turn) => {
      const said = [turn.text, ...turn.rounds.map((round) => round.text)].join("\n").toLowerCase();
      return words.every((word) => said.includes(word));
    })
    .map((turn) => turn.turn);
}

/**
 * The list of messages with its dividers. Draws the newest turns only and earlier ones as they are scrolled to, keeps
 * the end in sight while the owner is there, and tells screen readers a reply when it is complete.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { DividerView } from "../bindings";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import type { Conversation, Turn } from "../state/conversation";
import { dayAndTime, t } from "../texts";
import { Empty } from "./empty";
import { TurnItem } from "./turn";

const FIRST = 30;
const MORE = 40;
const NEAR = 60;

export function Messages({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { id } = conversation.info;
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const top = useRef(0);
  const [shown, setShown] = useState(FIRST);
  const [away, setAway] = useState(false);
  const [sought, setSought] = useState("");
  const grown = useRef(0);
  const asked = store.turnAsked.value;

  useLayoutEffect(() => {
    const list = box.current;
    if (!list) return;
    list.scrollTop = list.scrollHeight - list.clientHeight - store.scroll(id);
    atEnd.current = store.scroll(id) < NEAR;
  }, [id]);

  useLayoutEffect(() => {
    const list = box.current;
    if (list && atEnd.current) list.scrollTop = list.scrollHeight;
  }, [conversation]);

  useLayoutEffect(() => {
    const list = box.current;
    // What was added above must not move what is read.
    if (list && grown.current) list.scrollTop += list.scrollHeight - grown.current;
    grown.current = 0;
  }, [shown]);

  useLayoutEffect(() => {
    if (asked?.conversation !== id) return;
    const at = conversation.turns.findIndex((turn) => turn.turn === asked.turn);
    const needed = conversation.turns.length - at;
    if (at >= 0 && needed > shown) return setShown(needed + 5); // and here again, with it drawn
    store.turnAsked.value = null;
    if (at < 0) return; // it was replaced by another since
    atEnd.current = false;
    setSought(asked.turn);
    box.current?.querySelector(`[data-turn="${CSS.escape(asked.turn)}"]`)?.scrollIntoView?.({ block: "start" });
  }, [asked, shown]);

  useEffect(() => {
    const list = box.current;
    if (!list || typeof ResizeObserver === "undefined") return;
    const watch = new ResizeObserver(() => {
      if (atEnd.current) list.scrollTop = list.scrollHeight;
    });
    watch.observe(list);
    if (content.current) watch.observe(content.current); // it also grows by what loads later
    return () => watch.disconnect();
  }, []);

  function scrolled(): void {
    const list = box.current;
    if (!list) return;
    const fromEnd = Math.max(0, list.scrollHeight - list.clientHeight - list.scrollTop);
    // Only who scrolls up leaves the end: content that grew below does not.
    if (fromEnd < NEAR) atEnd.current = true;
    else if (list.scrollTop < top.current) atEnd.current = false;
    top.current = list.scrollTop;
    setAway(fromEnd > 400);
    store.setScroll(id, Math.round(fromEnd));
    if (list.scrollTop < 200 && shown < conversation.turns.length) {
      grown.current = list.scrollHeight;
      setShown(shown + MORE);
    }
  }

  const { turns } = conversation;
  const visible = turns.slice(-shown);
  const lastTurn = turns.at(-1);
  return (
    <div class="messages-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list must be scrollable by keyboard */}
      <section class="messages" ref={box} onScroll={scrolled} tabIndex={0} aria-label={t("ui.messages")}>
        <div class="messages-content" ref={content}>
          {conversation.damaged_lines > 0 && (
            <p class="end-note">{t("ui.damaged", { count: conversation.damaged_lines })}</p>
          )}
          {turns.length === 0 && <Empty temporary={conversation.info.temporary} />}
          {visible.length === turns.length && <Dividers conversation={conversation} after={null} />}
          {visible.map((turn) => (
            <div key={turn.turn} class={turn.turn === sought ? "turn-slot found" : "turn-slot"}>
              <TurnItem
                conversation={id}
                turn={turn}
                last={turn === lastTurn}
                temporary={conversation.info.temporary}
              />
              <Dividers conversation={conversation} after={turn.turn} />
            </div>
          ))}
          {conversation.compacting && <Compacting conversation={id} />}
        </div>
      </section>
      {away && (
        <button
          type="button"
          class="to-end"
          onClick={() => box.current?.scrollTo({ top: box.current.scrollHeight })}
          aria-label={t("ui.to_end")}
          title={t("ui.to_end")}
        >
          <Icon name="chevron" />
        </button>
      )}
      <div class="sr" aria-live="polite" role="status">
        <Spoken turn={lastTurn} />
      </div>
    </div>
  );
}

/** Whole replies, not every word as it comes. */
function Spoken({ turn }: { turn: Turn | undefined }) {
  const seen = useRef<string | undefined>(turn?.end === null ? undefined : turn?.turn);
  if (!turn || turn.turn === seen.current) return null;
  if (turn.end === null) return <>{turn.proposal ? t("ui.turn.asks") : t("ui.turn.thinking")}</>;
  const mark = turn.claim && t(turn.claim.kind === "saved" ? "ui.claim.saved" : "ui.claim.asked_off");
  return <>{[...turn.rounds.map((round) => round.text), ...(mark ? [mark] : [])].join("\n")}</>;
}

function Dividers({ conversation, after }: { conversation: Conversation; after: string | null }) {
  const here = conversation.dividers.filter((divider) => divider.after_turn === after);
  const memory = here.filter((divider) => divider.kind === "memory_on" || divider.kind === "memory_off").at(-1);
  const dropped = here.findLast((divider) => divider.kind === "earlier_dropped");
  const compacted = here.findLast((divider) => divider.kind === "compacted");
  return (
    <>
      {compacted && <Divider divider={compacted} conversation={conversation} dropped />}
      {memory && <Divider divider={memory} conversation={conversation} dropped={dropped !== undefined} />}
      {dropped && <Divider divider={dropped} conversation={conversation} dropped />}
    </>
  );
}

const WORDS = {
  memory_on: "ui.divider.on",
  memory_off: "ui.divider.off",
  earlier_dropped: "ui.divider.dropped",
  compacted: "ui.divider.compacted",
} as const;
const SIGNS = { memory_on: "brain", memory_off: "brain", earlier_dropped: "forward", compacted: "shrink" } as const;

interface DividerProps {
  divider: DividerView;
  conversation: Conversation;
  dropped: boolean;
}

function Divider({ divider, conversation, dropped }: DividerProps) {
  const store = useStore();
  const { info, turns } = conversation;
  const latest = divider.after_turn === (turns.at(-1)?.turn ?? null);
  const offer = divider.kind === "memory_off" && !info.memory && !dropped && turns.length > 0 && latest;
  return (
    <div class={`divider ${divider.kind}`}>
      <p>
        <Icon name={SIGNS[divider.kind]} slashed={divider.kind === "memory_off"} />
        {t(WORDS[divider.kind])}
        <span class="when">{dayAndTime(divider.at)}</span>
      </p>
      {divider.kind === "compacted" && <p class="quiet-text">{t("ui.divider.compacted_note")}</p>}
      {offer && (
        <>
          <p class="quiet-text">{t("ui.divider.off_note")}</p>
          <button
            type="button"
            class="chip"
            disabled={info.running}
            onClick={() => void store.attempt(() => store.commands.dropEarlier({ conversation: info.id }))}
          >
            {t("ui.divider.drop")}
          </button>
        </>
      )}
    </div>
  );
}

/** Quiet, and it can be stopped; what is being summarised stays in the conversation as it is. */
function Compacting({ conversation }: { conversation: string }) {
  const store = useStore();
  return (
    <div class="compacting" role="status">
      <Icon name="shrink" />
      <span>{t("ui.compact.running")}</span>
      <button
        type="button"
        class="link"
        onClick={() => void store.attempt(() => store.commands.stopTurn({ conversation }))}
      >
        {t("ui.compact.stop")}
      </button>
    </div>
  );
}

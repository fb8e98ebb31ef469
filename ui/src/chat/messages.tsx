/**
 * The virtualised list of messages with its dividers. Keeps the end in sight while the owner is there, keeps the
 * position when content above grows, and announces complete replies to screen readers.
 */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Divider } from "../bindings";
import { Boundary } from "../components/boundary";
import { IconButton, SCROLLS } from "../components/controls";
import { Icon } from "../components/icons";
import { beginning } from "../markdown/blocks";
import { spokenFormula } from "../markdown/math";
import { plain } from "../markdown/plain";
import type { Conversation, Turn } from "../state/chat/conversation";
import type { Heights, Range } from "../state/chat/virtual_list";
import { useStore } from "../state/context";
import type { Store } from "../state/store";
import { dayAndTime, t } from "../texts";
import { Empty } from "./empty";
import { FindBar } from "./find";
import { ModelLine } from "./model_choice";
import { GoneLines } from "./turn/ending";
import { PlainTurn, TurnItem } from "./turn/turn";

const NEAR = 60;
/** Before the first layout. */
const USUAL = 800;
const NOTHING: Range = { from: 0, to: 0 };

export function Messages({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { info, turns } = conversation;
  const list = useTurns(store, conversation);
  const { from, to } = list.range;
  const lastTurn = turns.at(-1);
  return (
    <div class="messages-frame">
      <ModelLine conversation={conversation} />
      {store.navigation.finding.value !== null && <FindBar conversation={conversation} />}
      <section class="messages" ref={list.box} onScroll={list.scrolled} {...SCROLLS} aria-label={t("ui.messages")}>
        <div class="messages-content" ref={list.content}>
          {conversation.damaged_lines > 0 && (
            <p class="end-note">{t("ui.damaged", { count: conversation.damaged_lines })}</p>
          )}
          {conversation.opening && from === 0 && conversation.earlier === 0 && (
            <Opening question={conversation.opening} />
          )}
          {turns.length === 0 && !conversation.opening && (
            <Empty temporary={info.temporary} memory={info.memory && !store.paused.value} />
          )}
          {from === 0 && conversation.earlier === 0 && <Dividers conversation={conversation} after={null} />}
          {from === 0 && <GoneLines conversation={conversation} after={null} />}
          <div class="not-drawn" style={{ height: `${list.above}px` }} />
          {turns.slice(from, to).map((turn) => (
            <Slot key={turn.turn} turn={turn.turn} watch={list.watch} current={turn.turn === list.sought}>
              <Boundary of={turn} fallback={<PlainTurn turn={turn} />}>
                <TurnItem conversation={info.id} turn={turn} last={turn === lastTurn} temporary={info.temporary} />
              </Boundary>
              <Dividers conversation={conversation} after={turn.turn} />
              <GoneLines conversation={conversation} after={turn.turn} />
            </Slot>
          ))}
          <div class="not-drawn" style={{ height: `${list.below}px` }} />
          {conversation.compacting && <Compacting conversation={info.id} />}
        </div>
      </section>
      {list.away && <IconButton icon="chevron" class="to-end" onClick={list.toEnd} label={t("ui.to_end")} />}
      <div class="sr" aria-live="polite" role="status">
        <Boundary of={lastTurn} fallback={lastTurn?.rounds.map((round) => beginning(round.text)).join("\n")}>
          <Announcer turn={lastTurn} />
        </Boundary>
      </div>
    </div>
  );
}

/** The pet's question that this conversation answers. */
function Opening({ question }: { question: string }) {
  return (
    <article class="turn opening" aria-label={t("ui.opening")}>
      <div class="pet-reply">
        <div class="bubble" dir="auto">
          {question}
        </div>
      </div>
    </article>
  );
}

interface SlotProps {
  turn: string;
  watch: RefObject<ResizeObserver | null>;
  current: boolean;
  children: ComponentChildren;
}

/** A turn's slot in the list, measured while it is drawn. */
function Slot({ turn, watch, current, children }: SlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const slot = frame.current;
    const watching = watch.current;
    if (!slot || !watching) return;
    watching.observe(slot);
    return () => watching.unobserve(slot);
  }, []);
  return (
    <div ref={frame} class={current ? "turn-slot found" : "turn-slot"} data-slot={turn}>
      {children}
    </div>
  );
}

function useTurns(store: Store, conversation: Conversation) {
  const { turns } = conversation;
  const { id } = conversation.info;
  const heights = store.tabs.heights(id);
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const watch = useRef<ResizeObserver | null>(null);
  const atEnd = useRef(store.drafts.scroll(id) < NEAR);
  const top = useRef(0);
  const latest = useRef(turns);
  latest.current = turns;
  // Read the range drawn last, never an older one.
  const drawn = useRef<Range>(NOTHING);
  if (drawn.current === NOTHING) drawn.current = atBottom(heights, turns, store.drafts.scroll(id));
  const [, redraw] = useReducer((count: number, _: undefined) => count + 1, 0);
  const [away, setAway] = useState(false);
  const [sought, setSought] = useState("");
  const target = store.navigation.targetTurn.value;
  const first = turns[0]?.turn;
  const known = useRef(first);
  const added = known.current === first ? 0 : addedBefore(turns, known.current);
  known.current = first;
  const { from, to } = drawn.current;
  const range = fitted({ from: from + added, to: to + added }, turns.length, atEnd.current);
  drawn.current = range;
  const last = turns.at(-1);
  const begun = useRef(last?.turn);

  function draw(next: Range): void {
    if (next.from === drawn.current.from && next.to === drawn.current.to) return;
    drawn.current = next;
    redraw(undefined);
  }

  /** Draw another range when the current one no longer covers the view or is far too large. */
  function follow(): void {
    const list = box.current;
    const wanted = store.navigation.targetTurn.value;
    if (!list) return;
    // While scrolling to a turn that is here, the current position does not count.
    if (wanted?.conversation === id && latest.current.some((turn) => turn.turn === wanted.turn)) return;
    const height = list.clientHeight || USUAL;
    const above = atEnd.current ? heights.offset(latest.current, latest.current.length) - height : list.scrollTop;
    if (heights.fits(latest.current, drawn.current, above, height)) return;
    draw(heights.around(latest.current, above, height));
  }

  function pin(): void {
    // A greeting taller than the list is read from its top.
    if (box.current && atEnd.current)
      box.current.scrollTop = latest.current.length > 0 ? box.current.scrollHeight : 0;
  }

  useLayoutEffect(() => {
    if (added === 0) return;
    // The browser anchors scrolling, except at the very top.
    const list = box.current;
    if (list?.scrollTop === 0 && !atEnd.current) list.scrollTop = heights.offset(turns, added);
  }, [first]);

  const wanted = target?.conversation === id || store.navigation.finding.value !== null;
  useEffect(() => {
    if (conversation.earlier === 0 || (conversation.trimmed && !away && !wanted)) return;
    const load = () => void store.conversations.loadEarlier(id);
    // Draw what is in sight first: thousands of turns take a while. Not when one of them is requested.
    if (wanted || typeof requestIdleCallback === "undefined") return load();
    const waiting = requestIdleCallback(load);
    return () => cancelIdleCallback(waiting);
  }, [id, conversation.earlier, wanted, away]);

  useLayoutEffect(() => {
    if (typeof ResizeObserver === "undefined") return;
    const watching = new ResizeObserver((changed) => {
      for (const { target, borderBoxSize } of changed) {
        const turn = (target as HTMLElement).dataset["slot"];
        const height = borderBoxSize?.[0]?.blockSize ?? 0;
        if (turn !== undefined && height > 0) heights.set(turn, height);
      }
      pin();
      follow();
    });
    watch.current = watching;
    for (const slot of content.current?.querySelectorAll("[data-slot]") ?? []) watching.observe(slot);
    if (box.current) watching.observe(box.current);
    if (content.current) watching.observe(content.current); // also grows by content that loads later
    return () => watching.disconnect();
  }, []);

  useLayoutEffect(() => {
    const list = box.current;
    if (list && turns.length > 0) list.scrollTop = list.scrollHeight - list.clientHeight - store.drafts.scroll(id);
  }, [id]);

  useLayoutEffect(() => {
    // Sending a message scrolls to the end.
    if (last && last.turn !== begun.current && last.end === null) atEnd.current = true;
    begun.current = last?.turn;
    pin();
  }, [conversation]);

  useLayoutEffect(pin, [range.from, range.to]);

  // Every drawing ends with something in sight.
  useLayoutEffect(follow, [conversation, range.from, range.to]);

  useLayoutEffect(() => {
    if (target?.conversation !== id) return;
    if (conversation.earlier > 0 && !turns.some((turn) => turn.turn === target.turn)) return; // once it is fetched
    atEnd.current = false;
    const at = turns.findIndex((turn) => turn.turn === target.turn);
    if (at >= 0 && (at < range.from || at >= range.to)) {
      const start = heights.offset(turns, at);
      return draw(heights.around(turns, start, box.current?.clientHeight || USUAL)); // and again once it is drawn
    }
    store.navigation.targetTurn.value = null;
    if (at < 0) return; // it was replaced meanwhile
    setSought(target.turn);
    const slot = box.current?.querySelector<HTMLElement>(`[data-slot="${CSS.escape(target.turn)}"]`);
    slot?.scrollIntoView?.({ block: "start" });
  }, [target, range.from, range.to, conversation.earlier]);

  useEffect(() => {
    if (!sought) return;
    const timer = setTimeout(() => setSought(""), 4000);
    return () => clearTimeout(timer);
  }, [sought]);

  function scrolled(): void {
    const list = box.current;
    if (!list) return;
    const fromEnd = Math.max(0, list.scrollHeight - list.clientHeight - list.scrollTop);
    // Only scrolling up leaves the end, not content that grew below.
    if (fromEnd < NEAR && range.to === turns.length) atEnd.current = true;
    else if (list.scrollTop < top.current) atEnd.current = false;
    else pin();
    top.current = list.scrollTop;
    setAway(fromEnd > 400);
    store.drafts.setScroll(id, Math.round(fromEnd));
    follow();
  }

  function toEnd(): void {
    atEnd.current = true;
    draw(atBottom(heights, turns, 0));
    pin();
  }

  const above = heights.offset(turns, range.from);
  const below = heights.offset(turns, turns.length) - heights.offset(turns, range.to);
  return { box, content, watch, range, above, below, away, sought, scrolled, toEnd };
}

function atBottom(heights: Heights, turns: Turn[], fromEnd: number): Range {
  return heights.around(turns, heights.offset(turns, turns.length) - USUAL - fromEnd, USUAL);
}

/** Return the number of turns before the former first turn; 0 if it is gone. */
function addedBefore(turns: Turn[], first: string | undefined): number {
  return Math.max(
    0,
    turns.findIndex((turn) => turn.turn === first),
  );
}

/** Fit the range to a conversation that may have grown or lost turns. */
function fitted({ from, to }: Range, turns: number, atEnd: boolean): Range {
  const end = atEnd ? turns : Math.min(to, turns);
  return { from: Math.min(from, Math.max(0, end - 1)), to: end };
}

/** Announce complete replies to screen readers, not every word. */
function Announcer({ turn }: { turn: Turn | undefined }) {
  const seen = useRef<string | undefined>(turn?.end === null ? undefined : turn?.turn);
  if (!turn || turn.turn === seen.current) return null;
  if (turn.end === null) return <>{turn.proposal ? t("ui.turn.asks") : t("ui.turn.thinking")}</>;
  const mark = turn.claim && t(`ui.claim.${turn.claim.kind}`);
  return (
    <>
      {[...turn.rounds.map((round) => plain(beginning(round.text), spokenFormula)), ...(mark ? [mark] : [])].join(
        "\n",
      )}
    </>
  );
}

function Dividers({ conversation, after }: { conversation: Conversation; after: string | null }) {
  const here = conversation.dividers.filter((divider) => divider.after_turn === after);
  const memory = here.findLast((divider) => divider.kind.startsWith("memory_"));
  const dropped = here.findLast((divider) => divider.kind === "earlier_dropped");
  const compacted = here.findLast((divider) => divider.kind === "compacted");
  return (
    <>
      {compacted && <DividerLine divider={compacted} conversation={conversation} dropped />}
      {memory && <DividerLine divider={memory} conversation={conversation} dropped={dropped !== undefined} />}
      {dropped && <DividerLine divider={dropped} conversation={conversation} dropped />}
    </>
  );
}

const WORDS = {
  memory_on: "ui.divider.on",
  memory_read: "ui.divider.read",
  memory_off: "ui.divider.off",
  memory_unreadable: "ui.divider.unreadable",
  earlier_dropped: "ui.divider.dropped",
  compacted: "ui.divider.compacted",
} as const;
const SIGNS = {
  memory_on: "brain",
  memory_read: "brain",
  memory_off: "brain",
  memory_unreadable: "brain",
  earlier_dropped: "forward",
  compacted: "shrink",
} as const;

interface DividerProps {
  divider: Divider;
  conversation: Conversation;
  dropped: boolean;
}

function DividerLine({ divider, conversation, dropped }: DividerProps) {
  const store = useStore();
  const { info, turns } = conversation;
  const latest = divider.after_turn === (turns.at(-1)?.turn ?? null);
  const offer =
    divider.kind === "memory_off" && !info.memory && !info.read_only && !dropped && turns.length > 0 && latest;
  return (
    <div class={`divider ${divider.kind}`}>
      <p>
        <Icon
          name={SIGNS[divider.kind]}
          slashed={divider.kind === "memory_off" || divider.kind === "memory_unreadable"}
        />
        {t(WORDS[divider.kind])}
        {divider.at && <span class="when">{dayAndTime(divider.at)}</span>}
      </p>
      {divider.kind === "memory_unreadable" && <p class="quiet-text">{t("ui.divider.unreadable_note")}</p>}
      {divider.kind === "compacted" && <p class="quiet-text">{t("ui.divider.compacted_note")}</p>}
      {offer && (
        <>
          <p class="quiet-text">{t("ui.divider.off_note")}</p>
          <button
            type="button"
            class="chip"
            disabled={info.running}
            onClick={() => void store.notices.attempt(() => store.commands.dropEarlier({ conversation: info.id }))}
          >
            {t("ui.divider.drop")}
          </button>
        </>
      )}
    </div>
  );
}

/** A running summary, which can be stopped; the conversation stays as it is. */
function Compacting({ conversation }: { conversation: string }) {
  const store = useStore();
  return (
    <div class="compacting" role="status">
      <Icon name="shrink" />
      <span>{t("ui.compact.running")}</span>
      <button
        type="button"
        class="link"
        onClick={() => void store.notices.attempt(() => store.commands.stopTurn({ conversation }))}
      >
        {t("ui.compact.stop")}
      </button>
    </div>
  );
}

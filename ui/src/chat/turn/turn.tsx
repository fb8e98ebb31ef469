/** One message and its reply: text, the waiting line, activity, error and actions. */

import type { ComponentProps } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { memo } from "../../components/boundary";
import { CopyButton, fitText, IconButton } from "../../components/controls";
import { Icon } from "../../components/icons";
import { composing, isKey } from "../../input/keys";
import { beginning, MOST_DRAWN } from "../../markdown/blocks";
import { Markdown } from "../../markdown/markdown";
import { isLocal } from "../../settings/model/model";
import type { RetryWait, Turn } from "../../state/chat/conversation";
import { COMPUTER } from "../../state/connections";
import { useRewrite, useStore } from "../../state/context";
import type { Store } from "../../state/store";
import { dayAndTime, errorText, number, t } from "../../texts";
import { Attachments } from "../attachments";
import { ClaimMark, ToolActivity, UsedChips } from "./activity";
import { Ending } from "./ending";
import { ProposalCard } from "./proposal";
import { Receipts } from "./receipts";

/** Milliseconds after which the line says more. */
const STEPS = [10_000, 60_000];

interface ThinkingProps {
  conversation: string;
  turn: Turn;
  /** after the first words, dots alone */
  quiet: boolean;
}

function Thinking({ conversation, turn, quiet }: ThinkingProps) {
  const thought = turn.thinking > 0 ? t("ui.turn.thought", { count: number(turn.thinking) }) : t("ui.turn.thinking");
  return (
    <div class={quiet ? "thinking small" : "thinking"}>
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span class={quiet ? "sr" : ""}>{thought}</span>
      {!quiet && turn.thinking === 0 && <Waiting key={turn.tools.length} conversation={conversation} turn={turn} />}
    </div>
  );
}

function Waiting({ conversation, turn }: Omit<ThinkingProps, "quiet">) {
  const store = useStore();
  // Steps done on the way restart the wait.
  const since = useMemo(() => (turn.tools.length === 0 ? Date.parse(turn.at) : Date.now()), []);
  const step = useStep(since);
  if (store.app.value?.demo) return null;
  const host = hostOf(store, conversation);
  const here = store.models?.starting() ? t("ui.turn.loading") : t("ui.turn.reading");
  const on = host === null ? t("ui.turn.slow") : t("ui.turn.unanswered_long");
  // Present while empty: screen readers announce only later changes.
  return (
    <span class="waiting-for" role="status">
      {step > 0 && <span>{host === null ? here : t("ui.turn.unanswered", { host })}</span>}
      {step > 1 && <span>{on}</span>}
    </span>
  );
}

/** Return the host that makes the reply; null: this computer. */
function hostOf(store: Store, conversation: string): string | null {
  const chosen = store.conversations.of(conversation).value?.info.chosen;
  const app = store.app.value;
  if (chosen) return chosen.connection === COMPUTER || isLocal(chosen.origin) ? null : chosen.name;
  return !app || app.local_model || !app.key_needed ? null : app.host;
}

/** Return the number of steps passed: one timer each, none while the page is hidden. */
function useStep(since: number): number {
  const [step, setStep] = useState(0);
  useEffect(() => {
    let timer = 0;
    function update(): void {
      clearTimeout(timer);
      if (document.hidden) return;
      const waited = Date.now() - since;
      const next = STEPS.find((each) => each > waited);
      setStep(STEPS.filter((each) => each <= waited).length);
      if (next !== undefined) timer = window.setTimeout(update, next - waited);
    }
    update();
    document.addEventListener("visibilitychange", update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", update);
    };
  }, [since]);
  return step;
}

interface Props {
  conversation: string;
  turn: Turn;
  last: boolean;
  /** memory stays off here */
  temporary: boolean;
}

export const TurnItem = memo(({ conversation, turn, last, temporary }: Props) => (
  <article
    class={last ? "turn last" : "turn"}
    data-turn={turn.turn}
    aria-label={t("ui.turn.label", { time: dayAndTime(turn.at) })}
  >
    {turn.kind !== "continue" && <OwnerMessage conversation={conversation} turn={turn} last={last} />}
    <Reply conversation={conversation} turn={turn} last={last} temporary={temporary} />
  </article>
));

/** The plain text of a turn that failed to draw. */
export function PlainTurn({ turn }: { turn: Turn }) {
  const reply = turn.rounds
    .map((each) => each.text)
    .join("\n\n")
    .trim();
  return (
    <article class="turn" data-turn={turn.turn} aria-label={t("ui.turn.label", { time: dayAndTime(turn.at) })}>
      {turn.kind !== "continue" && turn.text && (
        <div class="owner">
          <div class="said">
            <div class="bubble">{turn.text}</div>
          </div>
        </div>
      )}
      {reply && (
        <div class="pet-reply">
          <div class="bubble">
            <div class="md">
              <p class="as-written" dir="auto">
                {beginning(reply)}
              </p>
            </div>
          </div>
        </div>
      )}
    </article>
  );
}

/** Pixels of a message that is edited; a longer one scrolls. */
const TALLEST = 320;

function OwnerMessage({ conversation, turn, last }: Omit<Props, "temporary">) {
  const store = useStore();
  const [text, setText] = useRewrite(`${conversation} ${turn.turn}`); // a branch has the same turns
  const pressed = useRef(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const idle = turn.end !== null;
  useLayoutEffect(() => {
    if (field.current) fitText(field.current, TALLEST);
  }, [text]);

  async function resend(): Promise<void> {
    if (!text?.trim()) return;
    setText(null);
    const sent = await store.notices.attempt(() => store.commands.resend({ conversation, turn: turn.turn, text }));
    if (!sent) setText(text);
  }

  /** A rewrite that is resumed does not take the focus. */
  function focusPressed(area: HTMLTextAreaElement | null): void {
    field.current = area;
    if (!area || !pressed.current) return;
    pressed.current = false;
    area.focus();
  }

  if (text !== null) {
    return (
      <form
        class="owner editing"
        onSubmit={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          // Only here: elsewhere Escape has another meaning for a resumed rewrite.
          if (!isKey("back", event)) return;
          event.preventDefault();
          setText(null);
        }}
      >
        <textarea
          dir="auto"
          aria-label={t("ui.turn.edit_label")}
          value={text}
          rows={Math.min(12, text.split("\n").length + 1)}
          ref={focusPressed}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (composing(event)) return;
            if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              void resend();
            }
          }}
        />
        {!last && <p class="quiet-text">{t("ui.turn.edit_note")}</p>}
        <div class="row end">
          <button type="button" onClick={() => setText(null)}>
            {t("ui.cancel")}
          </button>
          <button type="button" class="primary" disabled={!text.trim()} onClick={() => void resend()}>
            {t("ui.turn.resend")}
          </button>
        </div>
      </form>
    );
  }
  return (
    <div class="owner">
      <div class="said">
        <Attachments attachments={turn.attachments} />
        {turn.text && <div class={isGesture(turn.text) ? "bubble gesture" : "bubble"}>{turn.text}</div>}
      </div>
      <div class="actions">
        {turn.text && <CopyButton text={turn.text} label={t("ui.turn.copy")} />}
        {idle && (
          <IconButton
            icon="pencil"
            label={t("ui.turn.edit")}
            onClick={() => {
              pressed.current = true;
              setText(turn.text);
            }}
          />
        )}
      </div>
    </div>
  );
}

const GESTURE = /^(?:\p{Extended_Pictographic}|\p{Emoji_Component}|\s)+$/u;

/** Up to four emoji and nothing else. Digits, "#" and "*" can be parts of emoji, but are none. */
function isGesture(text: string): boolean {
  if (text.length > 60 || /[\d#*]/.test(text) || !GESTURE.test(text)) return false;
  const signs = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text.trim())];
  return signs.length > 0 && signs.length <= 4;
}

function Reply({ conversation, turn, last, temporary }: Props) {
  const store = useStore();
  const rounds = [...new Set([...turn.rounds.map((each) => each.round), ...turn.tools.map((each) => each.round)])];
  const reply = turn.rounds
    .map((each) => each.text)
    .join("\n\n")
    .trim();
  const running = turn.end === null;
  const [asksSent, setAsksSent] = useState(false);
  const openLink = (url: string) => void store.notices.attempt(() => store.commands.openLink({ url }));
  const pictures = useMemo(() => store.pictures.of(conversation, turn.turn), [conversation, turn.turn]);
  const busy = running && !turn.proposal && !turn.wait && !turn.tools.some((tool) => tool.running);
  return (
    // The reason for waiting is shown before the first word only.
    <div class="pet-reply" aria-busy={running && reply !== ""}>
      {rounds
        .sort((a, b) => (a || Number.MAX_VALUE) - (b || Number.MAX_VALUE)) // 0: done beside them
        .map((round) => {
          const text = turn.rounds.find((each) => each.round === round)?.text ?? "";
          // A step with a receipt is shown once.
          const tools = turn.tools.filter((tool) => tool.round === round);
          return (
            <div class="round" key={round}>
              {text.trim() && <ReplyText text={text} onLink={openLink} pictures={pictures} />}
              {tools.some((tool) => !tool.receipt) && (
                <ToolActivity conversation={conversation} turn={turn.turn} tools={tools} />
              )}
            </div>
          );
        })}
      <Receipts conversation={conversation} turn={turn} />
      {busy && <Thinking conversation={conversation} turn={turn} quiet={reply !== ""} />}
      {turn.wait && <RetryLine key={turn.wait.attempt} wait={turn.wait} conversation={conversation} />}
      {turn.proposal && <ProposalCard key={turn.proposal.id} conversation={conversation} proposal={turn.proposal} />}
      <UsedChips used={turn.used} sent={asksSent ? turn.sent : []} />
      <ClaimMark conversation={conversation} turn={turn} temporary={temporary} />
      <Ending
        conversation={conversation}
        turn={turn}
        last={last}
        reply={reply}
        onSent={turn.sent.length > 0 && !asksSent ? () => setAsksSent(true) : null}
      />
    </div>
  );
}

/** The beginning of a very long text, so that Stop and typing never wait for the whole. */
function ReplyText(props: ComponentProps<typeof Markdown>) {
  const { text } = props;
  const [most, setMost] = useState(MOST_DRAWN);
  const drawn = beginning(text, most);
  const left = text.length - drawn.length;
  return (
    <>
      <div class={isGesture(text) ? "bubble gesture" : "bubble"}>
        <Markdown {...props} text={drawn} />
      </div>
      {left > 0 && (
        <button type="button" class="chip" onClick={() => setMost(most + MOST_DRAWN)}>
          {t("ui.turn.rest", { count: number(left) })}
        </button>
      )}
    </>
  );
}

/** Counts down while it is shown. */
function RetryLine({ wait, conversation }: { wait: RetryWait; conversation: string }) {
  const store = useStore();
  const [left, setLeft] = useState(Math.ceil(wait.seconds));
  useEffect(() => {
    setLeft(Math.ceil(wait.seconds));
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1000);
    return () => clearInterval(timer);
  }, [wait]);
  return (
    <div class="fault waiting" role="status">
      <Icon name="clock" />
      <div>
        <p>{errorText(wait.error)}</p>
        <p aria-hidden="true">{t("ui.turn.retry_in", { count: left })}</p>
      </div>
      <div class="row">
        <button
          type="button"
          onClick={() => void store.notices.attempt(() => store.commands.stopTurn({ conversation }))}
        >
          {t("ui.turn.stop_waiting")}
        </button>
      </div>
    </div>
  );
}

/** One message and its reply: text, thinking, what was done, what went wrong and what can be done about it. */
import type { ComponentProps } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { SpentView } from "../../bindings";
import { useBack } from "../../components/back";
import { CopyButton } from "../../components/copy";
import { Icon } from "../../components/icons";
import { memo } from "../../components/memo";
import { Menu } from "../../components/overlays/menu";
import { beginning, MOST_DRAWN } from "../../markdown/limits";
import { Markdown } from "../../markdown/markdown";
import type { RetryWait, Turn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import { curedInSettings, dayAndTime, errorText, type Key, number, t } from "../../texts";
import { composing } from "../composer/ime";
import { QuickRow } from "../composer/quick_reply_bar";
import { Attachments } from "./attachments";
import { ClaimMark } from "./claim";
import { removeTurn } from "./deleted_turn";
import { isFree, money } from "./money";
import { ProposalCard } from "./proposal";
import { UsedChips } from "./recalled_chips";
import { Receipts } from "./receipt";
import { ToolActivity } from "./tools";
import { Variants } from "./variants";

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

/** The words of a turn and nothing else, for one that can't be drawn. */
export function PlainTurn({ turn }: { turn: Turn }) {
  const said = turn.rounds
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
      {said && (
        <div class="pet-reply">
          <div class="bubble">
            <div class="md">
              <p class="as-written" dir="auto">
                {beginning(said)}
              </p>
            </div>
          </div>
        </div>
      )}
    </article>
  );
}

function OwnerMessage({ conversation, turn, last }: Omit<Props, "temporary">) {
  const store = useStore();
  const [text, setText] = useState<string | null>(null);
  const idle = turn.end !== null;
  useBack(text === null ? null : () => setText(null));

  function resend(): void {
    if (!text?.trim()) return;
    void store.attempt(() => store.commands.resend({ conversation, turn: turn.turn, text }));
    setText(null);
  }

  if (text !== null) {
    return (
      <form class="owner editing" onSubmit={(event) => event.preventDefault()}>
        <textarea
          dir="auto"
          aria-label={t("ui.turn.edit_label")}
          value={text}
          rows={Math.min(12, text.split("\n").length + 1)}
          ref={(area) => area?.focus()}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (composing(event)) return;
            if (event.key === "Enter" && !event.shiftKey) {
              event.preventDefault();
              resend();
            }
          }}
        />
        {!last && <p class="quiet-text">{t("ui.turn.edit_note")}</p>}
        <div class="row end">
          <button type="button" onClick={() => setText(null)}>
            {t("ui.cancel")}
          </button>
          <button type="button" class="primary" disabled={!text.trim()} onClick={resend}>
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
          <button
            type="button"
            class="quiet"
            aria-label={t("ui.turn.edit")}
            data-tip=""
            onClick={() => setText(turn.text)}
          >
            <Icon name="pencil" />
          </button>
        )}
      </div>
    </div>
  );
}

const GESTURE = /^(?:\p{Extended_Pictographic}|\p{Emoji_Component}|\s)+$/u;

/** Up to four emoji and nothing else. Digits, "#" and "*" can be parts of emoji, and are none. */
function isGesture(text: string): boolean {
  if (text.length > 60 || /[\d#*]/.test(text) || !GESTURE.test(text)) return false;
  const signs = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text.trim())];
  return signs.length > 0 && signs.length <= 4;
}

function Reply({ conversation, turn, last, temporary }: Props) {
  const store = useStore();
  const rounds = [...new Set([...turn.rounds.map((each) => each.round), ...turn.tools.map((each) => each.round)])];
  const said = turn.rounds
    .map((each) => each.text)
    .join("\n\n")
    .trim();
  const running = turn.end === null;
  const openLink = (url: string) => void store.attempt(() => store.commands.openLink({ url }));
  const pictures = useMemo(() => store.pictures.of(conversation, turn.turn), [conversation, turn.turn]);
  const busy = running && !turn.proposal && !turn.wait && !turn.tools.some((tool) => tool.running);
  return (
    <div class="pet-reply" aria-busy={running}>
      {rounds
        .sort((a, b) => (a || Number.MAX_VALUE) - (b || Number.MAX_VALUE)) // 0 is what was done beside them
        .map((round) => {
          const text = turn.rounds.find((each) => each.round === round)?.text ?? "";
          // A step whose receipt stands here is not told twice.
          const tools = turn.tools.filter((tool) => tool.round === round);
          return (
            <div class="round" key={round}>
              {text.trim() && <Said text={text} onLink={openLink} pictures={pictures} />}
              {tools.some((tool) => !tool.receipt) && <ToolActivity tools={tools} />}
            </div>
          );
        })}
      <Receipts conversation={conversation} turn={turn} />
      {busy && <Thinking turn={turn} quiet={said !== ""} />}
      {turn.wait && <RetryLine key={turn.wait.attempt} wait={turn.wait} conversation={conversation} />}
      {turn.proposal && <ProposalCard key={turn.proposal.id} conversation={conversation} proposal={turn.proposal} />}
      {turn.used.length > 0 && <UsedChips used={turn.used} />}
      <ClaimMark conversation={conversation} turn={turn} temporary={temporary} />
      <Ending conversation={conversation} turn={turn} last={last} said={said} />
      {last && !running && <QuickRow key={turn.turn} conversation={conversation} turn={turn} />}
    </div>
  );
}

/** Of a very long text the beginning, so that Stop and typing never wait for the drawing of all of it. */
function Said(props: ComponentProps<typeof Markdown>) {
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

function Thinking({ turn, quiet }: { turn: Turn; quiet: boolean }) {
  const thought = turn.thinking > 0 ? t("ui.turn.thought", { count: number(turn.thinking) }) : t("ui.turn.thinking");
  return (
    <div class={quiet ? "thinking small" : "thinking"}>
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span class={quiet ? "sr" : ""}>{thought}</span>
    </div>
  );
}

/** The only timer of the chat, and only while this line stands. */
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
      <button type="button" onClick={() => void store.attempt(() => store.commands.stopTurn({ conversation }))}>
        {t("ui.turn.stop_waiting")}
      </button>
    </div>
  );
}

const ENDINGS: Partial<Record<NonNullable<Turn["end"]>, Key>> = {
  stopped: "ui.end.stopped",
  memory_off: "ui.end.memory_off",
  max_rounds: "ui.end.max_rounds",
  max_tokens: "ui.end.max_tokens",
  refused: "ui.end.refused",
  cut: "ui.end.cut",
};
const CONTINUED: ReadonlySet<string> = new Set([
  "stopped",
  "memory_off",
  "max_rounds",
  "max_tokens",
  "cut",
  "failed",
]);

interface Cure {
  label: Key;
  act: () => void;
}

function Ending({ conversation, turn, last, said }: Omit<Props, "temporary"> & { said: string }) {
  const store = useStore();
  if (turn.end === null) return null;
  const again = () => void store.attempt(() => store.commands.resend({ conversation, turn: turn.turn }));
  const goOn = () => void store.attempt(() => store.commands.continueTurn({ conversation, turn: turn.turn }));
  const tooLong = turn.error?.code === "fault_window_exceeded";
  const without = () =>
    void store.attempt(async () => {
      await store.commands.dropEarlier({ conversation });
      return store.commands.resend({ conversation, turn: turn.turn });
    });
  const spent = turn.error?.code === "fault_daily_limit";
  const spendOn = () =>
    void store.attempt(async () => {
      await store.commands.allowToday();
      return store.commands.resend({ conversation, turn: turn.turn });
    });
  const blind = turn.error?.code === "fault_no_pictures" && turn.text.trim() !== "";
  const unseen = () =>
    void store.attempt(() =>
      store.commands.resend({ conversation, turn: turn.turn, text: turn.text, attachments: [] }),
    );
  function chooseModel(): void {
    store.connections.choosing.value = true;
  }
  function showUsage(): void {
    store.counting.value = true;
  }
  const retry: Cure = { label: "ui.turn.retry", act: again };
  // What cures it comes first; to try the same again helps only where nothing else does.
  const cures: Cure[] = [
    ...(turn.error?.code === "fault_connection_gone" ? [{ label: "choice.menu", act: chooseModel } as const] : []),
    ...(turn.error && curedInSettings(turn.error)
      ? [{ label: "ui.turn.open_settings", act: () => store.openSettings("thinking") } as const]
      : []),
    ...(last && spent ? [{ label: "ui.usage.go_on", act: spendOn } as const] : []),
    ...(last && blind ? [{ label: "ui.attach.without", act: unseen } as const] : []),
    ...(last && tooLong ? [{ label: "ui.divider.drop", act: without } as const] : []),
    ...(last && !spent ? [retry] : []),
  ];
  const others = [...cures.slice(1), ...(spent ? [{ label: "ui.usage.title", act: showUsage } as const] : [])];
  const note = ENDINGS[turn.end];
  // Stopped before anything came, while it waited to ask again for one: there is no reply of which to want another.
  const unsaid = turn.end === "stopped" && said === "" && turn.tools.length === 0;
  const canContinue = last && said !== "" && CONTINUED.has(turn.end);
  return (
    <>
      {turn.end === "failed" && turn.error && (
        <div class="fault" role="alert">
          <Icon name="warning" />
          <p>{errorText(turn.error)}</p>
          <div class="row">
            {cures[0] && (
              <button type="button" class="primary" onClick={cures[0].act}>
                {t(cures[0].label)}
              </button>
            )}
            {others.map(({ label, act }) => (
              <button type="button" key={label} onClick={act}>
                {t(label)}
              </button>
            ))}
          </div>
        </div>
      )}
      {note && <p class="end-note">{t(note)}</p>}
      {turn.end !== "failed" && said === "" && !note && turn.tools.length === 0 && (
        <p class="end-note">{t("ui.end.silent")}</p>
      )}
      <div class="actions">
        <Took conversation={conversation} turn={turn} />
        {said && <CopyButton text={said} label={t("ui.turn.copy_reply")} />}
        {last && unsaid && (
          <button type="button" class="chip" onClick={again}>
            <Icon name="again" />
            {t("ui.turn.retry")}
          </button>
        )}
        {last && turn.end !== "failed" && !unsaid && (
          <button type="button" class="quiet" aria-label={t("ui.turn.again")} data-tip="" onClick={again}>
            <Icon name="again" />
          </button>
        )}
        <Variants conversation={conversation} turn={turn} />
        <Menu
          label={t("ui.turn.more")}
          items={[
            {
              label: t("ui.turn.branch"),
              icon: "branch",
              onChoose: () => void store.branch(conversation, turn.turn),
            },
            {
              label: t("ui.turn.delete"),
              icon: "trash",
              onChoose: () => void removeTurn(store, conversation, turn.turn),
            },
          ]}
        >
          <Icon name="more" />
        </Menu>
        {canContinue && (
          <button type="button" class="chip" onClick={goOn}>
            <Icon name="forward" />
            {t("ui.turn.continue")}
          </button>
        )}
      </div>
    </>
  );
}

/** When it was; on request also what it took, in tokens and by the owner's prices. */
function Took({ conversation, turn }: { conversation: string; turn: Turn }) {
  const [open, setOpen] = useState(false);
  const time = dayAndTime(turn.at);
  if (turn.usage.input_tokens === null && turn.usage.output_tokens === null) return <span class="when">{time}</span>;
  return (
    <>
      <button
        type="button"
        class="quiet when"
        aria-expanded={open}
        data-tip={open ? undefined : t("ui.turn.cost")}
        onClick={() => setOpen(!open)}
      >
        {time}
      </button>
      {open && <Spent conversation={conversation} turn={turn} />}
    </>
  );
}

function Spent({ conversation, turn }: { conversation: string; turn: Turn }) {
  const store = useStore();
  const [spent, setSpent] = useState<SpentView | null>(null);
  const priced = store.settingsChange.value;
  useEffect(() => {
    let here = true;
    void store
      .attempt(() => store.commands.getSpent({ conversation, turn: turn.turn }))
      .then((view) => here && setSpent(view));
    return () => {
      here = false;
    };
  }, [turn.usage, priced]);
  const { input_tokens: input, output_tokens: output, cache_read_tokens: cached } = turn.usage;
  // What came from the cache and what was put there are counted beside the rest.
  const whole = (input ?? 0) + (cached ?? 0) + (turn.usage.cache_write_tokens ?? 0);
  const told = [t("ui.turn.tokens", { input: number(whole), output: number(output ?? 0) })];
  if (cached) told.push(t("ui.turn.cached", { count: number(cached) }));
  if (spent && spent.uncounted > 0) told.push(t("ui.turn.uncounted"));
  const free = spent !== null && isFree(spent);
  if (free) told.push(t("ui.usage.local"));
  else if (spent)
    told.push(spent.cost === null ? t("ui.turn.no_price") : t("ui.turn.spent", { cost: money(spent.cost) }));
  return (
    <span class="spent-line when" role="status">
      {told.join(" · ")}
      {spent?.cost === null && !free && (
        <button type="button" class="link" onClick={() => (store.counting.value = true)}>
          {t("ui.turn.set_price")}
        </button>
      )}
    </span>
  );
}

/** The foot of a reply: its error and the cure, its actions, its variants, and Undo in place of deleted messages. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ErrorInfo } from "../../bindings";
import { CopyButton, IconButton } from "../../components/controls";
import { Icon } from "../../components/icons";
import { Menu } from "../../components/menu";
import { isKeyFault } from "../../settings/model/model";
import type { Conversation, Gone, Turn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import type { Store } from "../../state/store";
import { curedInSettings, errorText, type Key, number, t } from "../../texts";
import { KeyPrompt, keyFaultText } from "../missing_key";
import { ReplyUsage } from "./usage";

/** Whether the settings must name another model: the one of this computer can't run, or nothing here runs one. */
function needsAnotherModel({ models }: Store, error: ErrorInfo): boolean {
  return error.code === "local_model_no_runtime" || models?.unusable(error) === true;
}

/** The turn being deleted: the focus moves from its button to Undo. */
let leaving: string | null = null;

async function removeTurn(store: Store, conversation: string, turn: string): Promise<void> {
  leaving = turn;
  const done = await store.notices.attempt(() => store.commands.removeTurn({ conversation, turn }));
  if (done === null) leaving = null;
}

export function GoneLines({ conversation, after }: { conversation: Conversation; after: string | null }) {
  return (
    <>
      {conversation.gone
        .filter((gone) => gone.after === after)
        .map((gone) => (
          <GoneLine key={gone.turns[0]} conversation={conversation.info.id} gone={gone} />
        ))}
    </>
  );
}

function GoneLine({ conversation, gone }: { conversation: string; gone: Gone }) {
  const store = useStore();
  const undo = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (leaving !== null && gone.turns.includes(leaving)) {
      leaving = null;
      undo.current?.focus({ preventScroll: true });
    }
  }, []);

  async function putBack(): Promise<void> {
    const done = await store.notices.attempt(() => store.commands.restoreTurns({ conversation, turns: gone.turns }));
    if (done !== null) store.navigation.focusComposer();
  }

  return (
    <div class="gone-line">
      <Icon name="trash" />
      <span role="status">{t(gone.noted ? "ui.turn.deleted_noted" : "ui.turn.deleted")}</span>
      <button type="button" class="link" ref={undo} onClick={() => void putBack()}>
        {t("ui.turn.undelete")}
      </button>
    </div>
  );
}

/** The requested variant, and the button used: it keeps the focus. */
let requested: { turn: string; by: 1 | -1 } | null = null;

function Variants({ conversation, turn }: { conversation: string; turn: Turn }) {
  const store = useStore();
  const frame = useRef<HTMLFieldSetElement>(null);
  const at = turn.variants.indexOf(turn.turn);
  const count = turn.variants.length;

  useLayoutEffect(() => {
    if (requested?.turn !== turn.turn) return;
    const [back, on] = frame.current?.querySelectorAll("button") ?? [];
    const same = requested.by < 0 ? back : on;
    requested = null;
    (same?.disabled ? (same === on ? back : on) : same)?.focus({ preventScroll: true });
  }, []);

  async function go(by: 1 | -1): Promise<void> {
    const wanted = turn.variants[at + by];
    if (wanted === undefined) return;
    requested = { turn: wanted, by };
    const done = await store.notices.attempt(() => store.commands.chooseVariant({ conversation, turn: wanted }));
    if (done === null) requested = null;
  }

  if (count < 2) return null;
  return (
    <fieldset class="variants" ref={frame} aria-label={t("ui.turn.variants")}>
      <IconButton icon="back" disabled={at <= 0} label={t("ui.turn.variant_before")} onClick={() => void go(-1)} />
      <span role="status">{t("ui.turn.variant_at", { at: number(at + 1), count: number(count) })}</span>
      <IconButton
        icon="chevron"
        disabled={at >= count - 1}
        label={t("ui.turn.variant_next")}
        onClick={() => void go(1)}
      />
    </fieldset>
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

interface Props {
  conversation: string;
  turn: Turn;
  last: boolean;
  /** the reply's whole text */
  reply: string;
  /** shows what else of the memory went along; null: nothing, or it is shown */
  onSent: (() => void) | null;
}

export function Ending({ conversation, turn, last, reply, onSent }: Props) {
  const store = useStore();
  if (turn.end === null) return null;
  const again = () => void store.notices.attempt(() => store.commands.resend({ conversation, turn: turn.turn }));
  const goOn = () => void store.notices.attempt(() => store.commands.continueTurn({ conversation, turn: turn.turn }));
  const tooLong = turn.error?.code === "fault_window_exceeded";
  const without = () =>
    void store.notices.attempt(async () => {
      await store.commands.dropEarlier({ conversation });
      return store.commands.resend({ conversation, turn: turn.turn });
    });
  const spent = turn.error?.code === "fault_daily_limit";
  const spendOn = () =>
    void store.notices.attempt(async () => {
      await store.commands.allowToday();
      return store.commands.resend({ conversation, turn: turn.turn });
    });
  const blind = turn.error?.code === "fault_no_pictures" && turn.text.trim() !== "";
  const unseen = () =>
    void store.notices.attempt(() =>
      store.commands.resend({ conversation, turn: turn.turn, text: turn.text, attachments: [] }),
    );
  function chooseModel(): void {
    store.connections.choosing.value = true;
  }
  function showUsage(): void {
    store.navigation.usageOpen.value = true;
  }
  const asksForKey = last && isKeyFault(turn.error);
  const field = turn.error && !asksForKey ? curedInSettings(turn.error) : undefined;
  const chosen = store.conversations.of(conversation).value?.info.chosen?.connection ?? "";
  function openSettings(): void {
    if (field) store.connections.requestedField.value = { connection: chosen, field };
    store.navigation.openSettings("model");
  }
  const retry: Cure = { label: "ui.turn.retry", act: again };
  // The cure comes first; Retry only where nothing else helps.
  const cures: Cure[] = [
    ...(turn.error?.code === "fault_connection_gone" ? [{ label: "choice.menu", act: chooseModel } as const] : []),
    ...(field || (turn.error && needsAnotherModel(store, turn.error))
      ? [{ label: "ui.turn.open_settings", act: openSettings } as const]
      : []),
    ...(last && spent ? [{ label: "ui.usage.go_on", act: spendOn } as const] : []),
    ...(last && blind ? [{ label: "ui.attach.without", act: unseen } as const] : []),
    ...(last && tooLong ? [{ label: "ui.divider.drop", act: without } as const] : []),
    ...(last && !spent ? [retry] : []),
  ];
  const first = asksForKey ? undefined : cures[0];
  const others = [
    ...cures.slice(first ? 1 : 0),
    ...(spent ? [{ label: "ui.usage.title", act: showUsage } as const] : []),
  ];
  const note = ENDINGS[turn.end];
  // Stopped before the first word while waiting to retry: there is no reply to vary.
  const unsaid = turn.end === "stopped" && reply === "" && turn.tools.length === 0;
  const canContinue = last && reply !== "" && CONTINUED.has(turn.end);
  return (
    <>
      {turn.end === "failed" && turn.error && (
        <div class="fault" role="alert">
          <Icon name="warning" />
          <p>{asksForKey ? keyFaultText(turn.error) : errorText(turn.error)}</p>
          <div class="row">
            {asksForKey && <KeyPrompt connection={chosen} onSaved={again} />}
            {first && (
              <button type="button" class="primary" onClick={first.act}>
                {t(first.label)}
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
      {turn.end !== "failed" && reply === "" && !note && turn.tools.length === 0 && (
        <p class="end-note">{t("ui.end.silent")}</p>
      )}
      <div class="actions">
        <ReplyUsage conversation={conversation} turn={turn} />
        {reply && <CopyButton text={reply} label={t("ui.turn.copy_reply")} />}
        {last && unsaid && (
          <button type="button" class="chip" onClick={again}>
            <Icon name="again" />
            {t("ui.turn.retry")}
          </button>
        )}
        {last && turn.end !== "failed" && !unsaid && (
          <IconButton icon="again" label={t("ui.turn.again")} onClick={again} />
        )}
        <Variants conversation={conversation} turn={turn} />
        <Menu
          label={t("ui.turn.more")}
          items={[
            ...(reply ? store.extras.flatMap((each) => each.replyItems?.(conversation, turn.turn) ?? []) : []),
            ...(onSent ? [{ label: t("ui.sent.show"), icon: "book" as const, onChoose: onSent }] : []),
            {
              label: t("ui.turn.branch"),
              icon: "branch",
              onChoose: () => void store.tabs.branch(conversation, turn.turn),
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

/** How a reply ended: what went wrong and what cures it, and what can be done with the reply. */
import { CopyButton } from "../../components/copy";
import { Icon } from "../../components/icons";
import { Menu } from "../../components/overlays/menu";
import type { Turn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import { curedInSettings, errorText, type Key, t } from "../../texts";
import { removeTurn } from "./deleted_turn";
import { Took } from "./took";
import { Variants } from "./variants";

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
  /** all that the reply says */
  said: string;
}

export function Ending({ conversation, turn, last, said }: Props) {
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
  const field = turn.error ? curedInSettings(turn.error) : undefined;
  function openSettings(): void {
    const chosen = store.conversation(conversation).value?.info.chosen?.connection ?? "";
    if (field) store.connections.asked.value = { connection: chosen, field };
    store.openSettings("thinking");
  }
  const retry: Cure = { label: "ui.turn.retry", act: again };
  // What cures it comes first; to try the same again helps only where nothing else does.
  const cures: Cure[] = [
    ...(turn.error?.code === "fault_connection_gone" ? [{ label: "choice.menu", act: chooseModel } as const] : []),
    ...(field ? [{ label: "ui.turn.open_settings", act: openSettings } as const] : []),
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

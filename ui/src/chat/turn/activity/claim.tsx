/**
 * The mark on a reply that says it remembered and did not, or could not, and the way to save it.
 * The core decides which reply gets it. In a temporary conversation nothing can be saved, and nothing is offered.
 */
import { useState } from "preact/hooks";
import { Icon } from "../../../components/icons";
import type { Turn } from "../../../state/chat/conversation";
import { useStore } from "../../../state/context";
import { t } from "../../../texts";

interface Props {
  conversation: string;
  turn: Turn;
  /** nothing of the conversation may be saved */
  temporary: boolean;
}

export function ClaimMark({ conversation, turn, temporary }: Props) {
  const store = useStore();
  const [busy, setBusy] = useState(false);
  const { claim } = turn;
  if (!claim || turn.end === null) return null;
  if (turn.noted) return <p class="end-note">{t("ui.claim.nothing")}</p>;
  // Saved now: the receipt says so.
  if (turn.tools.some((tool) => tool.tool === "remember" && tool.receipt)) return null;
  const off = claim.kind === "asked_off" || claim.kind === "asked_read";
  if (temporary || claim.kind === "temporary") return <p class="end-note">{t("ui.claim.temporary")}</p>;

  async function save(): Promise<void> {
    setBusy(true);
    const reply = await store.attempt(async () => {
      if (off && store.paused.value) await store.commands.pauseBrain({ paused: false });
      return store.commands.rememberTurn({ conversation, turn: turn.turn, switch_on: off });
    });
    setBusy(false);
    if (reply?.receipt === null) store.changeTurn(conversation, turn.turn, (now) => ({ ...now, noted: true }));
  }

  return (
    <div class="claim">
      <Icon name={off ? "brain" : "pin"} slashed={claim.kind === "asked_off"} />
      <p data-tip={claim.quote}>{t(`ui.claim.${claim.kind}`)}</p>
      <button type="button" class={off ? "primary" : ""} disabled={busy} onClick={() => void save()}>
        {t(off ? "ui.claim.turn_on" : "ui.claim.save")}
      </button>
    </div>
  );
}

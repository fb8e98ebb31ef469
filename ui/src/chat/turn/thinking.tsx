/** The line of a reply of which nothing came yet: after ten seconds what it waits for, after a minute that one may stop. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { isLocal } from "../../settings/model/model";
import type { Turn } from "../../state/chat/conversation";
import { COMPUTER } from "../../state/connections";
import { useStore } from "../../state/context";
import type { Store } from "../../state/store";
import { number, t } from "../../texts";

/** When the line says more, in milliseconds. */
const STEPS = [10_000, 60_000];

interface Props {
  conversation: string;
  turn: Turn;
  /** Something was said already: dots alone. */
  quiet: boolean;
}

export function Thinking({ conversation, turn, quiet }: Props) {
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

function Waiting({ conversation, turn }: Omit<Props, "quiet">) {
  const store = useStore();
  // What was done on the way was an answer: it waits anew.
  const since = useMemo(() => (turn.tools.length === 0 ? Date.parse(turn.at) : Date.now()), []);
  const step = useStep(since);
  if (store.app.value?.demo) return null;
  const host = hostOf(store, conversation);
  const here = store.minds.phase.value === "starting" ? t("ui.turn.loading") : t("ui.turn.reading");
  const on = host === null ? t("ui.turn.slow") : t("ui.turn.unanswered_long");
  // There before it says something: else a screen reader would not hear it.
  return (
    <span class="waiting-for" role="status">
      {step > 0 && <span>{host === null ? here : t("ui.turn.unanswered", { host })}</span>}
      {step > 1 && <span>{on}</span>}
    </span>
  );
}

/** Where the reply is made; null: on this computer. */
function hostOf(store: Store, conversation: string): string | null {
  const chosen = store.conversation(conversation).value?.info.chosen;
  const app = store.app.value;
  if (chosen) return chosen.connection === COMPUTER || isLocal(chosen.origin) ? null : chosen.name;
  return !app || app.mind || !app.key_needed ? null : app.host;
}

/** How many of the steps are over: one timer for each, and none while nobody can see it. */
function useStep(since: number): number {
  const [step, setStep] = useState(0);
  useEffect(() => {
    let timer = 0;
    function look(): void {
      clearTimeout(timer);
      if (document.hidden) return;
      const waited = Date.now() - since;
      const next = STEPS.find((each) => each > waited);
      setStep(STEPS.filter((each) => each <= waited).length);
      if (next !== undefined) timer = window.setTimeout(look, next - waited);
    }
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [since]);
  return step;
}

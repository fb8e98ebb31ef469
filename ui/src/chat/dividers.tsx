/** The lines between messages: the memory switch was flipped, what was said earlier is summarised or left out. */
import type { Divider } from "../bindings";
import { Icon } from "../components/icons";
import type { Conversation } from "../state/chat/conversation";
import { useStore } from "../state/context";
import { dayAndTime, t } from "../texts";

export function Dividers({ conversation, after }: { conversation: Conversation; after: string | null }) {
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
  earlier_dropped: "ui.divider.dropped",
  compacted: "ui.divider.compacted",
} as const;
const SIGNS = {
  memory_on: "brain",
  memory_read: "brain",
  memory_off: "brain",
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
export function Compacting({ conversation }: { conversation: string }) {
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

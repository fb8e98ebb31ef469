/** Where a message was deleted: a quiet line with Undo, as long as its tab is open. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../components/icons";
import type { Conversation, Gone } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import type { Store } from "../../state/store";
import { t } from "../../texts";

/** The turn that is being deleted: the focus goes from its button to Undo. */
let leaving: string | null = null;

export async function removeTurn(store: Store, conversation: string, turn: string): Promise<void> {
  leaving = turn;
  const done = await store.attempt(() => store.commands.removeTurn({ conversation, turn }));
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
    const done = await store.attempt(() => store.commands.restoreTurns({ conversation, turns: gone.turns }));
    if (done !== null) store.askFocus();
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

/** What was really written: file, how much, with View, Undo and Forget, and what was left out of it. */
import { useState } from "preact/hooks";
import type { Diff, Receipt, ReceiptStateView } from "../../bindings";
import { ForgetDialog } from "../../memory/forget";
import { dayName, dayOf } from "../../memory/places";
import { Dialog } from "../../parts/dialog";
import { DiffView } from "../../parts/diff";
import { Icon } from "../../parts/icons";
import { useStore } from "../../state/context";
import { hasKey, t } from "../../texts";

interface Props {
  receipt: Receipt;
  conversation: string;
  turn: string;
  /** the tool call that wrote it */
  call: string;
  /** what became of it since; undefined while it stands as it was written */
  changed?: ReceiptStateView | undefined;
}

export function ReceiptRow({ receipt, conversation, turn, call, changed }: Props) {
  const store = useStore();
  const [diff, setDiff] = useState<Diff | null>(null);
  const [forgetting, setForgetting] = useState(false);
  const state = changed?.state ?? "standing";
  const stands = state === "standing" || state === "kept";
  const kept = changed?.kept ?? null;
  const title = t("ui.receipt.title", { file: receipt.file });

  async function view(): Promise<void> {
    const { file, before, after } = receipt;
    const now = kept?.after ?? after;
    setDiff(await store.attempt(() => store.commands.diffVersions({ file, old: before, new: now })));
  }

  // The core records what these do and tells every window; the conversation is then fetched again.
  const which = { conversation, turn, call };
  const undo = () => void store.attempt(() => store.commands.undoReceipt(which));
  const redo = () => void store.attempt(() => store.commands.redoReceipt(which));
  const keep = () => void store.attempt(() => store.commands.keepSecret(which));

  return (
    <div class={stands ? "receipt" : "receipt undone"}>
      <Icon
        name={state === "undone" ? "undo" : state === "forgotten" ? "trash" : dayOf(receipt.file) ? "pin" : "file"}
      />
      <span class="receipt-text">
        {words(receipt, state)}
        {stands && dayOf(receipt.file) === null && (
          <span class="counts">
            <span class="plus">+{receipt.added}</span> <span class="minus">{`\u2212${receipt.removed}`}</span>
          </span>
        )}
        {receipt.merged && <span class="quiet-text"> {t("ui.receipt.merged")}</span>}
      </span>
      {state !== "forgotten" && (
        <span class="receipt-acts">
          <button type="button" class="link" onClick={() => void view()}>
            {t("ui.receipt.view")}
          </button>
          {state === "undone" && (
            <button type="button" class="link" onClick={redo}>
              {t("ui.receipt.redo")}
            </button>
          )}
          {stands && (
            <>
              <button type="button" class="link" onClick={undo}>
                {t("ui.receipt.undo")}
              </button>
              <button type="button" class="link soft" onClick={() => setForgetting(true)}>
                {t("ui.receipt.forget")}
              </button>
            </>
          )}
        </span>
      )}
      {stands && receipt.masked.length > 0 && <Masked kinds={receipt.masked} kept={state === "kept"} onKeep={keep} />}
      {diff && (
        <Dialog title={title} onClose={() => setDiff(null)} wide>
          <DiffView diff={diff} label={title} />
        </Dialog>
      )}
      {forgetting && <ForgetDialog what={{ receipt: kept ?? receipt }} onClose={() => setForgetting(false)} />}
    </div>
  );
}

function words(receipt: Receipt, state: ReceiptStateView["state"]): string {
  const day = dayOf(receipt.file);
  const file = day === null ? receipt.file : t("ui.receipt.log", { day: dayName(day) });
  if (state === "undone") return t("ui.receipt.undone", { file });
  if (state === "forgotten") return t("ui.receipt.forgotten", { file });
  if (day !== null) return t("ui.receipt.noted", { day: dayName(day) });
  return t(receipt.before === "missing" ? "ui.receipt.created" : "ui.receipt.changed", { file });
}

/** What looked like a secret was not written; the owner may want it all the same. */
function Masked({ kinds, kept, onKeep }: { kinds: string[]; kept: boolean; onKeep: () => void }) {
  const named = [...new Set(kinds)].map((kind) => {
    const key = `ui.secret.${kind}`;
    return hasKey(key) ? t(key) : t("ui.secret.other");
  });
  const list = [...new Set(named)].join(t("ui.list.and"));
  return (
    <p class="masked">
      <Icon name="key" />
      <span>{t(kept ? "ui.receipt.kept" : "ui.receipt.masked", { what: list })}</span>
      {!kept && (
        <button type="button" class="link" onClick={onKeep}>
          {t("ui.receipt.keep")}
        </button>
      )}
    </p>
  );
}

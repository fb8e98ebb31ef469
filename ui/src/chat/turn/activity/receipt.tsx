/**
 * What a reply really wrote, in the owner's words: "Wrote down: green tea, never coffee", with View, Undo and Forget.
 * All receipts of a reply are one card. Without the words (older transcripts, restored files) a row names the file.
 */
import { useState } from "preact/hooks";
import type { Diff, LeftView, NotedText, Receipt, ReceiptStateView, ToolView } from "../../../bindings";
import { DiffView, revealHidden } from "../../../components/diff/diff";
import { Icon, type IconName } from "../../../components/icons";
import { Dialog } from "../../../components/overlays/dialog";
import { ForgetDialog } from "../../../memory/forget";
import { dayName, dayOf, whenWords } from "../../../memory/places";
import type { Turn } from "../../../state/chat/conversation";
import { useStore } from "../../../state/context";
import { hasKey, t } from "../../../texts";

/** The receipts of one reply in the order they were written; above them those of the replies it took the place of. */
export function Receipts({ conversation, turn }: { conversation: string; turn: Turn }) {
  return (
    <>
      {turn.left.map((left) => (
        <ReceiptCard key={left.turn} conversation={conversation} of={left} label={t("ui.receipt.left")} lead />
      ))}
      <ReceiptCard conversation={conversation} of={turn} label={t("ui.receipt.group")} />
    </>
  );
}

interface CardProps {
  conversation: string;
  of: LeftView;
  label: string;
  /** whether the label is shown */
  lead?: boolean;
}

function ReceiptCard({ conversation, of, label, lead = false }: CardProps) {
  const written = of.tools.filter((tool): tool is ToolView & { receipt: Receipt } => tool.receipt !== null);
  if (written.length === 0) return null;
  return (
    <section class="receipts" aria-label={label}>
      {lead && <p class="receipt-lead left">{label}</p>}
      {written.map((tool) => (
        <ReceiptRow
          key={tool.call}
          receipt={tool.receipt}
          conversation={conversation}
          turn={of.turn}
          call={tool.call}
          changed={of.receipts.find((each) => each.call === tool.call)}
        />
      ))}
    </section>
  );
}

interface Props {
  receipt: Receipt;
  conversation: string;
  turn: string;
  /** the tool call that wrote it */
  call: string;
  /** what became of it since; undefined while it stands as it was written */
  changed?: ReceiptStateView | undefined;
}

function ReceiptRow({ receipt, conversation, turn, call, changed }: Props) {
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
      <Icon name={iconOf(receipt, state)} />
      <span class="receipt-text">
        <Words receipt={receipt} state={state} />
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

type State = ReceiptStateView["state"];

function iconOf(receipt: Receipt, state: State): IconName {
  if (state === "undone") return "undo";
  if (state === "forgotten") return "trash";
  if (receipt.noted.some((each) => each.due)) return "bell";
  return receipt.file === "SOUL.md" ? "heart" : "pin";
}

/** A reminder says the day, everything else what was written; the file is named only where neither is known. */
function Words({ receipt, state }: { receipt: Receipt; state: State }) {
  const { noted } = receipt;
  const soul = receipt.file === "SOUL.md";
  if (noted.length === 0 || state === "forgotten") return <>{fileWords(receipt, state)}</>;
  const only = noted.length === 1 ? noted[0] : undefined;
  if (only) {
    return (
      <>
        <span class="receipt-lead">{lead(only, soul, state)}</span> <Said text={only.text} state={state} />
      </>
    );
  }
  return (
    <>
      <span class="receipt-lead">
        {t(state === "undone" ? "ui.receipt.undone_lead" : soul ? "ui.receipt.soul_lead" : "ui.receipt.lead")}
      </span>
      <ul class="receipt-list">
        {noted.map((each) => (
          <li key={`${each.due} ${each.at} ${each.text}`}>
            {each.due && <span class="receipt-lead">{lead(each, soul, "standing")} </span>}
            <Said text={each.text} state={state} />
          </li>
        ))}
      </ul>
    </>
  );
}

function lead(noted: NotedText, soul: boolean, state: State): string {
  if (state === "undone") return t("ui.receipt.undone_lead");
  if (noted.due) return t("ui.receipt.remind", { when: whenWords(noted.due, noted.at, noted.repeats) });
  return t(soul ? "ui.receipt.soul_lead" : "ui.receipt.lead");
}

function Said({ text, state }: { text: string; state: State }) {
  return state === "undone" ? <s dir="auto">{revealHidden(text)}</s> : <span dir="auto">{revealHidden(text)}</span>;
}

function fileWords(receipt: Receipt, state: State): string {
  const day = dayOf(receipt.file);
  const file = day === null ? receipt.file : t("ui.receipt.log", { day: dayName(day) });
  if (state === "undone") return t("ui.receipt.undone", { file });
  if (state === "forgotten") return t("ui.receipt.gone");
  if (day !== null) return t("ui.receipt.noted", { day: dayName(day) });
  if (receipt.added === 0 && receipt.removed > 0) return t("ui.receipt.tidied", { file });
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

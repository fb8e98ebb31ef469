/** Receipts of what was written with a reply: each with View, Undo and Forget. */
import { useState } from "preact/hooks";
import type { LeftView, NotedText, Receipt, ReceiptStateView, ToolView } from "../../bindings";
import { DiffView, revealHidden } from "../../components/diff";
import { Icon, type IconName } from "../../components/icons";
import { Loading, useLoad } from "../../components/loading";
import { Dialog } from "../../components/overlays";
import { ForgetDialog } from "../../memory/forget";
import { dayName, dayOf, fileName, placeName, sourceWords, whenWords } from "../../memory/places";
import { plainNote } from "../../memory/spoken";
import type { Turn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import { hasKey, spaceAfter, t } from "../../texts";

/** The receipts of a reply in order; first those of the replies that it replaced. */
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
  const undone = of.receipts.filter((each) => each.state === "undone").map((each) => each.call);
  const replaced = written.some((each) => each.tool === "replace_earlier" && !undone.includes(each.call));
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
          replaced={replaced}
        />
      ))}
    </section>
  );
}

interface ReceiptProps {
  receipt: Receipt;
  conversation: string;
  turn: string;
  /** the id of the tool call that wrote it */
  call: string;
  /** its later state; undefined: as written */
  changed?: ReceiptStateView | undefined;
  /** whether the older line that it names was replaced */
  replaced: boolean;
}

function ReceiptRow({ receipt, conversation, turn, call, changed, replaced }: ReceiptProps) {
  const store = useStore();
  const [viewing, setViewing] = useState(false);
  const [forgetting, setForgetting] = useState(false);
  const state = changed?.state ?? "standing";
  const stands = state === "standing" || state === "kept";
  const kept = changed?.kept ?? null;
  // The core records the change and notifies every window, which fetches the conversation again.
  const which = { conversation, turn, call };
  const undo = () => void store.notices.attempt(() => store.commands.undoReceipt(which));
  const redo = () => void store.notices.attempt(() => store.commands.redoReceipt(which));
  const keep = () => void store.notices.attempt(() => store.commands.keepSecret(which));
  const replace = () => void store.notices.attempt(() => store.commands.replaceEarlier(which));
  const earlier = stands && !replaced ? receipt.noted.map((each) => each.earlier).find(Boolean) : undefined;

  return (
    <div class={stands ? "receipt" : "receipt undone"}>
      <Icon name={iconOf(receipt, state)} />
      <span class="receipt-text">
        <Words receipt={receipt} state={state} />
        {receipt.merged && <span class="quiet-text"> {t("ui.receipt.merged")}</span>}
        {receipt.foreign.length > 0 && (
          <span class="quiet-text">
            {" "}
            {revealHidden(t("ui.receipt.foreign", { sources: sourceWords(receipt.foreign) }))}
          </span>
        )}
      </span>
      {state !== "forgotten" && (
        <span class="receipt-acts">
          <button type="button" class="link" onClick={() => setViewing(true)}>
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
      {earlier && (
        <p class="masked earlier">
          <Icon name="clock" />
          <span>{revealHidden(t("ui.receipt.earlier", { text: earlier }))}</span>
          <button type="button" class="link" onClick={replace}>
            {t("ui.receipt.replace")}
          </button>
        </p>
      )}
      {stands && receipt.masked.length > 0 && <Masked kinds={receipt.masked} kept={state === "kept"} onKeep={keep} />}
      {viewing && <ReceiptDialog receipt={kept ?? receipt} state={state} onClose={() => setViewing(false)} />}
      {forgetting && <ForgetDialog what={{ receipt: kept ?? receipt }} onClose={() => setForgetting(false)} />}
    </div>
  );
}

type State = ReceiptStateView["state"];

/** What was written, where it stands, and the changed lines folded away. */
function ReceiptDialog({ receipt, state, onClose }: { receipt: Receipt; state: State; onClose: () => void }) {
  const store = useStore();
  const { file, before, after, noted } = receipt;
  const [whole, setWhole] = useState(noted.length === 0);
  const title = t("ui.receipt.title", { file: placeName(file) });

  function open(): void {
    onClose();
    if (dayOf(file) === null) {
      store.openFile(file);
    } else {
      store.memory.browse(file);
      store.navigation.openSettings("us", "days");
    }
  }

  return (
    <Dialog title={fileWords(receipt, state)} onClose={onClose} wide={whole}>
      {noted.map((each) => (
        <p key={`${each.due} ${each.at} ${each.text}`} class="receipt-said">
          <ReceiptText text={each.text} state={state} />
          {each.due && <span class="quiet-text">{whenWords(each.due, each.at, each.repeats)}</span>}
        </p>
      ))}
      <details open={whole} onToggle={(event) => setWhole(event.currentTarget.open)}>
        <summary>{t("ui.receipt.what_changed")}</summary>
        {whole && <Lines file={file} before={before} after={after} label={title} />}
      </details>
      <div class="row end">
        <button type="button" onClick={open}>
          {t("ui.receipt.open", { file: fileName(file) })}
        </button>
      </div>
    </Dialog>
  );
}

function Lines({ file, before, after, label }: { file: string; before: string; after: string; label: string }) {
  const store = useStore();
  const loaded = useLoad(() => store.commands.diffVersions({ file, old: before, new: after }));
  return (
    <>
      <Loading of={loaded} lines={3} />
      {loaded.value && <DiffView diff={loaded.value} label={label} />}
    </>
  );
}

function iconOf(receipt: Receipt, state: State): IconName {
  if (state === "undone") return "undo";
  if (state === "forgotten") return "trash";
  if (receipt.noted.some((each) => each.due)) return "bell";
  return receipt.file === "SOUL.md" ? "heart" : "pin";
}

/** A reminder shows its day, any other entry its text; else the file's name. */
function Words({ receipt, state }: { receipt: Receipt; state: State }) {
  const plans = useStore().memory.reminders.value;
  const { noted } = receipt;
  /** A reminder as it stands now: it may have been put off. */
  const current = (of: NotedText): NotedText => {
    const all = of.due ? [...(plans?.due ?? []), ...(plans?.coming ?? [])] : [];
    const same = all.find((each) => each.file === receipt.file && plainNote(each.text) === plainNote(of.text));
    return same ? { ...of, due: same.due, at: same.at, repeats: same.repeats } : of;
  };
  const soul = receipt.file === "SOUL.md";
  if (noted.length === 0 || state === "forgotten") return <>{fileWords(receipt, state)}</>;
  const only = noted.length === 1 ? noted[0] : undefined;
  if (only) {
    const isSentence = receipt.file === "USER.md" && state !== "undone"; // "Your name is Annie."
    return (
      <>
        {!isSentence && <Lead words={lead(current(only), soul, state)} />}
        <ReceiptText text={only.text} state={state} />
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
            {each.due && <Lead words={lead(current(each), soul, "standing")} />}
            <ReceiptText text={each.text} state={state} />
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

/** What a receipt's text is, with the space before it. */
function Lead({ words }: { words: string }) {
  return (
    <>
      <span class="receipt-lead">{words}</span>
      {spaceAfter(words)}
    </>
  );
}

function ReceiptText({ text, state }: { text: string; state: State }) {
  return state === "undone" ? <s dir="auto">{revealHidden(text)}</s> : <span dir="auto">{revealHidden(text)}</span>;
}

function fileWords(receipt: Receipt, state: State): string {
  const day = dayOf(receipt.file);
  const file = fileName(receipt.file);
  if (state === "undone") return t("ui.receipt.undone", { file });
  if (state === "forgotten") return t("ui.receipt.gone");
  if (day !== null) return t("ui.receipt.noted", { day: dayName(day) });
  if (receipt.added === 0 && receipt.removed > 0) return t("ui.receipt.tidied", { file });
  return t(receipt.before === "missing" ? "ui.receipt.created" : "ui.receipt.changed", { file });
}

/** Masked secrets, which the owner may keep all the same. */
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

/**
 * Activity of a reply: tools, recalled memories, receipts of writes with View, Undo and Forget, and the
 * mark on a reply that claims to have saved something and did not.
 */
import type { ComponentChild } from "preact";
import { useId, useState } from "preact/hooks";
import type { Diff, LeftView, NotedText, Receipt, ReceiptStateView, ToolView, UsedMemory } from "../../bindings";
import { DiffView, revealHidden } from "../../components/diff";
import { Icon, type IconName } from "../../components/icons";
import { Dialog } from "../../components/overlays";
import { ForgetDialog } from "../../memory/forget";
import { dayName, dayOf, placeName, sourceIcon, sourceName, whenWords } from "../../memory/places";
import { quoted } from "../../memory/spoken";
import type { Turn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import { errorText, hasKey, type Key, t } from "../../texts";

interface Doing {
  icon: IconName;
  /** text with the call's subject: a file, words, a name */
  about: Key;
  /** text without a subject */
  bare: Key;
}

const DOES: Record<string, Doing> = {
  read: { icon: "file", about: "ui.tool.read", bare: "ui.tool.read_some" },
  write: { icon: "pencil", about: "ui.tool.write", bare: "ui.tool.write_some" },
  edit: { icon: "pencil", about: "ui.tool.edit", bare: "ui.tool.edit_some" },
  memory_write: { icon: "pin", about: "ui.tool.memory_write", bare: "ui.tool.memory_write" },
  memory_search: { icon: "search", about: "ui.tool.memory_search", bare: "ui.tool.memory_search_some" },
  memory_get: { icon: "book", about: "ui.tool.memory_get", bare: "ui.tool.memory_get_some" },
  memory_forget: { icon: "trash", about: "ui.tool.memory_forget", bare: "ui.tool.memory_forget_some" },
  skill: { icon: "spark", about: "ui.tool.skill", bare: "ui.tool.skill_some" },
  tidy: { icon: "book", about: "ui.tool.tidy", bare: "ui.tool.tidy_some" },
  remember: { icon: "pin", about: "ui.tool.remember", bare: "ui.tool.remember" },
};

/** Error that a tool gets when the owner refused. */
const REFUSED = new Set(["tool_owner_refused", "tool_forget_refused"]);

export function ToolActivity({ tools }: { tools: ToolView[] }) {
  const running = tools.find((tool) => tool.running);
  const failed = tools.filter((tool) => tool.error && !kept(tool)).length;
  const refused = tools.find(kept);
  const only = tools.length === 1 ? tools[0] : undefined;
  const shown = running ?? only;
  return (
    <details class="tools">
      <summary>
        <Icon name="chevron" />
        {shown ? describe(shown) : t("ui.tool.many", { count: tools.length })}
        {!running && refused && <span class="quiet-text">· {keptWords(refused)}</span>}
        {!running && failed > 0 && <span class="quiet-text">{t("ui.tool.some_failed", { count: failed })}</span>}
      </summary>
      <ul>
        {tools.map((tool) => (
          <li key={tool.call}>
            <Icon name={icon(tool)} />
            <span>
              <span class="what">{describe(tool)}</span>
              {tool.error && <span class="quiet-text"> {kept(tool) ? keptWords(tool) : errorText(tool.error)}</span>}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A refusal is an answer, not an error. */
function kept({ error }: ToolView): boolean {
  return error !== null && REFUSED.has(error.code);
}

function keptWords({ tool, file }: ToolView): ComponentChild {
  if (tool === "memory_forget" || !file) return t("ui.tool.kept_it");
  return revealHidden(t("ui.tool.kept_file", { file: placeName(file) }));
}

function icon(tool: ToolView): IconName {
  if (tool.error && !kept(tool)) return "warning";
  return tool.running ? "clock" : (DOES[tool.tool]?.icon ?? "check");
}

/** `file`: the call's subject, whatever that is for its tool. */
function describe(tool: ToolView) {
  return revealHidden(toolText(tool));
}

/** Return the text of one tool call. */
export function toolText(tool: ToolView): string {
  const does = DOES[tool.tool];
  if (!does) return t("ui.tool.other", { tool: tool.tool });
  return tool.file === null || tool.file === "" ? t(does.bare) : t(does.about, { what: placeName(tool.file) });
}

export function UsedChips({ used }: { used: UsedMemory[] }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const first = used[0];
  if (!first) return null;
  if (used.length === 1) return <div class="used">{<UsedChip used={first} />}</div>;
  return (
    <div class="used">
      <button
        type="button"
        class="used-chip"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name="chevron" />
        {t("ui.used.many", { count: used.length })}
      </button>
      {open && (
        <ul id={id}>
          {used.map((each) => (
            <li key={`${each.path} ${each.start_line} ${each.turn ?? ""}`}>
              <UsedRow used={each} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function UsedChip({ used }: { used: UsedMemory }) {
  const store = useStore();
  return (
    <button type="button" class="used-chip" data-tip={tip(used)} onClick={() => void store.openPlace(used)}>
      <Icon name={sourceIcon(used.source)} />
      {t("ui.used.one", { place: placeName(used.path) })}
    </button>
  );
}

function UsedRow({ used }: { used: UsedMemory }) {
  const store = useStore();
  return (
    <button type="button" class="used-row" data-tip={tip(used)} onClick={() => void store.openPlace(used)}>
      <Icon name={sourceIcon(used.source)} />
      <span class="where">{placeName(used.path)}</span>
      <span class="snippet" dir="auto">
        {revealHidden(quoted(used.snippet).words)}
      </span>
    </button>
  );
}

function tip(used: UsedMemory): string {
  return `${sourceName(used.source)}: ${quoted(used.snippet).words}`;
}

interface ClaimProps {
  conversation: string;
  turn: Turn;
  /** nothing of the conversation may be saved */
  temporary: boolean;
}

export function ClaimMark({ conversation, turn, temporary }: ClaimProps) {
  const store = useStore();
  const [busy, setBusy] = useState(false);
  const { claim } = turn;
  if (!claim || turn.end === null) return null;
  if (turn.noted) return <p class="end-note">{t("ui.claim.nothing")}</p>;
  // Saved now: the receipt shows it.
  if (turn.tools.some((tool) => tool.tool === "remember" && tool.receipt)) return null;
  const off = claim.kind === "asked_off" || claim.kind === "asked_read";
  if (temporary || claim.kind === "temporary") return <p class="end-note">{t("ui.claim.temporary")}</p>;

  async function save(): Promise<void> {
    setBusy(true);
    const reply = await store.notices.attempt(async () => {
      if (off && store.paused.value) await store.commands.pauseMemory({ paused: false });
      return store.commands.rememberTurn({ conversation, turn: turn.turn, switch_on: off });
    });
    setBusy(false);
    if (reply?.receipt === null)
      store.conversations.changeTurn(conversation, turn.turn, (now) => ({ ...now, noted: true }));
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

interface ReceiptProps {
  receipt: Receipt;
  conversation: string;
  turn: string;
  /** the id of the tool call that wrote it */
  call: string;
  /** its later state; undefined: as written */
  changed?: ReceiptStateView | undefined;
}

function ReceiptRow({ receipt, conversation, turn, call, changed }: ReceiptProps) {
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
    setDiff(await store.notices.attempt(() => store.commands.diffVersions({ file, old: before, new: now })));
  }

  // The core records the change and notifies every window, which fetches the conversation again.
  const which = { conversation, turn, call };
  const undo = () => void store.notices.attempt(() => store.commands.undoReceipt(which));
  const redo = () => void store.notices.attempt(() => store.commands.redoReceipt(which));
  const keep = () => void store.notices.attempt(() => store.commands.keepSecret(which));

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

/** A reminder shows its day, any other entry its text; else the file's name. */
function Words({ receipt, state }: { receipt: Receipt; state: State }) {
  const { noted } = receipt;
  const soul = receipt.file === "SOUL.md";
  if (noted.length === 0 || state === "forgotten") return <>{fileWords(receipt, state)}</>;
  const only = noted.length === 1 ? noted[0] : undefined;
  if (only) {
    return (
      <>
        <span class="receipt-lead">{lead(only, soul, state)}</span> <ReceiptText text={only.text} state={state} />
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

function ReceiptText({ text, state }: { text: string; state: State }) {
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

/**
 * Activity of a reply: tools, recalled memories, and the mark on a reply that claims to have saved something and did
 * not.
 */
import type { ComponentChild } from "preact";
import { useId, useState } from "preact/hooks";
import { TOOL_ICONS, type ToolView, type UsedMemory } from "../../bindings";
import { SCROLLS } from "../../components/controls";
import { revealHidden } from "../../components/diff";
import { Icon, type IconName } from "../../components/icons";
import { useLoad } from "../../components/loading";
import { placeName, sourceIcon, sourceName } from "../../memory/places";
import { quoted } from "../../memory/spoken";
import type { Turn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import type { Store } from "../../state/store";
import { errorText, hasForgotten, hasKey, number, t } from "../../texts";
import { Attachments } from "../attachments";

/** The picture of each tool, and of what the program itself does. */
const ICONS: Readonly<Record<string, IconName>> = { ...TOOL_ICONS, tidy: "book", remember: "pin" };

/** Error that a tool gets when the owner refused. */
const REFUSED = new Set(["tool_owner_refused", "tool_forget_refused", "tool_page_refused", "tool_call_refused"]);

interface Place {
  conversation: string;
  turn: string;
}

export function ToolActivity({ conversation, turn, tools }: Place & { tools: ToolView[] }) {
  const store = useStore();
  const [open, setOpen] = useState(false);
  const running = tools.find((tool) => tool.running);
  const failed = tools.filter((tool) => tool.error && !kept(tool)).length;
  const refused = tools.find(kept);
  const only = tools.length === 1 ? tools[0] : undefined;
  const shown = running ?? only;
  const describe = (tool: ToolView) => revealHidden(labelOf(store, tool) ?? toolText(tool));
  return (
    <details class="tools" onToggle={(event) => setOpen(event.currentTarget.open)}>
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
              {open && !(tool.tool in ICONS) && <Sent conversation={conversation} turn={turn} tool={tool} />}
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
  if (tool === "fetch_page") return t("ui.tool.page_refused");
  if (!(tool in ICONS)) return t("ui.tool.call_refused");
  if (tool === "memory_forget" || !file) return t("ui.tool.kept_it");
  return revealHidden(t("ui.tool.kept_file", { file: placeName(file) }));
}

function icon(tool: ToolView): IconName {
  if (tool.error && !kept(tool)) return "warning";
  return tool.running ? "clock" : (ICONS[tool.tool] ?? "check");
}

/** What was sent to a tool that is not the pet's own, and what came back. */
function Sent({ conversation, turn, tool }: Place & { tool: ToolView }) {
  const store = useStore();
  const view = useLoad(() => store.commands.readCall({ conversation, turn, call: tool.call }), [tool.running]).value;
  if (!view) return null;
  return (
    <>
      <Foreign label={t("ui.tool.sent")} text={view.arguments} />
      <Foreign label={t("ui.tool.returned")} text={view.result} />
      {view.pictures.length > 0 && <Attachments attachments={view.pictures} />}
    </>
  );
}

function Foreign({ label, text }: { label: string; text: string }) {
  if (!text) return null;
  return (
    <figure class="foreign">
      <figcaption class="quiet-text">{label}</figcaption>
      <pre {...SCROLLS} dir="auto">
        {revealHidden(text)}
      </pre>
    </figure>
  );
}

/** Return what the extra that has the tool calls it. */
function labelOf(store: Store, tool: ToolView): string | undefined {
  return store.extras.map(({ toolLabel }) => toolLabel?.(tool.tool)).find(Boolean);
}

/** Return the text of one tool call; `file` is its subject, whatever that is for its tool. */
export function toolText(tool: ToolView): string {
  const about = `ui.tool.${tool.tool}`;
  if (!(tool.tool in ICONS) || !hasKey(about)) return t("ui.tool.other", { tool: tool.tool });
  const what = tool.file && !hasForgotten(tool.file) ? placeName(tool.file) : "";
  const bare = `${about}_some`;
  return what || !hasKey(bare) ? t(about, { what }) : t(bare);
}

interface UsedProps {
  used: UsedMemory[];
  /** the others that went along, once the owner asks for them */
  sent: UsedMemory[];
}

/** Nothing where the reply used none of what it was sent: then the reply's menu has it. */
export function UsedChips({ used, sent }: UsedProps) {
  const first = used[0];
  if (!first && sent.length === 0) return null;
  const count = number(sent.length);
  return (
    <div class="used">
      {first && used.length === 1 && <UsedChip used={first} />}
      {used.length > 1 && (
        <Folded kind="used-chip" label={t("ui.used.many", { count: number(used.length) })} all={used} />
      )}
      {sent.length > 0 && (
        <Folded
          kind="sent-chip"
          label={first ? t("ui.sent.more", { count }) : t("ui.sent.many", { count })}
          all={sent}
          unfolded
        />
      )}
    </div>
  );
}

interface FoldedProps {
  kind: string;
  label: string;
  all: UsedMemory[];
  unfolded?: boolean;
}

function Folded({ kind, label, all, unfolded = false }: FoldedProps) {
  const [open, setOpen] = useState(unfolded);
  const id = useId();
  return (
    <>
      <button
        type="button"
        class={kind}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name="chevron" />
        {label}
      </button>
      {open && (
        <ul id={id}>
          {all.map((each) => (
            <li key={`${each.path} ${each.start_line} ${each.turn ?? ""} ${each.snippet}`}>
              <UsedRow used={each} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function UsedChip({ used }: { used: UsedMemory }) {
  const store = useStore();
  return (
    <button type="button" class="used-chip" data-tip={tip(used)} onClick={() => openUsed(store, used)}>
      <Icon name={sourceIcon(used.source)} />
      {t("ui.used.one", { place: placeName(used.path) })}
    </button>
  );
}

function UsedRow({ used }: { used: UsedMemory }) {
  const store = useStore();
  return (
    <button type="button" class="used-row" data-tip={tip(used)} onClick={() => openUsed(store, used)}>
      <Icon name={sourceIcon(used.source)} />
      <span class="where">{placeName(used.path)}</span>
      <span class="snippet" dir="auto">
        {revealHidden(quoted(used.snippet).words)}
      </span>
    </button>
  );
}

/** An entry leads to where it comes from; what was said in a conversation leads there. */
function openUsed(store: Store, used: UsedMemory): void {
  if (used.source === "conversation") void store.openPlace(used);
  else store.openWhy(used, used.superseded && !used.path.startsWith("memory/") ? "" : used.snippet);
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
  const [small, setSmall] = useState(false);
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

  async function useSmallWay(): Promise<void> {
    const done = await store.notices.attempt(() => store.commands.useSmallWay({ conversation }));
    setSmall(done !== null);
  }

  return (
    <div class="claim">
      <Icon name={off ? "brain" : "pin"} slashed={claim.kind === "asked_off"} />
      <p data-tip={claim.quote}>{t(`ui.claim.${claim.kind}`)}</p>
      <button type="button" class={off ? "primary" : ""} disabled={busy} onClick={() => void save()}>
        {t(off ? "ui.claim.turn_on" : "ui.claim.save")}
      </button>
      {claim.never_calls && (
        <>
          <p role="status">{t(small ? "ui.claim.small_way_on" : "ui.claim.never_calls")}</p>
          {!small && (
            <button type="button" onClick={() => void useSmallWay()}>
              {t("ui.claim.small_way")}
            </button>
          )}
        </>
      )}
    </div>
  );
}

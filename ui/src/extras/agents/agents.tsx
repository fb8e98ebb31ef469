/** Settings > Privacy > Other agents: positions, what was read today, proposals, and the question in an open chat. */
import type { Signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type {
  AgentAsked,
  AgentLines,
  AgentMode,
  AgentNoteView,
  AgentSessionView,
  AgentsView,
  AgentView,
  ProgramView,
} from "../../bindings";
import { revealHidden, withoutHidden } from "../../components/diff";
import { Icon } from "../../components/icons";
import { type Loaded, Loading, useLoad } from "../../components/loading";
import { Dialog } from "../../components/overlays";
import { NoteFacts } from "../../memory/note_facts";
import { placeName } from "../../memory/places";
import { Choice, Toggle } from "../../settings/form";
import { useStore } from "../../state/context";
import type { Store } from "../../state/store";
import { dayAndTime } from "../../texts";
import "./agents.css";
import { t } from "./words";

type Act = (ask: (commands: Store["commands"]) => Promise<AgentsView>) => Promise<void>;

const GRANTS = ["permissions", "conversations", "days"] as const;
const MODES = ["off", "read", "propose", "write"] as const;

export function Agents({ changes }: { changes: Signal<number> }) {
  const store = useStore();
  const loaded: Loaded<AgentsView> = useLoad(() => store.commands.listAgents(), [changes.value]);
  const act: Act = async (ask) => {
    const view = await store.notices.attempt(() => ask(store.commands));
    if (view) loaded.set(view);
  };
  const view = loaded.value;
  if (!view) return <Loading of={loaded} lines={4} />;
  const waiting = view.notes.filter((note) => !note.written);
  const written = view.notes.filter((note) => note.written);
  return (
    <section class="agents" aria-label={t("ui.agents.tab")}>
      <p class="note">{t("ui.agents.note")}</p>
      {waiting.length > 0 && <h3>{t("ui.agents.proposed")}</h3>}
      <Notes notes={waiting} act={act} />
      <Sessions sessions={view.sessions} />
      {view.clients.length > 0 && <h3>{t("ui.agents.who")}</h3>}
      <ul class="cards">
        {view.clients.map((client) => (
          <Client key={`${client.name} ${client.folder}`} client={client} act={act} />
        ))}
      </ul>
      {view.clients.length === 0 && (
        <div class="nothing">
          <Icon name="twins" />
          <p>{t("ui.agents.none")}</p>
          <p class="quiet-text">{t(view.programs.some(isShown) ? "ui.agents.how" : "ui.agents.how_by_hand")}</p>
        </div>
      )}
      <Programs programs={view.programs} act={act} />
      {written.length > 0 && <h3>{t("ui.agents.written")}</h3>}
      <Notes notes={written} act={act} />
    </section>
  );
}

function Sessions({ sessions }: { sessions: AgentSessionView[] }) {
  if (sessions.length === 0) return null;
  return (
    <>
      <h3>{t("ui.agents.at_work")}</h3>
      <ul class="agent-sessions" aria-live="polite">
        {sessions.map(({ title, folder, state, doing }, at) => (
          <li key={`${title} ${folder} ${at}`} data-state={state}>
            <b>{folder}</b> {title} {t(doing ? `ui.agents.doing_${doing}` : `ui.agents.state_${state}`)}
          </li>
        ))}
      </ul>
    </>
  );
}

function isShown({ there, installed }: ProgramView): boolean {
  return there || installed;
}

function Programs({ programs, act }: { programs: ProgramView[]; act: Act }) {
  const shown = programs.filter(isShown);
  if (shown.length === 0) return null;
  return (
    <>
      <h3>{t("ui.agents.setup_title")}</h3>
      <p class="note">{t("ui.agents.setup_note")}</p>
      <p class="note">{t("ui.agents.hooks_note")}</p>
      <ul class="cards">
        {shown.map(({ id, title, installed, older, file, last, hooks, hooks_disabled, last_event }) => (
          <li key={id} class="card-row agent-program">
            <div class="card-main">
              <span class="title">{title}</span>
              <span class="quiet-text">{last ? t("ui.agents.last", { when: dayAndTime(last) }) : file}</span>
              {older && <span class="quiet-text">{t("ui.agents.older")}</span>}
              {hooks === "older" && <span class="quiet-text">{t("ui.agents.hooks_older")}</span>}
              {hooks_disabled && <span class="quiet-text">{t("ui.agents.hooks_off")}</span>}
              {hooks === "on" && (
                <span class="quiet-text">
                  {last_event
                    ? t("ui.agents.hooks_last", { when: dayAndTime(last_event) })
                    : t("ui.agents.hooks_quiet")}
                </span>
              )}
            </div>
            {hooks !== "none" && (
              <button
                type="button"
                onClick={() =>
                  void act((commands) => commands.setUpHooks({ program: id, installed: hooks !== "on" }))
                }
              >
                {t(hooks === "on" ? "ui.agents.hooks_unset" : "ui.agents.hooks_set")}
              </button>
            )}
            <button
              type="button"
              onClick={() =>
                void act((commands) => commands.setUpProgram({ program: id, installed: older || !installed }))
              }
            >
              {t(installed && !older ? "ui.agents.unset" : "ui.agents.setup")}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Client({ client, act }: { client: AgentView; act: Act }) {
  const { name, folder, title, mode, never } = client;
  return (
    <li class="card-row agent">
      <div class="card-main">
        <span class="title">
          {title}
          <code>{folder}</code>
        </span>
        {client.last && (
          <span class="quiet-text">
            {t("ui.agents.last", { when: dayAndTime(client.last) })}
            {" · "}
            {t("ui.agents.calls", { count: client.calls })}
          </span>
        )}
        {!client.known && <span class="quiet-text">{t("ui.agents.unknown")}</span>}
        <Choice
          label={t("ui.agents.mode", { name: title })}
          name={`agent ${name} ${folder}`}
          value={never ? "" : mode}
          options={MODES.map((value) => ({ value, label: t(`ui.agents.mode_${value}`) }))}
          onChange={(value) => void act((commands) => commands.setAgent({ name, folder, mode: value as AgentMode }))}
        />
        {!never &&
          GRANTS.map((grant) => (
            <Toggle
              key={grant}
              id={`${grant} ${name} ${folder}`}
              label={t(`ui.agents.grant_${grant}`)}
              checked={client.grants.includes(grant)}
              onChange={(on) => void act((commands) => commands.setAgentGrant({ name, folder, grant, on }))}
            />
          ))}
        {never && <span class="quiet-text">{t("ui.agents.never")}</span>}
        {client.reads.length > 0 && (
          <details class="agent-reads">
            <summary>
              <Icon name="chevron" />
              {t("ui.agents.read_today", { count: client.lines_today })}
            </summary>
            <ul>
              {client.reads.map((read) => (
                <li key={`${read.at} ${read.file} ${read.start_line}`}>
                  <span class="quiet-text" data-tip={lines(read)}>
                    {read.at.slice(11, 16)} · {placeName(read.file)}
                  </span>
                  <p>{revealHidden(read.text || t("ui.agents.changed_since"))}</p>
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
      <button
        type="button"
        class="quiet"
        onClick={() => void act((commands) => commands.removeAgent({ name, folder }))}
      >
        {t("ui.agents.remove")}
      </button>
    </li>
  );
}

function lines({ file, start_line, end_line }: AgentLines): string {
  return end_line > start_line ? `${file}:${start_line}–${end_line}` : `${file}:${start_line}`;
}

function Notes({ notes, act }: { notes: AgentNoteView[]; act: Act }) {
  return (
    <ul class="cards">
      {notes.map((note) => (
        <Note key={note.id} note={note} act={act} />
      ))}
    </ul>
  );
}

function Note({ note, act }: { note: AgentNoteView; act: Act }) {
  const [text, setText] = useState<string | null>(null);
  const answer = (how: "keep" | "refuse" | "undo") =>
    void act((commands) => commands.answerAgentNote({ id: note.id, answer: how, text: text ?? "" }));
  return (
    <li class="card-row agent-note">
      <div class="card-main">
        <span class="quiet-text">
          {t("ui.agents.from", { name: note.title, folder: note.folder })} · {dayAndTime(note.at)}
        </span>
        {text === null ? (
          <p class="agent-text" dir="auto">
            {revealHidden(note.text)}
          </p>
        ) : (
          <textarea
            aria-label={t("ui.agents.edit")}
            rows={3}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
        <NoteFacts category={note.category} noted={note.noted} due={note.due} />
        {note.order && <span class="warn-text">{t("ui.agents.order")}</span>}
        {note.masked.length > 0 && <span class="quiet-text">{t("ui.agents.masked")}</span>}
        <div class="row">
          {note.written ? (
            <button type="button" onClick={() => answer("undo")}>
              {t("ui.agents.undo")}
            </button>
          ) : (
            <>
              <button type="button" class="primary" onClick={() => answer("keep")}>
                {t("ui.agents.keep")}
              </button>
              {text === null && (
                <button type="button" onClick={() => setText(withoutHidden(note.text))}>
                  {t("ui.agents.edit")}
                </button>
              )}
              <button type="button" onClick={() => answer("refuse")}>
                {t("ui.agents.refuse")}
              </button>
            </>
          )}
        </div>
      </div>
    </li>
  );
}

/** Milliseconds before the question can be answered: a click meant for the chat must not give a permission. */
const AT_REST = 600;

/** The question about an agent, over an open chat. */
export function AskedByAgent({ asks: asked }: { asks: Signal<AgentAsked | null> }) {
  const store = useStore();
  const asks = asked.value;
  const pet = store.app.value?.pet_name ?? "";
  const [ready, setReady] = useState(false);
  useEffect(() => {
    setReady(false);
    if (!asks) return;
    const timer = setTimeout(() => setReady(true), AT_REST);
    return () => clearTimeout(timer);
  }, [asks]);
  if (!asks) return null;
  const { number, name, folder, title, known } = asks;
  const close = () => {
    if (asked.value === asks) asked.value = null; // the next one may be asked already
  };
  const later = () => {
    close();
    void store.notices.attempt(() => store.commands.answerAgent({ answer: "later", number }));
  };
  const decide = async (never: boolean) => {
    const mode = never ? "off" : "read";
    const done = await store.notices.attempt(() => store.commands.setAgent({ name, folder, mode, never }));
    if (done) close();
  };
  return (
    <Dialog title={t("ui.agents.asks_title")} onClose={later}>
      <p>{t(known ? "ui.agents.asks" : "ui.agents.asks_unknown", { pet, name: title, folder })}</p>
      <p class="note">{t("ui.agents.asks_note")}</p>
      <div class="row end">
        <button type="button" disabled={!ready} onClick={() => void decide(true)}>
          {t("ui.agents.answer_never")}
        </button>
        <button type="button" onClick={later}>
          {t("ui.agents.answer_later")}
        </button>
        <button type="button" disabled={!ready} onClick={() => void decide(false)}>
          {t("ui.agents.answer_read")}
        </button>
      </div>
    </Dialog>
  );
}

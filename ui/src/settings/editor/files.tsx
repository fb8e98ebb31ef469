/**
 * The editor of the pet's files, in place of the page that opened it: it fills the window, so that only the text
 * scrolls, and its Save stays in sight.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { FileView } from "../../bindings";
import { Fault, HiddenCharacters, Refusal, Up } from "../../components/controls";
import { DiffView } from "../../components/diff";
import { Icon } from "../../components/icons";
import { type Loaded, Loading, useLoad } from "../../components/loading";
import { isKey } from "../../input/keys";
import { listen } from "../../input/listen";
import { CopiesNotice } from "../../memory/copies";
import { dayOf } from "../../memory/places";
import { useStore } from "../../state/context";
import {
  type Editing,
  isDirty,
  keepMine,
  startEditing,
  takeTheirs,
  withFile,
  withMerge,
  withReply,
  withText,
} from "../../state/editing";
import { errorText, type Key, number, t } from "../../texts";
import { FileMarks } from "../file_link";
import { CodeEditor } from "./code_editor";
import { FileText } from "./file_text";
import { Templates } from "./templates";
import { sized } from "./truncation";
import { Versions } from "./versions";

interface Edits {
  editing: Editing | null;
  loaded: Loaded<FileView>;
  set(editing: Editing): void;
  write(text: string): void;
  save(): Promise<void>;
  join(): Promise<void>;
}

function useEditing(name: string): Edits {
  const store = useStore();
  const [editing, setEditing] = useState<Editing | null>(store.files.edits.get(name) ?? null);
  const changed = store.files.versionsOf((each) => each === name);
  const saving = useRef<Promise<void>>(Promise.resolve());
  const forgotten = store.memory.forgotten.value;

  function set(next: Editing): void {
    const before = store.files.edits.get(name);
    store.files.edits.set(name, next);
    if (isDirty(next) !== (before !== undefined && isDirty(before))) store.files.unsaved.value += 1;
    setEditing(next);
  }

  const loaded = useLoad(() => store.commands.readFile({ file: name }), [changed, forgotten], name);

  useEffect(() => {
    if (!loaded.value) return;
    const held = store.files.edits.get(name);
    const next = held ? withFile(held, loaded.value) : startEditing(loaded.value);
    // "Renewed" marks a change seen here, not one made while the view was closed.
    set({ ...next, renewed: next.renewed && editing !== null });
  }, [loaded.value]);

  /** Apply typing to the held state, which may be newer than the drawn one. */
  function write(text: string): void {
    const held = store.files.edits.get(name);
    if (held) set(withText(held, text));
  }

  async function send(): Promise<{
    sent: string;
    reply: Awaited<ReturnType<typeof store.commands.writeFile>>;
  } | null> {
    const held = store.files.edits.get(name);
    if (!held) return null;
    const sent = held.text;
    const reply = await store.notices.attempt(() =>
      store.commands.writeFile({ file: name, text: sent, base: held.file.version }),
    );
    return reply && { sent, reply };
  }

  /** Save one after the other: each is based on the one before. */
  function save(): Promise<void> {
    saving.current = saving.current.then(saveNow);
    return saving.current;
  }

  async function saveNow(): Promise<void> {
    const held = store.files.edits.get(name);
    if (!held || !isDirty(held) || held.theirs) return;
    const done = await send();
    const now = store.files.edits.get(name);
    if (done && now) set(withReply(now, done.sent, done.reply));
  }

  /** Merge by a save on the old base, which the core refuses with the merged text. */
  async function join(): Promise<void> {
    const done = await send();
    const now = store.files.edits.get(name);
    if (!done || !now) return;
    const { reply, sent } = done;
    set(reply.outcome === "conflict" ? withMerge(now, reply.file, reply.merged_text) : withReply(now, sent, reply));
  }

  return { editing, loaded, set, write, save, join };
}

interface Props {
  editing: Editing;
  onTheirs: () => void;
  onMine: () => void;
  onJoin: () => void;
}

function Conflict({ editing, onTheirs, onMine, onJoin }: Props) {
  const { theirs, text } = editing;
  if (!theirs) return null;
  const { file } = editing.file;
  const broken = theirs.state === "broken";
  return (
    <section class="conflict" aria-label={t("ui.conflict.title", { file })}>
      <div role="alert">
        <h3>
          <Icon name="warning" />
          {t("ui.conflict.title", { file })}
        </h3>
        <p>{t(broken ? "ui.conflict.broken" : "ui.conflict.text")}</p>
      </div>
      {!broken && <Difference theirs={theirs} mine={text} />}
      <Refusal why={editing.overlap ? t("ui.conflict.overlap") : ""} />
      <div class="row end">
        <button type="button" onClick={onTheirs}>
          {t("ui.conflict.theirs")}
        </button>
        <button type="button" disabled={broken} onClick={onMine}>
          {t("ui.conflict.mine")}
        </button>
        <button type="button" class="primary" disabled={broken || editing.overlap} onClick={onJoin}>
          {t("ui.conflict.both")}
        </button>
      </div>
    </section>
  );
}

/** Update while both sides keep writing. */
function Difference({ theirs, mine }: { theirs: FileView; mine: string }) {
  const store = useStore();
  const ask = () => store.commands.diffTexts({ old: theirs.text, new: mine });
  const loaded = useLoad(ask, [mine], theirs.version);
  return (
    <>
      <Loading of={loaded} lines={3} />
      {loaded.value && <DiffView diff={loaded.value} label={t("ui.conflict.diff")} />}
    </>
  );
}

const CORE = ["SOUL.md", "USER.md", "MEMORY.md"];
/** Files that the owner may write, and the pet only reads. */
export const OPTIONAL = ["IDENTITY.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"];
const ABOUT: Record<string, Key> = {
  "SOUL.md": "ui.file.soul",
  "USER.md": "ui.file.user",
  "MEMORY.md": "ui.file.memory",
  "IDENTITY.md": "ui.file.identity",
  "AGENTS.md": "ui.file.agents",
  "TOOLS.md": "ui.file.tools",
  "HEARTBEAT.md": "ui.file.heartbeat",
  "BOOTSTRAP.md": "ui.file.bootstrap",
};

export function Files() {
  const { navigation } = useStore();
  const file = navigation.file.value;
  return (
    <div class="section files">
      <FileEditor
        key={file}
        name={file}
        up={t(navigation.section.value === "us" ? "ui.section.us" : "ui.section.me")}
      />
    </div>
  );
}

function FileEditor({ name, up }: { name: string; up: string }) {
  const { editing, loaded, set, write, save, join } = useEditing(name);
  const [open, setOpen] = useState<"versions" | "templates" | null>(null);
  const [preview, setPreview] = useState(false);
  const store = useStore();
  const place = store.memory.place.value;
  const close = () => {
    store.navigation.file.value = "";
  };
  // Also in the preview and beside the editor, where its own keys don't work.
  useLayoutEffect(() => {
    function keyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || !isKey("save", event)) return;
      event.preventDefault();
      void save();
    }
    return listen(document, ["keydown"], keyDown);
  }, [save]);
  useEffect(() => {
    if (place?.path === name) setPreview(false);
  }, [place]);
  const broken = editing?.file.state === "broken";
  const whole = editing !== null && !broken;
  return (
    <section class="file-editor" aria-label={name}>
      <div class="file-head">
        <Up label={up} title={name} onUp={close} />
        <FileMarks name={name} />
        <span class="space" />
        {whole && (
          <button type="button" class="quiet-button" aria-pressed={preview} onClick={() => setPreview(!preview)}>
            {t("ui.file.preview")}
          </button>
        )}
        {editing && (
          <button type="button" class="quiet-button" onClick={() => setOpen("versions")}>
            {t("ui.file.versions")}
          </button>
        )}
        {whole && [...CORE, ...OPTIONAL].includes(name) && (
          <button type="button" class="quiet-button" onClick={() => setOpen("templates")}>
            {t("ui.file.templates")}
          </button>
        )}
      </div>
      <CopiesNotice of={(file) => file === name} />
      <Loading of={loaded} lines={8} />
      {editing && (
        <>
          <Told name={name} editing={editing} />
          <Conflict
            editing={editing}
            onTheirs={() => set(takeTheirs(editing))}
            onMine={() => set(keepMine(editing))}
            onJoin={() => void join()}
          />
        </>
      )}
      {whole &&
        (preview ? (
          <FileText text={editing.text} label={t("ui.file.preview_of", { file: name })} />
        ) : (
          <CodeEditor
            value={editing.text}
            label={t("ui.file.editor", { file: name })}
            limit={editing.file.limit}
            at={place?.path === name ? place : null}
            onShown={() => {
              store.memory.place.value = null;
            }}
            onChange={write}
            onSave={() => void save()}
          />
        ))}
      {whole && (
        <div class="file-foot">
          <Meter editing={editing} />
          {isDirty(editing) && (
            <button type="button" onClick={() => set({ ...editing, text: editing.file.text, theirs: null })}>
              {t("ui.file.discard")}
            </button>
          )}
          <button
            type="button"
            class="primary"
            disabled={!isDirty(editing) || editing.theirs !== null}
            onClick={() => void save()}
          >
            {!isDirty(editing) && <Icon name="check" />}
            {t(isDirty(editing) ? "ui.file.save" : "ui.file.saved")}
          </button>
          {/* Beside the button: a status within would take its name. */}
          <span class="sr" role="status">
            {!isDirty(editing) && t("ui.file.saved")}
          </span>
        </div>
      )}
      {open === "versions" && <Versions file={name} onClose={() => setOpen(null)} onRestored={loaded.again} />}
      {open === "templates" && editing && (
        <Templates file={name} now={editing.text} onClose={() => setOpen(null)} onChoose={write} />
      )}
    </section>
  );
}

/** What there is to know of a file before it is read: what it is for, and what is wrong with it. */
function Told({ name, editing }: { name: string; editing: Editing }) {
  const store = useStore();
  const { file } = editing;
  const broken = file.state === "broken";
  const about = ABOUT[name] ?? (dayOf(name) === null ? undefined : "ui.file.log");
  const lost = store.app.value?.lost_files.some((each) => each.file === name) ?? false; // the page says so above
  return (
    <>
      {about && <p class="about">{t(about)}</p>}
      {broken && (
        <Fault>
          <p>{errorText({ code: file.problem, args: { file: name }, retryable: false })}</p>
        </Fault>
      )}
      <HiddenCharacters count={file.hidden_characters} />
      {store.app.value?.held_files.includes(name) && (
        <p class="note">
          {t("ui.file.held_note")}{" "}
          <button
            type="button"
            class="link"
            onClick={() => void store.settleLost(() => store.commands.answerInstructions({ use: true }))}
          >
            {t("ui.file.held_use")}
          </button>
        </p>
      )}
      {editing.renewed && !broken && <p class="note">{t("ui.file.renewed")}</p>}
      {file.state === "missing" && !isDirty(editing) && !lost && (
        <p class="note">{t(name === "MEMORY.md" ? "ui.file.no_memory" : "ui.file.missing")}</p>
      )}
    </>
  );
}

/** The share of the prompt's limit in use, and what would be left out. */
function Meter({ editing }: { editing: Editing }) {
  const { limit } = editing.file;
  const { characters, cut } = useMemo(() => sized(editing.text, limit), [editing.text, limit]);
  const part = Math.min(100, Math.round((characters / Math.max(1, limit)) * 100));
  const level = cut ? "over" : part >= 80 ? "high" : "";
  return (
    <div class={`meter ${level}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> can't be styled alike everywhere */}
      <div
        class="bar-track"
        role="meter"
        aria-label={t("ui.file.meter")}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(characters, limit)}
      >
        {cut ? (
          <CutBar before={cut.from / editing.text.length} after={1 - cut.to / editing.text.length} />
        ) : (
          <span class="bar-fill" style={{ width: `${part}%` }} />
        )}
      </div>
      <span class="quiet-text">
        {t("ui.file.size", { characters: number(characters), limit: number(limit) })}
        {cut && ` · ${t("ui.file.cut", { count: number(cut.characters) })}`}
      </span>
    </div>
  );
}

/** The file as a bar: the head and tail that go in, and the gap between. */
function CutBar({ before, after }: { before: number; after: number }) {
  return (
    <span class="cut-bar">
      <span style={{ flexGrow: before }} />
      <span class="gap" style={{ flexGrow: 1 - before - after }} />
      <span style={{ flexGrow: after }} />
    </span>
  );
}

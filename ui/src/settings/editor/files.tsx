/** Soul and files: the texts the pet is made of, each in an editor with meter, versions, templates and conflicts. */
import { useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { Icon } from "../../components/icons";
import { Loading } from "../../components/loading";
import { isKey } from "../../input/key_table";
import { CopiesNotice } from "../../memory/copies";
import { dayOf } from "../../memory/places";
import { useStore } from "../../state/context";
import { dirty, type Editing, keepMine, takeTheirs } from "../../state/editing";
import { errorText, type Key, number, t, tn } from "../../texts";
import { Cards } from "../pets/cards";
import { Conflict } from "./conflict";
import { Templates } from "./templates";
import { CodeEditor } from "./text/code_editor";
import { FileText } from "./text/file_text";
import { sized } from "./text/truncation";
import { useEditing } from "./use_editing";
import { Versions } from "./versions";

const CORE = ["SOUL.md", "USER.md", "MEMORY.md"];
const OPTIONAL = ["IDENTITY.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"];
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
  const store = useStore();
  const file = store.file.value;
  const extra = [...CORE, ...OPTIONAL].includes(file) ? null : file; // a daily log, opened from the memory browser
  const setFile = (name: string) => store.openFile(name);
  return (
    <div class="files">
      <h2>{t("ui.section.soul")}</h2>
      <nav class="file-tabs" aria-label={t("ui.files.label")}>
        {CORE.map((name) => (
          <FileTab key={name} name={name} open={file === name} onOpen={setFile} />
        ))}
        {extra !== null && <FileTab name={extra} open onOpen={setFile} />}
        <select
          aria-label={t("ui.files.optional")}
          class={OPTIONAL.includes(file) ? "chosen" : ""}
          value={OPTIONAL.includes(file) ? file : ""}
          onChange={(event) => event.currentTarget.value && setFile(event.currentTarget.value)}
        >
          <option value="">{t("ui.files.more")}</option>
          {OPTIONAL.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </nav>
      <CopiesNotice of={(name) => name === file} />
      <FileEditor key={file} name={file} />
      <CopiesNotice of={(name) => name !== file} />
      <p class="note">{t("ui.files.home", { home: store.app.value?.home ?? "" })}</p>
    </div>
  );
}

function FileTab({ name, open, onOpen }: { name: string; open: boolean; onOpen: (name: string) => void }) {
  const store = useStore();
  // The signal tells when to look again.
  const editing = store.unsaved.value >= 0 ? store.edits.get(name) : undefined;
  return (
    <button type="button" aria-current={open ? "page" : undefined} onClick={() => onOpen(name)}>
      {name}
      {editing && dirty(editing) && (
        <span class="unsaved" data-tip={t("ui.file.unsaved")}>
          <span class="sr">{t("ui.file.unsaved")}</span>
        </span>
      )}
      {store.memory.copies.value.some((copy) => copy.file === name) && (
        <span class="has-copy" data-tip={t("ui.copies.waiting")}>
          <Icon name="twins" />
          <span class="sr">{t("ui.copies.waiting")}</span>
        </span>
      )}
    </button>
  );
}

function FileEditor({ name }: { name: string }) {
  const { editing, loaded, set, write, save, join } = useEditing(name);
  const [open, setOpen] = useState<"versions" | "templates" | null>(null);
  const [preview, setPreview] = useState(false);
  const store = useStore();
  const place = store.memory.place.value;
  // Also in the preview, and after a click beside the editor, where the keys aren't the editor's.
  useLayoutEffect(() => {
    function keyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || !isKey("save", event)) return;
      event.preventDefault();
      void save();
    }
    document.addEventListener("keydown", keyDown);
    return () => document.removeEventListener("keydown", keyDown);
  }, [save]);
  useEffect(() => {
    if (place?.path === name) setPreview(false);
  }, [place]);
  if (!editing) return <Loading of={loaded} lines={8} />;
  const about = ABOUT[name] ?? (dayOf(name) === null ? undefined : "ui.file.log");
  const { file } = editing;
  const broken = file.state === "broken";
  return (
    <section class="file-editor" aria-label={name}>
      {about && <p class="about">{t(about)}</p>}
      <Loading of={loaded} />
      {broken && (
        <div class="fault" role="alert">
          <Icon name="warning" />
          <p>{errorText({ code: file.problem, args: { file: name }, retryable: false })}</p>
        </div>
      )}
      {file.hidden_characters > 0 && (
        <p class="badge-line">
          <span class="hidden-badge">{tn("ui.file.hidden_one", "ui.file.hidden", file.hidden_characters)}</span>
          {t("ui.file.hidden_note")}
        </p>
      )}
      {editing.renewed && !broken && <p class="note">{t("ui.file.renewed")}</p>}
      {file.state === "missing" && !dirty(editing) && (
        <p class="note">{t(name === "MEMORY.md" ? "ui.file.no_memory" : "ui.file.missing")}</p>
      )}
      <Conflict
        editing={editing}
        onTheirs={() => set(takeTheirs(editing))}
        onMine={() => set(keepMine(editing))}
        onJoin={() => void join()}
      />
      {!broken &&
        (preview ? (
          <FileText text={editing.text} label={t("ui.file.preview_of", { file: name })} />
        ) : (
          <CodeEditor
            value={editing.text}
            label={t("ui.file.editor", { file: name })}
            limit={file.limit}
            at={place?.path === name ? place : null}
            onShown={() => {
              store.memory.place.value = null;
            }}
            onChange={write}
            onSave={() => void save()}
          />
        ))}
      {!broken && <Meter editing={editing} />}
      <div class="row">
        {!broken && (
          <button type="button" class="quiet-button" aria-pressed={preview} onClick={() => setPreview(!preview)}>
            {t("ui.file.preview")}
          </button>
        )}
        <button type="button" class="quiet-button" onClick={() => setOpen("versions")}>
          {t("ui.file.versions")}
        </button>
        {[...CORE, ...OPTIONAL].includes(name) && !broken && (
          <button type="button" class="quiet-button" onClick={() => setOpen("templates")}>
            {t("ui.file.templates")}
          </button>
        )}
        <span class="space" />
        {dirty(editing) && !broken && (
          <button type="button" onClick={() => set({ ...editing, text: file.text, theirs: null })}>
            {t("ui.file.discard")}
          </button>
        )}
        {!broken && (
          <button
            type="button"
            class="primary"
            disabled={!dirty(editing) || editing.theirs !== null}
            onClick={() => void save()}
          >
            {!dirty(editing) && <Icon name="check" />}
            {t(dirty(editing) ? "ui.file.save" : "ui.file.saved")}
          </button>
        )}
      </div>
      {name === "SOUL.md" && !broken && <Cards onTaken={loaded.again} />}
      {open === "versions" && <Versions file={name} onClose={() => setOpen(null)} onRestored={loaded.again} />}
      {open === "templates" && (
        <Templates file={name} now={editing.text} onClose={() => setOpen(null)} onChoose={write} />
      )}
    </section>
  );
}

/** How much of what goes into a prompt is used, and what would be left out. */
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

/** The whole file as a bar: what goes in at its head and its tail, and the gap between them. */
function CutBar({ before, after }: { before: number; after: number }) {
  return (
    <span class="cut-bar">
      <span style={{ flexGrow: before }} />
      <span class="gap" style={{ flexGrow: 1 - before - after }} />
      <span style={{ flexGrow: after }} />
    </span>
  );
}

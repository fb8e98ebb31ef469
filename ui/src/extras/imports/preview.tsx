/** The preview of an import: every file with its lines, the days, the conversations, and what is left out. */

import { useState } from "preact/hooks";
import type { ImportFile, ImportPreview, ImportState } from "../../bindings";
import { Option, SCROLLS, Tick } from "../../components/controls";
import { DiffView, revealHidden } from "../../components/diff";
import { Icon } from "../../components/icons";
import { Loading, useLoad } from "../../components/loading";
import { kindName } from "../../memory/places";
import { Choice } from "../../settings/form";
import { useStore } from "../../state/context";
import { bytes, locale, number } from "../../texts";
import { useImports } from "./state";
import { t } from "./words";

interface Amounts {
  files: number;
  days: number;
  conversations: number;
}

/** Return amounts: "4 files, 12 days of logs, 240 conversations"; "" for none. */
export function amounts({ files, days, conversations }: Amounts): string {
  const parts = [
    files > 0 && t("moving.files_count", { count: number(files) }),
    days > 0 && t("moving.days", { count: number(days) }),
    conversations > 0 && t("moving.talks", { count: number(conversations) }),
  ];
  return parts.filter(Boolean).join(t("ui.list.and"));
}

interface Props {
  now: ImportState;
  preview: ImportPreview;
}

export function Preview({ now, preview }: Props) {
  const store = useStore();
  const imports = useImports();
  const mine = store.app.value?.pet_name ?? "";
  const { name, memory } = imports.answers.value;
  const busy = now.phase === "reading";
  const setName = (named: string) => imports.answer({ name: named });
  const asks = preview.talks_new > 0;
  const several = preview.kind === "workspaces";
  const nameless = preview.new_pet && !preview.pet && !several && !name.trim();
  const ready = !busy && !preview.empty && !nameless && (!asks || memory !== null);
  return (
    <form
      class="import-preview"
      aria-busy={busy}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) void imports.run(memory === true, preview.new_pet ? name.trim() : "");
      }}
    >
      <header class="import-head">
        <h3>{kindName(preview.kind)}</h3>
        {now.source && <span class="quiet-text import-source">{now.source}</span>}
        {!(preview.pet || several) && <p class="import-sum">{amounts(totals(preview)) || t("moving.nothing")}</p>}
      </header>
      {several ? null : preview.pet ? (
        <WholePet preview={preview} mine={mine} name={name} onName={setName} />
      ) : (
        <Target preview={preview} mine={mine} name={name} onName={setName} />
      )}
      {asks && (
        <MayRemember
          name={preview.new_pet ? name.trim() : mine}
          newPet={preview.new_pet}
          memory={memory}
          onChoose={(may) => imports.answer({ memory: may })}
        />
      )}
      <Folders preview={preview} />
      <Files preview={preview} />
      <Talks preview={preview} />
      <LeftOut preview={preview} mine={mine} />
      <div class="row end">
        <button type="button" onClick={() => void imports.stop()}>
          {t("ui.cancel")}
        </button>
        <button type="submit" class="primary" disabled={!ready}>
          {t("moving.go")}
        </button>
      </div>
    </form>
  );
}

/** The new parts of the preview. */
function totals(preview: ImportPreview): Amounts {
  const changed = preview.files.filter((each) => each.action !== "same");
  const days = changed.filter((each) => each.day).length;
  return { files: changed.length - days, days, conversations: preview.talks_new };
}

interface NameProps {
  preview: ImportPreview;
  mine: string;
  name: string;
  onName: (name: string) => void;
}

function WholePet({ preview, mine, name, onName }: NameProps) {
  const { pet } = preview;
  if (!pet) return null;
  const facts = { files: number(pet.files), size: bytes(pet.bytes), conversations: number(pet.conversations) };
  return (
    <div class="import-card">
      <Name name={name} onName={onName} />
      <p>{t("moving.pet_facts", facts)}</p>
      <p class="note">{t("moving.pet_note", { name: mine })}</p>
      {pet.memory && <p>{t("moving.pet_memory")}</p>}
      {pet.heartbeat && (
        <>
          <p>{t("moving.pet_heartbeat")}</p>
          <pre class="import-heartbeat" {...SCROLLS}>
            {revealHidden(pet.heartbeat)}
          </pre>
        </>
      )}
    </div>
  );
}

function Target({ preview, mine, name, onName }: NameProps) {
  const imports = useImports();
  const go = (newPet: boolean) => void imports.change(preview.instructions, newPet, chosenFolders(preview));
  return (
    <div class="import-part">
      <Choice
        label={t("moving.into")}
        name="import-into"
        value={preview.new_pet ? "new" : "here"}
        options={[
          { value: "here", label: t("moving.into.here", { name: mine }) },
          { value: "new", label: t("moving.into.new") },
        ]}
        note={t(preview.new_pet ? "moving.into.new_note" : "moving.into.here_note", { name: mine })}
        onChange={(to) => go(to === "new")}
      />
      {preview.new_pet && <Name name={name} onName={onName} />}
    </div>
  );
}

function Name({ name, onName }: { name: string; onName: (name: string) => void }) {
  return (
    <div class="setting">
      <label for="import-name">{t("moving.name")}</label>
      <input
        id="import-name"
        value={name}
        maxLength={60}
        dir="auto"
        autocomplete="off"
        onInput={(event) => onName(event.currentTarget.value)}
      />
    </div>
  );
}

/** The chosen folders of a vault; null for all. */
export function chosenFolders({ folders }: ImportPreview): string[] | null {
  const names = folders.filter((each) => each.chosen).map((each) => each.name);
  return names.length < folders.length ? names : null;
}

function Folders({ preview }: { preview: ImportPreview }) {
  const imports = useImports();
  const { folders, instructions, new_pet } = preview;
  const several = preview.kind === "workspaces";
  if (folders.length < (several ? 1 : 2)) return null;
  const choose = (name: string, wanted: boolean) => {
    const names = folders.filter((each) => (each.name === name ? wanted : each.chosen)).map((each) => each.name);
    void imports.change(instructions, new_pet, names.length < folders.length ? names : null);
  };
  return (
    <fieldset class="import-part">
      <legend>{t(several ? "moving.folders.pets" : "moving.folders")}</legend>
      {folders.map((each) => (
        <label class="tick" key={each.name}>
          <input
            type="checkbox"
            checked={each.chosen}
            onChange={(event) => choose(each.name, event.currentTarget.checked)}
          />
          <span>
            {each.pet || each.name || t("moving.folders.root")}{" "}
            <span class="quiet-text">{several ? each.name : t("moving.notes", { count: number(each.notes) })}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function Files({ preview }: { preview: ImportPreview }) {
  const notes = preview.files.filter((each) => isNote(each));
  const files = preview.files.filter((each) => !(each.day || isNote(each)));
  const days = preview.files.filter((each) => each.day);
  if (preview.files.length === 0) return null;
  return (
    <section class="import-part" aria-label={t("moving.files")}>
      {files.map((each) => {
        const open = preview.files.length === 1 || (each.file === "SOUL.md" && replaces(each, preview));
        return <FileRow key={each.file} file={each} replaces={replaces(each, preview)} open={open} />;
      })}
      {notes.length > 0 && (
        <details class="import-group">
          <summary>
            <Icon name="chevron" />
            <Icon name="file" />
            <span class="import-what">{t("moving.notes", { count: number(notes.length) })}</span>
          </summary>
          {notes.map((each) => (
            <FileRow key={each.file} file={each} replaces={replaces(each, preview)} open={false} />
          ))}
        </details>
      )}
      {days.length > 0 && (
        <details class="import-group">
          <summary>
            <Icon name="chevron" />
            <Icon name="calendar" />
            <span class="import-what">{t("moving.days", { count: days.length })}</span>
            <span class="quiet-text">{span(days.map((each) => dayOf(each.file)))}</span>
          </summary>
          {days.map((each) => (
            <FileRow key={each.file} file={each} replaces={replaces(each, preview)} open={false} />
          ))}
        </details>
      )}
    </section>
  );
}

function isNote(file: ImportFile): boolean {
  return !file.day && file.file.startsWith("memory/");
}

/** Whether the file takes the place of one that the pet has: a template as it was shipped. */
function replaces(file: ImportFile, preview: ImportPreview): boolean {
  return file.action === "create" && file.removed > 0 && !preview.new_pet;
}

function FileRow({ file, replaces, open }: { file: ImportFile; replaces: boolean; open: boolean }) {
  const [seen, setSeen] = useState(open);
  const name = <span class="import-what file-name">{file.day ? inFull(dayOf(file.file)) : file.file}</span>;
  if (file.action === "same") {
    return (
      <p class="import-row">
        <Icon name="check" />
        {name}
        <span class="quiet-text">{t("moving.file.same")}</span>
      </p>
    );
  }
  return (
    <details class="import-row" open={open} onToggle={(event) => event.currentTarget.open && setSeen(true)}>
      <summary>
        <Icon name="chevron" />
        {name}
        <span class="quiet-text">{replaces ? t("moving.file.replace") : change(file)}</span>
      </summary>
      {seen && <Changes file={file.file} />}
    </details>
  );
}

function change(file: ImportFile): string {
  if (file.action === "create") return t("moving.file.create");
  return t("moving.file.append", { count: number(file.added) });
}

function Changes({ file }: { file: string }) {
  const store = useStore();
  const loaded = useLoad(() => store.commands.getImportDiff({ file }), [file]);
  if (!loaded.value) return <Loading of={loaded} lines={3} />;
  return <DiffView diff={loaded.value} label={file} />;
}

function Talks({ preview }: { preview: ImportPreview }) {
  const { talks, talks_new, talks_there, messages } = preview;
  const total = talks_new + talks_there;
  if (total === 0) return null;
  return (
    <section class="import-part">
      <details class="import-group" open={total <= 8}>
        <summary>
          <Icon name="chevron" />
          <Icon name="chat" />
          <span class="import-what">{t("moving.talks", { count: number(talks_new) })}</span>
          <span class="quiet-text">{talks_new > 0 && t("moving.messages", { count: number(messages) })}</span>
        </summary>
        <ul class="import-talks">
          {talks.map((talk, at) => (
            <li key={at} class={talk.there ? "there" : ""}>
              <span class="import-title" dir="auto">
                {talk.title || t("moving.untitled")}
              </span>
              <span class="quiet-text">
                {[talk.at && shortDay(talk.at), aboutTalk(talk)].filter(Boolean).join(" · ")}
              </span>
            </li>
          ))}
          {total > talks.length && (
            <li class="quiet-text">{t("moving.more", { count: number(total - talks.length) })}</li>
          )}
        </ul>
      </details>
      {talks_there > 0 && <p class="note">{t("moving.there", { count: number(talks_there) })}</p>}
    </section>
  );
}

function aboutTalk(talk: ImportPreview["talks"][number]): string {
  if (talk.there) return t("moving.there_mark");
  return t("moving.messages", { count: number(talk.messages) });
}

function LeftOut({ preview, mine }: { preview: ImportPreview; mine: string }) {
  const imports = useImports();
  const { skipped, skipped_total, left_out, orders, instructions, new_pet } = preview;
  const total = skipped_total + left_out.length;
  if (total === 0 && !orders) return null;
  return (
    <section class="import-part" aria-label={t("moving.left")}>
      {total > 0 && (
        <details class="import-group" open={total <= 12}>
          <summary>
            <Icon name="chevron" />
            <span class="import-what">{t("moving.left")}</span>
            <span class="quiet-text">{number(total)}</span>
          </summary>
          <ul class="import-talks">
            {skipped.map((each) => (
              <li key={`${each.name} ${each.reason}`}>
                <span class="file-name import-title">{each.name}</span>
                <span class="quiet-text">{t(`moving.skip.${each.reason}`, { name: mine })}</span>
              </li>
            ))}
            {skipped_total > skipped.length && (
              <li class="quiet-text">{t("moving.more", { count: number(skipped_total - skipped.length) })}</li>
            )}
            {left_out.map((each) => (
              <li key={each.kind}>
                <span class="import-title">{t(`moving.left.${each.kind}`)}</span>
                <span class="quiet-text">{number(each.count)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {orders && (
        <Tick
          label={t("moving.orders")}
          note={t("moving.orders_note")}
          checked={instructions}
          onChange={(ticked) => void imports.change(ticked, new_pet, chosenFolders(preview))}
        />
      )}
    </section>
  );
}

interface MayRememberProps {
  name: string;
  newPet: boolean;
  memory: boolean | null;
  onChoose: (memory: boolean) => void;
}

/** Nothing is preselected: with yes, these texts may leave the computer. */
function MayRemember({ name, newPet, memory, onChoose }: MayRememberProps) {
  const app = useStore().app.value;
  const host = app && !app.demo ? app.host : "";
  const goes = newPet ? t("moving.memory.yes_note_new") : t("moving.memory.yes_note", { host });
  return (
    <fieldset class="setting choice import-into">
      <legend>{name ? t("moving.memory", { name }) : t("moving.memory_new")}</legend>
      <Option
        group="import-memory"
        icon="brain"
        label={t("moving.memory.yes")}
        note={host ? goes : t("moving.memory.yes_note_demo")}
        chosen={memory === true}
        onChoose={() => onChoose(true)}
      />
      <Option
        group="import-memory"
        icon="search"
        label={t("moving.memory.no")}
        note={t("moving.memory.no_note")}
        chosen={memory === false}
        onChoose={() => onChoose(false)}
      />
    </fieldset>
  );
}

function dayOf(file: string): string {
  return file.replace(/^memory\//, "").replace(/\.md$/, "");
}

function span(days: string[]): string {
  const sorted = [...days].sort();
  const [first, last] = [sorted[0], sorted[sorted.length - 1]];
  if (!first || !last) return "";
  return first === last ? inFull(first) : t("moving.span", { from: inFull(first), to: inFull(last) });
}

/** Return a date without a time, or the day of a moment. */
function inFull(day: string): string {
  return shortDay(`${day}T12:00:00`);
}

function shortDay(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  return new Intl.DateTimeFormat(locale(), { year: "numeric", month: "short", day: "numeric" }).format(at);
}

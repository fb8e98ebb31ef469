/**
 * Settings > Privacy > Import: another program's memories and conversations, or a whole pet. The owner chooses with
 * the system's dialog or pastes a list, sees every change, and only then runs it; done imports can be undone.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ErrorInfo, ImportDone, ImportState } from "../../bindings";
import { Icon, type IconName } from "../../components/icons";
import { Confirm } from "../../components/overlays";
import { useDropZone } from "../../input/drops";
import { kindName } from "../../memory/places";
import { useStore } from "../../state/context";
import { bytes, dayAndTime, errorText, number } from "../../texts";
import { amounts, chosenFolders, Preview } from "./preview";
import "./imports.css";
import { Fault, Folded } from "../../components/controls";
import { useImports } from "./state";
import { type Key, t } from "./words";

function Past({ except }: { except: string }) {
  const imports = useImports();
  const shown = imports.past.value.filter((each) => each.id !== except);
  if (shown.length === 0) return null;
  return (
    <>
      <h4>{t("moving.past")}</h4>
      <ul class="cards import-past">
        {shown.map((each) => (
          <li key={each.id} class="card-row">
            <div class="card-main">
              <span class="title">{each.new_pet ? each.name : kindName(each.kind)}</span>
              <span class="quiet-text">{[dayAndTime(each.at), brought(each)].filter(Boolean).join(" · ")}</span>
            </div>
            {each.undoable ? (
              <UndoImport done={each} />
            ) : (
              <span class="quiet-text">{t("moving.past_self", { name: each.name })}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Return the amounts of an import, or the name of its kind for a whole pet. */
function brought(done: ImportDone): string {
  return done.kind === "pet" ? kindName("pet") : amounts(done) || t("moving.done_nothing");
}

function UndoImport({ done }: { done: ImportDone }) {
  const store = useStore();
  const imports = useImports();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);

  async function undo(): Promise<void> {
    setBusy(true);
    const left = await imports.undo(done.id);
    setBusy(false);
    if (left)
      store.notices.tell(left.length > 0 ? t("moving.undone_left", { names: names(left) }) : t("moving.undone"));
  }

  return (
    <>
      <button type="button" disabled={busy} onClick={() => (done.new_pet ? setAsking(true) : void undo())}>
        <Icon name="undo" />
        {t("moving.undo")}
      </button>
      {asking && (
        <Confirm
          title={t("moving.undo_pet_title", { name: done.name })}
          text={t("moving.undo_pet_text", { name: done.name })}
          action={t("moving.undo_pet")}
          onClose={() => setAsking(false)}
          onConfirm={() => void undo()}
        />
      )}
    </>
  );
}

/** File names; ids of conversations mean nothing to the owner and are counted. */
function names(left: readonly string[]): string {
  const files = left.filter((each) => each.endsWith(".md"));
  const talks = left.length - files.length;
  const counted = talks > 0 ? [t("moving.talks", { count: number(talks) })] : [];
  return [...files, ...counted].join(t("ui.list.and"));
}

function Done({ done }: { done: ImportDone }) {
  const store = useStore();
  const imports = useImports();
  const heading = done.new_pet ? t("moving.done_pet", { name: done.name }) : t("moving.done");

  async function visit(): Promise<void> {
    await store.saver.now();
    await store.commands.switchPet({ pet: done.pet });
  }

  return (
    <div class="import-card import-done" role="status">
      <p class="import-head">
        <Icon name="check" />
        <b>{heading}</b>
      </p>
      {done.kind !== "pet" && <p>{brought(done)}</p>}
      <div class="row">
        {done.new_pet ? (
          <button type="button" class="primary" onClick={() => void store.notices.attempt(visit)}>
            {t("moving.visit", { name: done.name })}
          </button>
        ) : (
          <>
            {done.files + done.days > 0 && (
              <button type="button" class="primary" onClick={() => store.navigation.openSettings("us")}>
                {t("moving.see_memory")}
              </button>
            )}
            {done.conversations > 0 && (
              <button type="button" onClick={() => store.navigation.show("history")}>
                {t("moving.see_talks")}
              </button>
            )}
          </>
        )}
        <UndoImport done={done} />
        <button type="button" class="link soft" onClick={() => void imports.stop()}>
          {t("moving.other")}
        </button>
      </div>
    </div>
  );
}

const CAN: { id: "pet" | "workspace" | "vault" | "chats" | "tavern"; icon: IconName }[] = [
  { id: "workspace", icon: "folder" },
  { id: "vault", icon: "file" },
  { id: "chats", icon: "chat" },
  { id: "tavern", icon: "user" },
  { id: "pet", icon: "paw" },
];

export function Import() {
  const imports = useImports();
  useEffect(() => void imports.load(), []);
  const now = imports.now.value;
  const phase = now?.phase ?? "none";
  const problem = imports.problem.value;
  const free = (phase === "none" || phase === "failed" || phase === "done") && !imports.choosing.value;
  const { over, zone } = useDropZone(
    (event) => free && event.dataTransfer?.types.includes("Files") === true,
    (transfer) => void imports.take(transfer?.files.length ?? 0),
  );
  return (
    <section class="import" aria-label={t("moving.title")} {...zone}>
      {over && (
        <div class="drop-here" aria-hidden="true">
          <Icon name="file" />
          {t("moving.drop")}
        </div>
      )}
      {problem && (
        <Fault>
          <p>{errorText(problem)}</p>
        </Fault>
      )}
      {phase === "none" && <Start />}
      {now && (phase === "writing" || (phase === "reading" && !now.preview)) && <Underway now={now} />}
      {now?.preview && (phase === "ready" || phase === "reading") && <Preview now={now} preview={now.preview} />}
      {now?.done && phase === "done" && <Done done={now.done} />}
      {now?.error && phase === "failed" && <Failed now={now} error={now.error} />}
      {(phase === "none" || phase === "done") && <Past except={now?.done?.id ?? ""} />}
    </section>
  );
}

function Start() {
  const imports = useImports();
  const [pasting, setPasting] = useState(false);
  const busy = imports.choosing.value;
  return (
    <>
      <h3>{t("moving.title")}</h3>
      <div class="row import-ways">
        <button type="button" class="primary" disabled={busy} onClick={() => void imports.choose("file")}>
          <Icon name="file" />
          {t("moving.file")}
        </button>
        <button type="button" disabled={busy} onClick={() => void imports.choose("folder")}>
          <Icon name="folder" />
          {t("moving.folder")}
        </button>
        <button type="button" aria-expanded={pasting} onClick={() => setPasting(!pasting)}>
          <Icon name="copy" />
          {t("moving.paste")}
        </button>
      </div>
      {pasting && <Paste />}
      <Folded title={t("moving.can")}>
        <ul class="import-can">
          {CAN.map(({ id, icon }) => (
            <li key={id}>
              <Icon name={icon} />
              <div>
                <b>{t(`moving.can.${id}`)}</b>
                <p class="note">{t(`moving.can.${id}_how`)}</p>
              </div>
            </li>
          ))}
        </ul>
      </Folded>
    </>
  );
}

function Paste() {
  const imports = useImports();
  const [text, setText] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    form.current?.scrollIntoView?.({ block: "nearest" });
    form.current?.querySelector("textarea")?.focus({ preventScroll: true });
  }, []);
  return (
    <form
      ref={form}
      class="import-paste"
      onSubmit={(event) => {
        event.preventDefault();
        void imports.paste(text);
      }}
    >
      <label for="import-list">{t("moving.paste_label")}</label>
      <textarea
        id="import-list"
        rows={7}
        dir="auto"
        maxLength={900_000}
        value={text}
        placeholder={t("moving.paste_hint")}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <div class="row end">
        <button type="submit" class="primary" disabled={!text.trim()}>
          {t("moving.look")}
        </button>
      </div>
    </form>
  );
}

function Underway({ now }: { now: ImportState }) {
  const imports = useImports();
  const writing = now.phase === "writing";
  const { done, total } = imports.progress.value;
  const words = writing ? t("moving.writing") : readingWords(now.source);
  return (
    <div class="import-card" role="status">
      <p class="import-head">{words}</p>
      <progress aria-label={words} {...(total > 0 ? { value: Math.min(done, total), max: total } : {})} />
      <div class="row">
        <button type="button" onClick={() => void imports.stop()}>
          {t(writing ? "moving.stop" : "ui.cancel")}
        </button>
        <span class="quiet-text">
          {writing ? t("moving.stop_note") : done > 0 && t("moving.so_far", { size: bytes(done) })}
        </span>
      </div>
    </div>
  );
}

function readingWords(source: string): string {
  const key: Key = source ? "moving.reading" : "moving.reading_pasted";
  return t(key, { source });
}

function Failed({ now, error }: { now: ImportState; error: ErrorInfo }) {
  const imports = useImports();
  const before = now.preview;
  return (
    <Fault>
      <p>{errorText(error)}</p>
      <div class="row">
        <button type="button" onClick={() => void imports.stop()}>
          {t("moving.other")}
        </button>
        {before && (
          <button
            type="button"
            onClick={() =>
              void imports.change(before.instructions, before.new_pet && !before.pet, chosenFolders(before))
            }
          >
            {t("moving.again")}
          </button>
        )}
      </div>
    </Fault>
  );
}

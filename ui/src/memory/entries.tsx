/** One day's log or one core file, entry by entry, each with Forget; the place asked for is brought into sight. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { EntriesView, EntryView, PromiseView } from "../bindings";
import { revealHidden } from "../components/diff/diff";
import { Icon } from "../components/icons";
import { type Loaded, Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { errorText, number, t, tn } from "../texts";
import { ForgetDialog } from "./forget";
import { categoryName, dayInFull, dayName, dayOf } from "./places";
import { dueWords, PromiseAnswers } from "./promises";

export function Entries({ file }: { file: string }) {
  const store = useStore();
  const loaded = useEntries(file);
  const view = loaded.value;
  const [forgetting, setForgetting] = useState<EntryView | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const found = usePlace(file, view, list);
  const day = dayOf(file);
  return (
    <section class="entries" aria-label={day === null ? file : dayInFull(day)}>
      <header>
        <h3>{day === null ? file : dayInFull(day)}</h3>
        {view && view.entries.length > 0 && <span class="quiet-text entries-sum">{amount(view)}</span>}
        <button type="button" class="quiet-button" onClick={() => store.openFile(file)}>
          <Icon name="pencil" />
          {t("ui.entries.edit")}
        </button>
      </header>
      <Loading of={loaded} lines={6} />
      {view && <NoEntries view={view} />}
      <ul ref={list}>
        {view?.entries.map((entry) => (
          <Entry
            key={`${entry.start_line} ${entry.text}`}
            file={file}
            entry={entry}
            found={entry === found}
            onForget={() => setForgetting(entry)}
          />
        ))}
      </ul>
      {forgetting && (
        <ForgetDialog
          what={{ file, start_line: forgetting.start_line, end_line: forgetting.end_line }}
          onClose={() => setForgetting(null)}
        />
      )}
    </section>
  );
}

/** How much it is: "9 entries, 612 characters". */
function amount({ entries, file }: EntriesView): string {
  const counted = tn("ui.shelf.entry", "ui.shelf.entries", entries.length);
  return [counted, t("ui.sees.size", { characters: number(file.text.length) })].join(t("ui.list.and"));
}

function NoEntries({ view }: { view: EntriesView }) {
  const { file, entries } = view;
  if (file.state === "broken") {
    return (
      <div class="fault" role="alert">
        <Icon name="warning" />
        <p>{errorText({ code: file.problem, args: { file: file.file }, retryable: false })}</p>
      </div>
    );
  }
  if (entries.length > 0) return null;
  const empty = file.file === "MEMORY.md" ? "ui.file.no_memory" : "ui.entries.none";
  return file.text.trim() ? <p class="piece-text">{revealHidden(file.text)}</p> : <p class="note">{t(empty)}</p>;
}

interface EntryProps {
  file: string;
  entry: EntryView;
  found: boolean;
  onForget: () => void;
}

function Entry({ file, entry, found, onForget }: EntryProps) {
  const log = dayOf(file) !== null;
  const promise = usePromise(file, entry);
  const forget = t("ui.entries.forget", { text: entry.text.slice(0, 40) });
  return (
    <li class={found ? "entry found" : "entry"} tabIndex={-1} data-line={entry.start_line}>
      <div class="entry-head">
        {entry.time && <time>{entry.time.slice(0, 5)}</time>}
        {entry.heading &&
          (log ? <span class="category">{categoryName(entry.heading)}</span> : <b>{entry.heading}</b>)}
        {entry.due && (
          <span class="quiet-text">
            {promise ? dueWords(promise) : t("ui.entries.due", { day: dayName(entry.due) })}
          </span>
        )}
        {entry.state === "done" && (
          <span class="done">
            <Icon name="check" />
            {t("ui.entries.done")}
          </span>
        )}
        <span class="space" />
        <button type="button" class="quiet" aria-label={forget} data-tip={t("ui.receipt.forget")} onClick={onForget}>
          <Icon name="trash" />
        </button>
      </div>
      <p class="entry-text">{revealHidden(entry.text)}</p>
      {promise && <PromiseAnswers promise={promise} />}
    </li>
  );
}

/** The open promise that this entry is, so that it can be answered where it stands. */
function usePromise(file: string, entry: EntryView): PromiseView | undefined {
  const store = useStore();
  if (entry.state !== "open" || !entry.due) return undefined;
  const list = store.memory.promises.value;
  const all = [...(list?.due ?? []), ...(list?.coming ?? [])];
  const same = (each: PromiseView) => each.file === file && each.text === entry.text && each.line <= entry.start_line;
  return all.filter(same).sort((one, other) => other.line - one.line)[0];
}

function useEntries(file: string): Loaded<EntriesView> {
  const store = useStore();
  const version = store.versionsOf((each) => each === file);
  return useLoad(() => store.commands.readEntries({ file }), [version, store.memory.forgotten.value], file);
}

/** Scrolls to the entry that was asked for, and gives it the focus, once. */
function usePlace(file: string, view: EntriesView | null, list: { current: HTMLElement | null }): EntryView | null {
  const store = useStore();
  const [found, setFound] = useState<EntryView | null>(null);
  const asked = store.memory.place.value;

  useEffect(() => {
    if (!view || asked?.path !== file) return;
    store.memory.place.value = null;
    const entry = view.entries.find(
      (each) => each.start_line <= asked.start_line && asked.start_line <= each.end_line,
    );
    setFound(entry ?? null);
    const item = entry && list.current?.querySelector<HTMLElement>(`[data-line="${entry.start_line}"]`);
    item?.focus();
    item?.scrollIntoView?.({ block: "center" });
  }, [asked, view, file]);

  return found;
}

/** Settings > About you and us > Days: the days of the log, the entries of a day or core file, and search results. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { EntriesView, EntryView, LogDay, ReminderView } from "../bindings";
import { ExtraLinks, Fault, IconButton, SearchField } from "../components/controls";
import { revealHidden } from "../components/diff";
import { Icon } from "../components/icons";
import { type Loaded, Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { errorText, number, t } from "../texts";
import { CopiesNotice } from "./copies";
import { ForgetDialog } from "./forget";
import { categoryName, dayInFull, dayName, dayOf, fileName, monthName } from "./places";
import { dueWords, ReminderAnswers } from "./reminders";
import { Results } from "./search";
import { quoted } from "./spoken";
import { Why } from "./why";

function Entries({ file }: { file: string }) {
  const store = useStore();
  const loaded = useEntries(file);
  const view = loaded.value;
  const [forgetting, setForgetting] = useState<EntryView | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const current = usePlace(file, view, list);
  const day = dayOf(file);
  return (
    <section class="entries" aria-label={day === null ? file : dayInFull(day)}>
      <header>
        <h3>{day === null ? file : dayInFull(day)}</h3>
        {view && view.entries.length > 0 && <span class="quiet-text entries-sum">{entryCount(view)}</span>}
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
            current={entry === current}
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

/** Return the size: "9 entries, 612 characters". */
function entryCount({ entries, file }: EntriesView): string {
  const counted = t("ui.shelf.entries", { count: entries.length });
  return [counted, t("ui.sees.size", { characters: number(file.text.length) })].join(t("ui.list.and"));
}

function NoEntries({ view }: { view: EntriesView }) {
  const { file, entries } = view;
  if (file.state === "broken") {
    return (
      <Fault>
        <p>{errorText({ code: file.problem, args: { file: fileName(file.file) }, retryable: false })}</p>
      </Fault>
    );
  }
  if (entries.length > 0) return null;
  const empty = file.file === "MEMORY.md" ? "ui.file.no_memory" : "ui.entries.none";
  return file.text.trim() ? <p class="piece-text">{revealHidden(file.text)}</p> : <p class="note">{t(empty)}</p>;
}

interface EntryProps {
  file: string;
  entry: EntryView;
  current: boolean;
  onForget: () => void;
}

function Entry({ file, entry, current, onForget }: EntryProps) {
  const log = dayOf(file) !== null;
  const reminder = useReminder(file, entry);
  const [why, setWhy] = useState(false);
  const text = shownText(entry.text).slice(0, 40);
  return (
    <li class={current ? "entry found" : "entry"} tabIndex={-1} data-line={entry.start_line}>
      <div class="entry-head">
        {entry.time && <time>{entry.time.slice(0, 5)}</time>}
        {entry.heading &&
          (log ? <span class="category">{categoryName(entry.heading)}</span> : <b>{entry.heading}</b>)}
        {entry.due && (
          <span class="quiet-text">
            {reminder ? dueWords(reminder) : t("ui.entries.due", { day: dayName(entry.due) })}
          </span>
        )}
        {entry.state === "done" && (
          <span class="done">
            <Icon name="check" />
            {t("ui.entries.done")}
          </span>
        )}
        <span class="space" />
        <IconButton
          icon="search"
          label={t("ui.entries.why", { text })}
          aria-expanded={why}
          data-tip={t("ui.about.why")}
          onClick={() => setWhy(!why)}
        />
        <IconButton
          icon="trash"
          label={t("ui.entries.forget", { text })}
          data-tip={t("ui.receipt.forget")}
          onClick={onForget}
        />
      </div>
      <p class="entry-text">{revealHidden(shownText(entry.text))}</p>
      {why && <Why file={file} line={entry.start_line} />}
      {reminder && <ReminderAnswers reminder={reminder} />}
    </li>
  );
}

/** Return an entry's text without the label that it is the owner's: all are, unless another name stands there. */
function shownText(text: string): string {
  const { who, words } = quoted(text);
  return who === "owner" ? words : text;
}

/** Return the open reminder of an entry, to be answered here. */
function useReminder(file: string, entry: EntryView): ReminderView | undefined {
  const store = useStore();
  if (entry.state !== "open" || !entry.due) return undefined;
  const list = store.memory.reminders.value;
  const all = [...(list?.due ?? []), ...(list?.coming ?? [])];
  const same = (each: ReminderView) =>
    each.file === file && each.text === entry.text && each.line <= entry.start_line;
  return all.filter(same).sort((one, other) => other.line - one.line)[0];
}

function useEntries(file: string): Loaded<EntriesView> {
  const store = useStore();
  const version = store.files.versionsOf((each) => each === file);
  return useLoad(() => store.commands.readEntries({ file }), [version, store.memory.forgotten.value], file);
}

/** Scroll to the requested entry and focus it, once. */
function usePlace(file: string, view: EntriesView | null, list: { current: HTMLElement | null }): EntryView | null {
  const store = useStore();
  const [current, setCurrent] = useState<EntryView | null>(null);
  const place = store.memory.place.value;

  useEffect(() => {
    if (!view || place?.path !== file) return;
    store.memory.place.value = null;
    const entry = view.entries.find(
      (each) => each.start_line <= place.start_line && place.start_line <= each.end_line,
    );
    setCurrent(entry ?? null);
    const item = entry && list.current?.querySelector<HTMLElement>(`[data-line="${entry.start_line}"]`);
    item?.focus();
    item?.scrollIntoView?.({ block: "center" });
  }, [place, view, file]);

  return current;
}

const CORE = ["USER.md", "MEMORY.md"];
const FIRST_MONTHS = 6;
const MORE_MONTHS = 12;

export function Browser() {
  const { memory } = useStore();
  const sought = memory.sought.value.trim();
  return (
    <>
      <SearchField
        value={memory.sought.value}
        placeholder={t("ui.search.placeholder")}
        label={t("ui.search.label")}
        onInput={(words) => (memory.sought.value = words)}
      />
      <CopiesNotice of={(file) => file.startsWith("memory/")} />
      {sought ? <Results query={sought} /> : <Shelf />}
      <IndexLine />
    </>
  );
}

function Shelf() {
  const store = useStore();
  const loaded = useDays();
  const days = loaded.value;
  const chosen = store.memory.file.value || days?.[0]?.file || "MEMORY.md";
  return (
    <div class="shelf">
      <nav class="shelf-list" aria-label={t("ui.shelf.label")}>
        <div class="shelf-core">
          {CORE.map((name) => (
            <button
              type="button"
              key={name}
              aria-current={chosen === name ? "page" : undefined}
              onClick={() => store.memory.browse(name)}
            >
              <Icon name={name === "USER.md" ? "user" : "book"} />
              {t(name === "USER.md" ? "ui.memory.about" : "ui.memory.between")}
              <span class="file-name">{name}</span>
            </button>
          ))}
        </div>
        <Loading of={loaded} lines={3} />
        {days && <Months days={days} chosen={chosen} />}
        {days && days.length > 0 && <p class="note">{dayCount(days)}</p>}
        {days?.length === 0 && (
          <>
            <p class="note">{t("ui.shelf.no_logs")}</p>
            <ExtraLinks from="memory" />
          </>
        )}
      </nav>
      {(days || loaded.failed) && <Entries key={chosen} file={chosen} />}
    </div>
  );
}

/** Return the size of all logs: "41 days, 312 entries". */
function dayCount(days: LogDay[]): string {
  const entries = days.reduce((sum, each) => sum + each.entries, 0);
  const counted = t("ui.shelf.days", { count: number(days.length) });
  return [counted, t("ui.shelf.entries", { count: number(entries) })].join(t("ui.list.and"));
}

function Months({ days, chosen }: { days: LogDay[]; chosen: string }) {
  const [wanted, setWanted] = useState(FIRST_MONTHS);
  const months = byMonth(days);
  const names = [...months.keys()];
  const open = names.indexOf(dayOf(chosen)?.slice(0, 7) ?? "");
  const shown = Math.max(wanted, open + 1);
  return (
    <>
      {names.slice(0, shown).map((month, at) => (
        <Month
          key={month}
          month={month}
          days={months.get(month) ?? []}
          chosen={chosen}
          open={open < 0 ? at === 0 : at === open}
        />
      ))}
      {shown < names.length && (
        <button type="button" class="quiet-button" onClick={() => setWanted(shown + MORE_MONTHS)}>
          {t("ui.shelf.earlier")}
        </button>
      )}
    </>
  );
}

interface MonthProps {
  month: string;
  days: LogDay[];
  chosen: string;
  /** the month of the shown day is open; others on demand */
  open: boolean;
}

function Month({ month, days, chosen, open }: MonthProps) {
  const store = useStore();
  return (
    <details class="month" open={open}>
      <summary>
        <Icon name="chevron" />
        {monthName(month)}
        <span class="quiet-text">{t("ui.shelf.days", { count: days.length })}</span>
      </summary>
      <div class="days">
        {days.map((day) => (
          <button
            type="button"
            key={day.file}
            aria-current={day.file === chosen ? "page" : undefined}
            aria-label={`${dayInFull(day.day)}, ${t("ui.shelf.entries", { count: day.entries })}`}
            data-tip={t("ui.shelf.entries", { count: day.entries })}
            onClick={() => store.memory.browse(day.file)}
          >
            {Number(day.day.slice(8))}
            <span class="pips" aria-hidden="true">
              {"\u00b7".repeat(Math.min(4, day.entries))}
            </span>
          </button>
        ))}
      </div>
    </details>
  );
}

function byMonth(days: LogDay[]): Map<string, LogDay[]> {
  const months = new Map<string, LogDay[]>();
  for (const day of days) {
    const month = day.day.slice(0, 7);
    months.set(month, [...(months.get(month) ?? []), day]);
  }
  return months;
}

function useDays(): Loaded<LogDay[]> {
  const store = useStore();
  const version = store.files.versionsOf((file) => dayOf(file) !== null);
  return useLoad(async () => (await store.commands.listLogs()).days, [version, store.memory.forgotten.value]);
}

/** How far the search index is, while it isn't complete. */
function IndexLine() {
  const store = useStore();
  const index = store.memory.index.value;
  useEffect(() => void store.memory.loadIndex(), []);
  if (!index) return null;
  const { done, total, embedder } = index;
  if (embedder !== null && done >= total) return null;
  const counts = { done: number(done), total: number(total) };
  return (
    <div class="index-line">
      <p class="quiet-text" role="status">
        {embedder === null ? t("ui.index.words_only") : t("ui.index.some", counts)}
      </p>
      {embedder !== null && (
        <progress class="index-bar" max={Math.max(1, total)} value={done} aria-label={t("ui.index.progress")} />
      )}
    </div>
  );
}

/** The size of the search index, and building it anew: it is a cache, so nothing is lost. */
export function RebuildIndex() {
  const store = useStore();
  const index = store.memory.index.value;
  const [busy, setBusy] = useState(false);
  useEffect(() => void store.memory.loadIndex(), []);

  async function rebuild(): Promise<void> {
    setBusy(true);
    await store.notices.attempt(() => store.commands.rebuildIndex());
    await store.memory.loadIndex();
    setBusy(false);
  }

  return (
    <div class="setting">
      {index && index.embedder !== null && (
        <p class="note" role="status">
          {t(index.done < index.total ? "ui.index.some" : "ui.index.all", {
            done: number(index.done),
            total: number(index.total),
          })}
        </p>
      )}
      <button type="button" disabled={busy} onClick={() => void rebuild()}>
        {t("ui.index.rebuild")}
      </button>
      <p class="note">{t("ui.index.rebuild_note")}</p>
    </div>
  );
}

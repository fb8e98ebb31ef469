/** Settings > Memory > Everything: a search over all of it, the core files, and the logs by day, grouped by month. */
import { useEffect, useState } from "preact/hooks";
import type { LogDay } from "../bindings";
import { Icon } from "../components/icons";
import { type Loaded, Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { number, t, tn } from "../texts";
import { CopiesNotice } from "./copies";
import { Entries } from "./entries";
import { dayInFull, dayOf, monthName } from "./places";
import { Results, SearchField } from "./search";

const CORE = ["MEMORY.md", "USER.md"];
const FIRST_MONTHS = 6;
const MORE_MONTHS = 12;

export function Browser() {
  const store = useStore();
  const sought = store.memory.sought.value.trim();
  return (
    <>
      <SearchField />
      <CopiesNotice of={(file) => dayOf(file) !== null} />
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
              {name}
            </button>
          ))}
        </div>
        <Loading of={loaded} lines={3} />
        {days && <Months days={days} chosen={chosen} />}
        {days && days.length > 0 && <p class="note">{amount(days)}</p>}
        {days?.length === 0 && (
          <>
            <p class="note">{t("ui.shelf.no_logs")}</p>
            <button type="button" class="link" onClick={() => store.openMoving()}>
              {t("moving.link")}
            </button>
          </>
        )}
      </nav>
      {(days || loaded.failed) && <Entries key={chosen} file={chosen} />}
    </div>
  );
}

/** All logs together: "41 days, 312 entries". */
function amount(days: LogDay[]): string {
  const entries = days.reduce((sum, each) => sum + each.entries, 0);
  const counted = tn("ui.shelf.day", "ui.shelf.days", days.length, { count: number(days.length) });
  return [counted, tn("ui.shelf.entry", "ui.shelf.entries", entries, { count: number(entries) })].join(
    t("ui.list.and"),
  );
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
  /** the month that is read opens by itself; others by hand */
  open: boolean;
}

function Month({ month, days, chosen, open }: MonthProps) {
  const store = useStore();
  return (
    <details class="month" open={open}>
      <summary>
        <Icon name="chevron" />
        {monthName(month)}
        <span class="quiet-text">{tn("ui.shelf.day", "ui.shelf.days", days.length)}</span>
      </summary>
      <div class="days">
        {days.map((day) => (
          <button
            type="button"
            key={day.file}
            aria-current={day.file === chosen ? "page" : undefined}
            aria-label={`${dayInFull(day.day)}, ${tn("ui.shelf.entry", "ui.shelf.entries", day.entries)}`}
            data-tip={tn("ui.shelf.entry", "ui.shelf.entries", day.entries)}
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
  const version = store.versionsOf((file) => dayOf(file) !== null);
  return useLoad(async () => (await store.commands.listLogs()).days, [version, store.memory.forgotten.value]);
}

/** How much can be found how, and the way to make the index anew: it is a cache, nothing is lost with it. */
function IndexLine() {
  const store = useStore();
  const index = store.memory.index.value;
  const [busy, setBusy] = useState(false);
  useEffect(() => void store.memory.loadIndex(), []);
  if (!index) return null;
  const { done, total, embedder } = index;
  const counts = { done: number(done), total: number(total) };

  async function rebuild(): Promise<void> {
    setBusy(true);
    await store.attempt(() => store.commands.rebuildIndex());
    await store.memory.loadIndex();
    setBusy(false);
  }

  return (
    <div class="index-line">
      <p class="quiet-text" role="status">
        {embedder === null ? t("ui.index.words_only") : t(done < total ? "ui.index.some" : "ui.index.all", counts)}
      </p>
      {embedder !== null && done < total && (
        <progress class="index-bar" max={Math.max(1, total)} value={done} aria-label={t("ui.index.progress")} />
      )}
      <button
        type="button"
        class="link alone"
        data-tip={t("ui.index.rebuild_note")}
        disabled={busy}
        onClick={() => void rebuild()}
      >
        {t("ui.index.rebuild")}
      </button>
    </div>
  );
}

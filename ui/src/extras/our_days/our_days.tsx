/** Settings > About you and us > Our days: what grows with days together, told by the logs. */
import { useState } from "preact/hooks";
import type { DatedEntry, OurDays as Days, ThingView } from "../../bindings";
import { revealHidden } from "../../components/diff";
import { Loading, useLoad } from "../../components/loading";
import { dayInFull, dayName, monthName } from "../../memory/places";
import { useStore } from "../../state/context";
import "./our_days.css";
import { t } from "./words";

/** Days that are drawn at first, and with each click on "more". */
const FIRST = 60;
const MOST = 366;

export function OurDays() {
  const store = useStore();
  const [count, setCount] = useState(FIRST);
  const on = [store.files.change.value, store.memory.forgotten.value];
  const loaded = useLoad(() => store.commands.listOurDays({ count }), on, String(count));
  const days = loaded.value;
  if (!days) return <Loading of={loaded} lines={6} />;
  return (
    <section class="our-days" aria-label={t("ui.days.title")}>
      <p class="note">{t("ui.days.since", { day: dayInFull(days.since), count: days.days_together })}</p>
      <Shelf days={days} />
      <Told title={t("ui.days.this_day")} entries={days.this_day} days={days} named={yearsAgo} />
      <Told title={t("ui.days.firsts")} entries={days.firsts} days={days} named={firstOf} look="firsts" />
      {months(days.days).map(([month, entries]) => (
        <Told key={month} title={monthName(month)} entries={entries} days={days} named={dayOfMonth} />
      ))}
      {days.days.length === 0 && <p class="note">{t("ui.days.none")}</p>}
      {days.earlier && count < MOST && (
        <button type="button" class="quiet-button" onClick={() => setCount(Math.min(MOST, count + FIRST))}>
          {t("ui.days.earlier")}
        </button>
      )}
    </section>
  );
}

/** What it keeps of each month together. */
function Shelf({ days }: { days: Days }) {
  if (days.kept.length === 0) return null;
  return (
    <ul class="days-shelf" aria-label={t("ui.days.shelf")}>
      {days.kept.map((name, at) => (
        <li key={at}>
          <Thing name={name} things={days.things} alt={t("ui.days.month", { at: at + 1 })} />
        </li>
      ))}
    </ul>
  );
}

function Thing({ name, things, alt }: { name: string; things: ThingView[]; alt: string }) {
  return <img src={things.find((each) => each.name === name)?.image} alt={alt} draggable={false} />;
}

interface ToldProps {
  title: string;
  entries: DatedEntry[];
  days: Days;
  /** Words for when it was. */
  named: (entry: DatedEntry) => string;
  look?: "firsts";
}

function Told({ title, entries, days, named, look }: ToldProps) {
  const store = useStore();
  if (entries.length === 0) return null;
  const place = ({ file, line }: DatedEntry) => ({ path: file, start_line: line, end_line: line, turn: null });
  return (
    <section class={look ? `days-told ${look}` : "days-told"}>
      <h3>{title}</h3>
      <ul>
        {entries.map((each) => (
          <li key={`${each.file} ${each.line}`}>
            <button type="button" class="day-told" onClick={() => void store.openPlace(place(each))}>
              <Thing name={each.picture} things={days.things} alt="" />
              <span class="day-when">{named(each)}</span>
              <span dir="auto">{revealHidden(each.text)}</span>
              {each.more > 0 && <span class="quiet-text">{t("ui.days.more", { count: each.more })}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function months(entries: DatedEntry[]): [string, DatedEntry[]][] {
  const found = new Map<string, DatedEntry[]>();
  for (const each of entries) {
    const month = each.day.slice(0, 7);
    found.set(month, [...(found.get(month) ?? []), each]);
  }
  return [...found];
}

function dayOfMonth(entry: DatedEntry): string {
  return dayName(entry.day);
}

function yearsAgo(entry: DatedEntry): string {
  return t("ui.days.years_ago", { count: new Date().getFullYear() - Number(entry.day.slice(0, 4)) });
}

const FIRST_WORDS = {
  event: "ui.days.first_event",
  person: "ui.days.first_person",
  preference: "ui.days.first_preference",
  decision: "ui.days.first_decision",
} as const;

function firstOf(entry: DatedEntry): string {
  const words = FIRST_WORDS[entry.category as keyof typeof FIRST_WORDS];
  return `${t(words)} · ${dayName(entry.day)}`;
}

/** Names and icons of places in the pet's files: "USER.md", "21 Nov 2026", "a conversation". Pure. */
import type { ForeignSource } from "../bindings";
import type { IconName } from "../components/icons";
import { hasKey, type Key, locale, t } from "../texts";
import { shortDay, writtenDay } from "./spoken";

type SourceName = "profile" | "memory" | "log" | "conversation";

const ICONS: Record<SourceName, IconName> = {
  profile: "user",
  memory: "book",
  log: "calendar",
  conversation: "chat",
};
const WORDS: Record<SourceName, Key> = {
  profile: "ui.source.profile",
  memory: "ui.source.memory",
  log: "ui.source.log",
  conversation: "ui.source.conversation",
};

/** An unknown source, of a newer core, is shown as a log. */
function known(source: string): SourceName {
  return source in ICONS ? (source as SourceName) : "log";
}

export function sourceIcon(source: string): IconName {
  return ICONS[known(source)];
}

export function sourceName(source: string): string {
  return t(WORDS[known(source)]);
}

/** Return the day of a daily log's name, or null for any other file. */
export function dayOf(path: string): string | null {
  return /^memory\/(\d{4}-\d{2}-\d{2})\.md$/.exec(path)?.[1] ?? null;
}

export function placeName(path: string): string {
  const day = dayOf(path);
  if (day !== null) return dayName(day);
  return path.startsWith("conversations/") ? t("ui.source.conversation") : path;
}

/** Return a file's name within a sentence: "USER.md", "the log of 21 Nov". */
export function fileName(path: string): string {
  const day = dayOf(path);
  return day === null ? path : t("ui.receipt.log", { day: dayName(day) });
}

/** Return the name of a kind of import's source. */
export function kindName(kind: string): string {
  const key = `moving.kind.${kind}`;
  return hasKey(key) ? t(key) : kind;
}

const MOST_SOURCES = 5;

/** Return what of others is named before the owner; of a great many the first. */
export function sourceWords(sources: readonly ForeignSource[]): string {
  const words = sources.slice(0, MOST_SOURCES).map(({ kind, name }) => {
    const key = `ui.foreign.${kind}${name ? "" : "_some"}`;
    return hasKey(key) ? t(key, { name: kind === "import" ? kindName(name) : name }) : t("ui.foreign.other_some");
  });
  return [...words, ...(sources.length > MOST_SOURCES ? ["…"] : [])].join(t("ui.foreign.and"));
}

export function categoryName(category: string): string {
  const key = `ui.category.${category}`;
  return hasKey(key) ? t(key) : category;
}

function written(day: string, options: Intl.DateTimeFormatOptions): string {
  return writtenDay(day, locale(), options);
}

/** Return a day as "21 Nov 2026"; without the year in this year. */
export function dayName(day: string, today: Date = new Date()): string {
  return shortDay(day, locale(), today);
}

export function dayInFull(day: string): string {
  return written(day, { year: "numeric", month: "long", day: "numeric", weekday: "long" });
}

export function monthName(month: string): string {
  return written(`${month}-01`, { year: "numeric", month: "long" });
}

/**
 * Return when a reminder comes: "today", "tomorrow at 15:00", "on Friday" within a week, else "on 4 Dec"; "every
 * Monday at 9:00, first tomorrow". The same words as `when_words` of the core (`ui/src/tests/memory/when_words.test.json`).
 */
export function whenWords(due: string, at = "", repeats = "", today: Date = new Date()): string {
  const day = dayWords(due, today);
  if (!repeats) return at ? t("ui.when.at", { when: day, time: at }) : day;
  return t("ui.when.first", { series: at ? t("ui.when.at", { when: repeats, time: at }) : repeats, day });
}

function dayWords(day: string, today: Date): string {
  if (day === dayFromToday(0, today)) return t("ui.when.today");
  if (day === dayFromToday(1, today)) return t("ui.when.tomorrow");
  const soon = day > dayFromToday(0, today) && day < dayFromToday(7, today);
  return t("ui.when.on", { day: soon ? written(day, { weekday: "long" }) : dayName(day, today) });
}

/** Return a day from today as YYYY-MM-DD, on the owner's clock. */
export function dayFromToday(days: number, today: Date = new Date()): string {
  const at = new Date(today.getFullYear(), today.getMonth(), today.getDate() + days);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

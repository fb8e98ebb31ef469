/** Return a note as one would say it: without its leading author and its date. Pure. */
const SPEAKER = /^\s*(?:主人|宠物|owner|pet|user|assistant)\s?[:：]\s*/i;
const ISO = "\\d{4}-\\d{2}-\\d{2}";
const STAMP = new RegExp(
  `^\\[?${ISO}\\]?[:：]?\\s+|\\s*[(（[](?:(?:on|by|due|截止|到期)\\s*)?${ISO}[)）\\]]|\\s*@${ISO}`,
  "g",
);

export function plainNote(text: string): string {
  const words = text.replace(SPEAKER, "").replace(STAMP, "").trim();
  return words || text;
}

interface Quoted {
  who: "owner" | "pet" | null;
  words: string;
}

/** Return a piece of memory as shown: without its list mark and empty list items, its author apart. Pure. */
export function quoted(snippet: string): Quoted {
  const plain = snippet.replace(/^[ \t]*[-*+][ \t]*(?:\n|$)/gm, "").replace(/^\s*[-*+]\s+/, "");
  const speaker = SPEAKER.exec(plain)?.[0] ?? "";
  if (speaker === "" || speaker === plain) return { who: null, words: plain };
  return { who: /主人|owner|user/i.test(speaker) ? "owner" : "pet", words: plain.slice(speaker.length) };
}

/** Return a day as "21 Nov 2026"; without the year in this year. */
export function shortDay(day: string, locale: string, today: Date = new Date()): string {
  const thisYear = day.startsWith(`${today.getFullYear()}-`);
  return writtenDay(day, locale, { month: "short", day: "numeric", ...(thisYear ? {} : { year: "numeric" }) });
}

/** Return a day (YYYY-MM-DD) as written in a locale; any other text unchanged. */
export function writtenDay(day: string, locale: string, options: Intl.DateTimeFormatOptions): string {
  const at = new Date(`${day}T12:00:00`);
  return Number.isNaN(at.getTime()) ? day : new Intl.DateTimeFormat(locale, options).format(at);
}

/** The hour from which "this evening" is not offered. */
const EVENING = 18;

/** Whether a reminder can be snoozed until this evening. */
export function canSnoozeToEvening(now = new Date()): boolean {
  return now.getHours() < EVENING;
}

/**
 * Return a reminder's day and time ("2026-11-21T09:00"): an answer names it, so that one of a series is answered
 * once.
 */
export function reminderMoment({ due, at }: { due: string; at: string }): string {
  return at ? `${due}T${at}` : due;
}

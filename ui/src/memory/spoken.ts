/** A note's words as one would say them: without who said it in front, and without the date that is shown beside it. Pure. */
const SPEAKER = /^\s*(?:主人|宠物|owner|pet|user|assistant)\s?[:：]\s*/i;
const ISO = "\\d{4}-\\d{2}-\\d{2}";
const STAMP = new RegExp(
  `^\\[?${ISO}\\]?[:：]?\\s+|\\s*[(（[](?:(?:on|by|due|截止|到期)\\s*)?${ISO}[)）\\]]|\\s*@${ISO}`,
  "g",
);

export function spokenWords(text: string): string {
  const words = text.replace(SPEAKER, "").replace(STAMP, "").trim();
  return words || text;
}

export interface Quoted {
  who: "owner" | "pet" | null;
  words: string;
}

/** A piece of memory as it is shown: without its mark of a list, and who said it apart. Pure. */
export function quoted(snippet: string): Quoted {
  const plain = snippet.replace(/^\s*[-*+]\s+/, "");
  const speaker = SPEAKER.exec(plain)?.[0] ?? "";
  if (speaker === "" || speaker === plain) return { who: null, words: plain };
  return { who: /主人|owner|user/i.test(speaker) ? "owner" : "pet", words: plain.slice(speaker.length) };
}

/** The hour from which on "this evening" is no later time any more. */
const EVENING = 18;

/** Whether a reminder can still be put off until this evening. */
export function eveningAhead(now = new Date()): boolean {
  return now.getHours() < EVENING;
}

/** The day of a reminder, and its hour after a T: what an answer to it names, so that one of a series is answered once. */
export function momentOf({ due, at }: { due: string; at: string }): string {
  return at ? `${due}T${at}` : due;
}

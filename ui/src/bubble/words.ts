/** The bubble's own words; it has no other catalogue, so that it stays small. */
import en from "@texts/en/bubble.json";
import enChat from "@texts/en/chat.json";
import es from "@texts/es/bubble.json";
import esChat from "@texts/es/chat.json";
import zh from "@texts/zh/bubble.json";
import zhChat from "@texts/zh/chat.json";
import type { BubbleView } from "../bindings";

/** What an answer to choose from says: the chat's own words, in the language of the reply. */
export function quickWord(language: BubbleView["language"], key: string): string {
  const words: Record<BubbleView["language"], Record<string, string>> = { en: enChat, zh: zhChat, es: esChat };
  return words[language][key] ?? "";
}

export type Word = keyof typeof en;

export function wordsOf(language: BubbleView["language"]): (word: Word, args?: Record<string, string>) => string {
  const words: Record<Word, string> = { en, zh, es }[language];
  return (word, args = {}) => words[word].replace(/\{(\w+)\}/g, (whole, name: string) => args[name] ?? whole);
}

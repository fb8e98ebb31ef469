/** The bubble's own words; it has no other catalogue, so that it stays small. */
import en from "@texts/en/bubble.json";
import zh from "@texts/zh/bubble.json";
import type { BubbleView } from "../bindings";

export type Word = keyof typeof en;

export function wordsOf(language: BubbleView["language"]): (word: Word, args?: Record<string, string>) => string {
  const words: Record<Word, string> = language === "zh" ? zh : en;
  return (word, args = {}) => words[word].replace(/\{(\w+)\}/g, (whole, name: string) => args[name] ?? whole);
}

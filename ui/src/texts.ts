/**
 * The words of the pages: the same catalogues as the core's, with typed keys.
 * Refuses unknown keys of its own at compile time; an error code without words falls back to a general sentence.
 */

import { signal } from "@preact/signals";
import enBridge from "@texts/en/bridge.json";
import enFaults from "@texts/en/faults.json";
import enFiles from "@texts/en/files.json";
import enSettings from "@texts/en/settings.json";
import enTools from "@texts/en/tools.json";
import enUi from "@texts/en/ui.json";
import zhBridge from "@texts/zh/bridge.json";
import zhFaults from "@texts/zh/faults.json";
import zhFiles from "@texts/zh/files.json";
import zhSettings from "@texts/zh/settings.json";
import zhTools from "@texts/zh/tools.json";
import zhUi from "@texts/zh/ui.json";
import { CommandError, type ErrorInfo } from "./bindings";

export type Key = keyof typeof enUi;
export type Language = "zh" | "en";
type Args = Record<string, string | number | boolean>;

const UI: Record<Language, Record<Key, string>> = { en: enUi, zh: zhUi };
const ERRORS: Record<Language, Record<string, string>> = {
  en: { ...enBridge, ...enFaults, ...enFiles, ...enSettings, ...enTools },
  zh: { ...zhBridge, ...zhFaults, ...zhFiles, ...zhSettings, ...zhTools },
};

export const language = signal<Language>(navigator.language.startsWith("zh") ? "zh" : "en");

function fill(text: string, args: Args): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(args[name] ?? whole));
}

export function t(key: Key, args: Args = {}): string {
  return fill(UI[language.value][key], args);
}

/** `one` where exactly one is counted, `many` elsewhere; Chinese words both alike. */
export function tn(one: Key, many: Key, count: number, args: Args = {}): string {
  return t(count === 1 ? one : many, { count, ...args });
}

/** Whether the catalogue has words for what another side named. */
export function hasKey(key: string): key is Key {
  return key in enUi;
}

/** The error's sentence in the owner's language. */
export function errorText(error: ErrorInfo): string {
  const text = ERRORS[language.value][`error.${error.code}`];
  if (text === undefined) return t("ui.error.other", { code: error.code });
  return fill(text, error.args).replace(/\{\w+\}/g, "?");
}

export function errorOf(thrown: unknown): ErrorInfo {
  if (thrown instanceof CommandError) return { code: thrown.code, args: thrown.args, retryable: thrown.retryable };
  return { code: "page", args: {}, retryable: false };
}

/** Faults that only the settings can cure. */
export function curedInSettings(error: ErrorInfo): boolean {
  return /^fault_(no_key|bad_key|forbidden|dns|refused_connection|not_an_llm|model_unknown|redirected|tls)$/.test(
    error.code,
  );
}

export function dayAndTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const today = at.toDateString() === new Date().toDateString();
  const locale = language.value === "zh" ? "zh-CN" : "en-GB";
  const day: Intl.DateTimeFormatOptions = today ? {} : { year: "numeric", month: "short", day: "numeric" };
  return new Intl.DateTimeFormat(locale, { ...day, hour: "2-digit", minute: "2-digit" }).format(at);
}

export function number(value: number): string {
  return new Intl.NumberFormat(language.value === "zh" ? "zh-CN" : "en-GB").format(value);
}

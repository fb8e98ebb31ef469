/**
 * The pages' texts, from the same catalogues as the core's. `Key` checks keys at compile time; an error code without
 * a text gets a general sentence.
 */

import { signal } from "@preact/signals";
import { type AppState, CommandError, type ErrorInfo } from "./bindings";

/** The keys of the catalogues whose texts the pages name; those of an extra are typed within it. */
export type Key = keyof (typeof import("@texts/en/chat.json") &
  typeof import("@texts/en/desktop.json") &
  typeof import("@texts/en/local_models.json") &
  typeof import("@texts/en/moving.json") &
  typeof import("@texts/en/settings_rows.json") &
  typeof import("@texts/en/tools.json") &
  typeof import("@texts/en/ui.json") &
  typeof import("@texts/en/welcome.json"));
type Language = AppState["language"];
export type Args = Record<string, string | number | boolean>;
type Texts = Readonly<Record<string, string>>;

/** Return the texts of these catalogues, put together once they are needed: the start needs one language only. */
function once(areas: Record<string, Texts>): () => Texts {
  let made: Texts | undefined;
  return () => {
    made ??= Object.assign({}, ...Object.values(areas)) as Texts;
    return made;
  };
}

/** All texts but those of the core and the terminal alone: the pages' own, the extras' and those of errors. */
const TEXTS: Record<Language, () => Texts> = {
  en: once(
    import.meta.glob(
      [
        "@texts/en/*.json",
        "!@texts/en/{bubble,cli,export,memory,pets,prompt,remind,settings_about,shell}.json",
        "@extras/*/texts/en.json",
      ],
      { eager: true, import: "default" },
    ),
  ),
  zh: once(
    import.meta.glob(
      [
        "@texts/zh/*.json",
        "!@texts/zh/{bubble,cli,export,memory,pets,prompt,remind,settings_about,shell}.json",
        "@extras/*/texts/zh.json",
      ],
      { eager: true, import: "default" },
    ),
  ),
  es: once(
    import.meta.glob(
      [
        "@texts/es/*.json",
        "!@texts/es/{bubble,cli,export,memory,pets,prompt,remind,settings_about,shell}.json",
        "@extras/*/texts/es.json",
      ],
      { eager: true, import: "default" },
    ),
  ),
};

const LOCALES: Record<Language, string> = { zh: "zh-CN", en: "en-GB", es: "es-ES" };

/** Languages in the order of the choice. */
export const LANGUAGES = Object.keys(LOCALES) as Language[];

function spoken(): Language {
  const named = navigator.language.slice(0, 2);
  return named in LOCALES ? (named as Language) : "en";
}

export const language = signal<Language>(spoken());

/** Return the locale for dates and numbers. */
export function locale(): string {
  return LOCALES[language.value];
}

/** Right-to-left letters. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|\ud802|\ud803|\ud83a|\ud83b/;

/** `{name}`, or `{count|note|notes}` for one and for more. */
const MARK = /\{(\w+)(?:\|([^|{}]*)\|([^|{}]*))?\}/g;

function fill(text: string, args: Args): string {
  return text.replace(MARK, (whole, name: string, one: string | undefined, more: string | undefined, at: number) => {
    const value = args[name] ?? null;
    if (value === null) return whole;
    const words = String(value);
    if (one !== undefined) return words === "1" ? one : String(more);
    const before = ADDRESS.test(words) ? "h" : words[0];
    const after = ADDRESS.test(words) || TIME.test(words) ? "h" : words.at(-1);
    return `${space(text[at - 1], before)}${apart(words)}${space(after, text[at + whole.length])}`;
  });
}

const HAN = /[\u4e00-\u9fff]/;
const LATIN = /[A-Za-z\u00c0-\u024f]/;
/** A time of day and an address take their space as letters do. */
const TIME = /\d:\d\d$/;
const ADDRESS = /^\d+(\.\d+){3}(:\d+)?$/;

/** Return the space between Chinese and Latin letters: the catalogue cannot know how a name is written. */
function space(left = "", right = ""): string {
  return (HAN.test(left) && LATIN.test(right)) || (LATIN.test(left) && HAN.test(right)) ? " " : "";
}

/** Isolate a right-to-left name, so that it does not reorder the text around it. */
function apart(words: string): string {
  return FROM_RIGHT.test(words) ? `\u2068${words}\u2069` : words;
}

export function t(key: Key, args: Args = {}): string {
  return fill(TEXTS[language.value]()[key] ?? key, args);
}

/** Return `t` for the texts of an extra and of the core, by their keys. */
export function textsOf<K extends string>(): (key: K | Key, args?: Args) => string {
  return t as (key: K | Key, args?: Args) => string;
}

/** Return the space that follows a text: none after a Chinese mark, which brings its own. */
export function spaceAfter(text: string): string {
  return /[\u3000-\u303f\uff00-\uffef]$/.test(text) ? "" : " ";
}

/** Return the texts one after another, without the empty ones. */
export function inARow(...texts: (string | false | undefined)[]): string {
  return texts.reduce<string>((row, each) => (row && each ? row + spaceAfter(row) + each : row || each || ""), "");
}

/** Whether the catalogue has this key. */
export function hasKey(key: string): key is Key {
  return key in TEXTS.en();
}

/** Return the error's text in the owner's language. */
export function errorText(error: ErrorInfo): string {
  const text = TEXTS[language.value]()[`error.${error.code}`];
  if (text === undefined) return t("ui.error.other", { code: error.code });
  const args = Object.fromEntries(Object.entries(error.args).map(([name, value]) => [name, written(value)]));
  return fill(text, args).replace(MARK, "?");
}

/** Whether words were replaced here because the owner had them forgotten, whatever the language was then. */
export function hasForgotten(words: string): boolean {
  return LANGUAGES.some((each) => words.includes(TEXTS[each]()["forget.marker"] ?? "\0"));
}

/** Write fractions and large amounts as the language does; a status or a port stays as it is. */
function written<T>(value: T): T | string {
  const counted = typeof value === "number" && (Math.abs(value) >= 100_000 || !Number.isInteger(value));
  return counted ? number(value) : value;
}

export function errorOf(thrown: unknown): ErrorInfo {
  if (thrown instanceof CommandError) return { code: thrown.code, args: thrown.args, retryable: thrown.retryable };
  return { code: "page", args: {}, retryable: false };
}

/** The key is in a keyring that must be unlocked first. */
export const KEYRING_LOCKED: ErrorInfo = { code: "key_store_locked", args: {}, retryable: true };

/** A field of a connection: the beginning of its element's id. */
export type ConnectionField = "url" | "key" | "model";

/** Faults that only the settings can cure, and the field to change. */
const CURES: Record<string, ConnectionField> = {
  fault_no_key: "key",
  fault_bad_key: "key",
  fault_forbidden: "key",
  fault_dns: "url",
  fault_refused_connection: "url",
  fault_not_an_llm: "url",
  fault_redirected: "url",
  fault_tls: "url",
  fault_model_unknown: "model",
  fault_no_model: "model",
  fault_no_tools: "model",
  fault_responses_only: "model",
  fault_call_unread: "model",
};

export function curedInSettings(error: ErrorInfo): ConnectionField | undefined {
  return CURES[error.code];
}

/** The day that is shown as today. */
const today = signal(new Date().toDateString());

/** Update the day: the page may stay open past midnight. */
export function noteDay(): void {
  today.value = new Date().toDateString();
}

export function dayAndTime(iso: string): string {
  void today.value;
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const now = new Date();
  const same = at.toDateString() === now.toDateString();
  const year = at.getFullYear() === now.getFullYear() ? {} : ({ year: "numeric" } as const);
  const day: Intl.DateTimeFormatOptions = same ? {} : { ...year, month: "short", day: "numeric" };
  return new Intl.DateTimeFormat(locale(), { ...day, hour: "2-digit", minute: "2-digit" }).format(at);
}

export function number(value: number): string {
  return new Intl.NumberFormat(locale()).format(value);
}

/** Return a size in the unit that fits; 1 kB is 1000 bytes. */
export function bytes(count: number): string {
  const power = count < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(count) / 3));
  const unit = ["B", "kB", "MB", "GB"][power] ?? "B";
  const value = count / 1000 ** power;
  return `${number(value < 10 && power > 0 ? Math.round(value * 10) / 10 : Math.round(value))} ${unit}`;
}

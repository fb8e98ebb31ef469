/**
 * The words of the pages: the same catalogues as the core's, with typed keys.
 * Refuses unknown keys of its own at compile time; an error code without words falls back to a general sentence.
 */

import { signal } from "@preact/signals";
import enChat from "@texts/en/chat.json";
import enDesktop from "@texts/en/desktop.json";
import enLocalModels from "@texts/en/local_models.json";
import enMoving from "@texts/en/moving.json";
import enUi from "@texts/en/ui.json";
import enWardrobe from "@texts/en/wardrobe.json";
import enWelcome from "@texts/en/welcome.json";
import esChat from "@texts/es/chat.json";
import esDesktop from "@texts/es/desktop.json";
import esLocalModels from "@texts/es/local_models.json";
import esMoving from "@texts/es/moving.json";
import esUi from "@texts/es/ui.json";
import esWardrobe from "@texts/es/wardrobe.json";
import esWelcome from "@texts/es/welcome.json";
import zhChat from "@texts/zh/chat.json";
import zhDesktop from "@texts/zh/desktop.json";
import zhLocalModels from "@texts/zh/local_models.json";
import zhMoving from "@texts/zh/moving.json";
import zhUi from "@texts/zh/ui.json";
import zhWardrobe from "@texts/zh/wardrobe.json";
import zhWelcome from "@texts/zh/welcome.json";
import { type BubbleView, CommandError, type ErrorInfo } from "./bindings";

const EN_WORDS = { ...enUi, ...enWardrobe, ...enWelcome, ...enDesktop, ...enLocalModels, ...enChat, ...enMoving };

export type Key = keyof typeof EN_WORDS;
export type Language = BubbleView["language"];
type Args = Record<string, string | number | boolean>;

const UI: Record<Language, Record<Key, string>> = {
  en: EN_WORDS,
  zh: { ...zhUi, ...zhWardrobe, ...zhWelcome, ...zhDesktop, ...zhLocalModels, ...zhChat, ...zhMoving },
  es: { ...esUi, ...esWardrobe, ...esWelcome, ...esDesktop, ...esLocalModels, ...esChat, ...esMoving },
};

/** Every area that words errors; what has none of them, or is worded above, stays out of the page. */
type Areas = Record<string, Record<string, string>>;
const EN: Areas = import.meta.glob(
  [
    "@texts/en/*.json",
    "!@texts/en/{bubble,cli,export,memory,notebook,pets,prompt,remind,settings_about,shell,ui}.json",
  ],
  {
    eager: true,
    import: "default",
  },
);
const ZH: Areas = import.meta.glob(
  [
    "@texts/zh/*.json",
    "!@texts/zh/{bubble,cli,export,memory,notebook,pets,prompt,remind,settings_about,shell,ui}.json",
  ],
  {
    eager: true,
    import: "default",
  },
);
const ES: Areas = import.meta.glob(
  [
    "@texts/es/*.json",
    "!@texts/es/{bubble,cli,export,memory,notebook,pets,prompt,remind,settings_about,shell,ui}.json",
  ],
  {
    eager: true,
    import: "default",
  },
);
const ERRORS: Record<Language, Record<string, string>> = {
  en: Object.assign({}, ...Object.values(EN)),
  zh: Object.assign({}, ...Object.values(ZH)),
  es: Object.assign({}, ...Object.values(ES)),
};

const LOCALES: Record<Language, string> = { zh: "zh-CN", en: "en-GB", es: "es-ES" };

/** In the order in which they are offered. */
export const LANGUAGES = Object.keys(LOCALES) as Language[];

function spoken(): Language {
  const named = navigator.language.slice(0, 2);
  return named in LOCALES ? (named as Language) : "en";
}

export const language = signal<Language>(spoken());

/** For the formats of dates and numbers. */
export function locale(): string {
  return LOCALES[language.value];
}

/** Letters that are written from right to left. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|\ud802|\ud803|\ud83a|\ud83b/;

function fill(text: string, args: Args): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string, at: number) => {
    const words = String(args[name] ?? whole);
    return `${space(text[at - 1], words[0])}${apart(words)}${space(words.at(-1), text[at + whole.length])}`;
  });
}

const HAN = /[\u4e00-\u9fff]/;
const LATIN = /[A-Za-z\u00c0-\u024f]/;

/** Between Chinese and a Latin letter: whether a name is written in these, the catalogue can't know. */
function space(left = "", right = ""): string {
  return (HAN.test(left) && LATIN.test(right)) || (LATIN.test(left) && HAN.test(right)) ? " " : "";
}

/** A name in Hebrew or Arabic turns nothing around it. */
function apart(words: string): string {
  return FROM_RIGHT.test(words) ? `\u2068${words}\u2069` : words;
}

export function t(key: Key, args: Args = {}): string {
  return fill(UI[language.value][key], args);
}

/** In the language of what is answered, whatever the page speaks. */
export function wordedIn(spoken: Language, key: Key): string {
  return UI[spoken][key];
}

/** `one` where exactly one is counted, `many` elsewhere; Chinese words both alike. */
export function tn(one: Key, many: Key, count: number, args: Args = {}): string {
  return t(count === 1 ? one : many, { count, ...args });
}

/** Whether the catalogue has words for what another side named. */
export function hasKey(key: string): key is Key {
  return key in EN_WORDS;
}

/** The error's sentence in the owner's language. */
export function errorText(error: ErrorInfo): string {
  const text = ERRORS[language.value][`error.${error.code}`];
  if (text === undefined) return t("ui.error.other", { code: error.code });
  const args = Object.fromEntries(Object.entries(error.args).map(([name, value]) => [name, large(value)]));
  return fill(text, args).replace(/\{\w+\}/g, "?");
}

/** Amounts in groups of three; a status or a port is a name, and stays as it is. */
function large<T>(value: T): T | string {
  return typeof value === "number" && Math.abs(value) >= 100_000 ? number(value) : value;
}

export function errorOf(thrown: unknown): ErrorInfo {
  if (thrown instanceof CommandError) return { code: thrown.code, args: thrown.args, retryable: thrown.retryable };
  return { code: "page", args: {}, retryable: false };
}

/** Of a key that may lie in a keyring which has to be unlocked first. */
export const KEYRING_LOCKED: ErrorInfo = { code: "key_store_locked", args: {}, retryable: true };

/** A field of a connection, by what its id begins with. */
export type ConnectionField = "url" | "key" | "model";

/** Faults that only the settings can cure, and the field of the connection that does. */
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
};

export function curedInSettings(error: ErrorInfo): ConnectionField | undefined {
  return CURES[error.code];
}

/** The day on which "today" was said last. */
const today = signal(new Date().toDateString());

/** The page stands for weeks: what was said today was said yesterday once it is tomorrow. */
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

/** In the unit that fits, as file managers count: 1 kB is a thousand. */
export function bytes(count: number): string {
  const power = count < 1000 ? 0 : Math.min(3, Math.floor(Math.log10(count) / 3));
  const unit = ["B", "kB", "MB", "GB"][power] ?? "B";
  const value = count / 1000 ** power;
  return `${number(value < 10 && power > 0 ? Math.round(value * 10) / 10 : Math.round(value))} ${unit}`;
}

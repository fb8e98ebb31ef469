/**
 * The chat window's keys: one table that handlers and the key map share, and tests of key events. Events of an input
 * method's composition are never keys of ours.
 */
import type { Store } from "../state/store";
import type { Key } from "../texts";

export function composing(event: KeyboardEvent): boolean {
  // keyCode 229: some web views end the composition before its last key event.
  return event.isComposing || event.keyCode === 229;
}

/** Whether the event is this shortcut, such as "Ctrl+Shift+M"; Ctrl is Command on a Mac. */
export function pressed(shortcut: string, event: KeyboardEvent): boolean {
  const parts = shortcut
    .toLowerCase()
    .split("+")
    .map((part) => part.trim());
  const key = parts.at(-1);
  if (!key || composing(event)) return false;
  const wants = (...names: string[]) => names.some((name) => parts.slice(0, -1).includes(name));
  const control = event.ctrlKey || event.metaKey;
  return (
    control === wants("ctrl", "control", "cmd", "command", "meta", "super") &&
    event.shiftKey === wants("shift") &&
    event.altKey === wants("alt", "option") &&
    (event.key.toLowerCase() === key || event.code.toLowerCase() === `key${key}`)
  );
}

/** Whether the key types a character or begins a composition. Space is left to buttons; autofill's events have no key. */
export function typesText(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return event.key === "Process" || (event.key?.length === 1 && event.key !== " ");
}

export type KeyGroup = "writing" | "tabs" | "elsewhere";
type KeyName =
  | "send"
  | "line"
  | "earlier"
  | "later"
  | "stop"
  | "along"
  | "along_back"
  | "tab_close"
  | "match"
  | "match_back"
  | "save"
  | "back";

interface Bound {
  group: KeyGroup;
  keys: readonly string[];
  what: Key;
  /** the action, for keys that work in every view */
  run?: (store: Store) => void;
  /** the name, for keys that one place handles */
  name?: KeyName;
}

export const KEYS: readonly Bound[] = [
  { group: "writing", keys: ["Enter", "Ctrl+Enter"], what: "ui.keys.send", name: "send" },
  { group: "writing", keys: ["Shift+Enter"], what: "ui.keys.line", name: "line" },
  { group: "writing", keys: ["ArrowUp"], what: "ui.keys.earlier", name: "earlier" },
  { group: "writing", keys: ["ArrowDown"], what: "ui.keys.later", name: "later" },
  { group: "writing", keys: ["Escape"], what: "ui.keys.stop", name: "stop" },

  { group: "tabs", keys: ["Ctrl+T"], what: "ui.tabs.new", run: (store) => void store.tabs.create() },
  { group: "tabs", keys: ["Ctrl+W"], what: "ui.keys.close", run: closeTab },
  { group: "tabs", keys: ["Delete"], what: "ui.keys.close_here", name: "tab_close" },
  { group: "tabs", keys: ["Ctrl+Shift+T"], what: "ui.keys.reopen", run: (store) => void store.tabs.reopen() },
  { group: "tabs", keys: ["Ctrl+Tab", "Ctrl+PageDown"], what: "ui.keys.next", run: (store) => store.tabs.cycle(1) },
  {
    group: "tabs",
    keys: ["Ctrl+Shift+Tab", "Ctrl+PageUp"],
    what: "ui.keys.previous",
    run: (store) => store.tabs.cycle(-1),
  },
  { group: "tabs", keys: ["ArrowRight", "ArrowDown"], what: "ui.keys.along", name: "along" },
  { group: "tabs", keys: ["ArrowLeft", "ArrowUp"], what: "ui.keys.along_back", name: "along_back" },
  { group: "tabs", keys: ["Ctrl+Shift+PageDown"], what: "ui.keys.move", run: (store) => shiftTab(store, 1) },
  { group: "tabs", keys: ["Ctrl+Shift+PageUp"], what: "ui.keys.move_back", run: (store) => shiftTab(store, -1) },
  { group: "tabs", keys: ["F2"], what: "ui.keys.rename", run: renameTab },

  { group: "elsewhere", keys: ["Ctrl+F"], what: "ui.find.label", run: findHere },
  { group: "elsewhere", keys: ["Enter"], what: "ui.keys.match", name: "match" },
  { group: "elsewhere", keys: ["Shift+Enter"], what: "ui.keys.match_back", name: "match_back" },
  { group: "elsewhere", keys: ["Ctrl+H"], what: "ui.keys.history", run: (store) => store.navigation.show("history") },
  {
    group: "elsewhere",
    keys: ["Ctrl+,"],
    what: "ui.view.settings",
    run: (store) => store.navigation.show("settings"),
  },
  { group: "elsewhere", keys: ["Ctrl+S"], what: "ui.keys.save", name: "save" },
  { group: "elsewhere", keys: ["F1"], what: "ui.keys.title", run: showMap },
  { group: "elsewhere", keys: ["Escape"], what: "ui.keys.back", name: "back" },
];

/**
 * Whether the event is the key with this name.
 *
 *     if (isKey("save", event)) void save();
 */
export function isKey(name: KeyName, event: KeyboardEvent): boolean {
  return KEYS.some((row) => row.name === name && row.keys.some((keys) => pressed(keys, event)));
}

/** Return the action of a key that works in every view. */
export function everywhere(event: KeyboardEvent): ((store: Store) => void) | undefined {
  return KEYS.find((row) => row.run && row.keys.some((keys) => pressed(keys, event)))?.run;
}

const SHOWN: Record<string, string> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  PageUp: "PgUp",
  PageDown: "PgDn",
  Escape: "Esc",
  Delete: "Del",
};

/** Return the label on the key. */
export function shown(keys: string): string {
  return keys.replace(/\w+$/, (key) => SHOWN[key] ?? key);
}

function closeTab(store: Store): void {
  if (store.tabs.active.value !== null) store.tabs.close(store.tabs.active.value);
}

function shiftTab(store: Store, by: 1 | -1): void {
  const id = store.tabs.active.value;
  if (id !== null) store.tabs.place(id, store.tabs.ids.value.indexOf(id) + by);
}

function renameTab(store: Store): void {
  const id = store.tabs.active.value;
  if (id !== null && store.conversations.of(id).value?.info.temporary === false) store.navigation.renaming.value = id;
}

/** Find in the conversation, or focus the search field of another view. */
function findHere(store: Store): void {
  if (store.navigation.view.value === "chat") store.navigation.find();
  else document.querySelector<HTMLInputElement>("main input[type=search]")?.select();
}

function showMap(store: Store): void {
  store.navigation.keyMapOpen.value = true;
}

/**
 * Every key of the chat window, in one table: those who handle keys ask it, and the map of keys is drawn from it.
 * A key that isn't here isn't handled anywhere, and the other way round.
 */
import type { Store } from "../state/store";
import type { Key } from "../texts";
import { pressed } from "./ime";

export type KeyGroup = "writing" | "tabs" | "elsewhere";
export type KeyName =
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
  /** Works in every view, and this is what it does. */
  run?: (store: Store) => void;
  /** Works in one place, which asks by this name. */
  name?: KeyName;
}

export const KEYS: readonly Bound[] = [
  { group: "writing", keys: ["Enter", "Ctrl+Enter"], what: "ui.keys.send", name: "send" },
  { group: "writing", keys: ["Shift+Enter"], what: "ui.keys.line", name: "line" },
  { group: "writing", keys: ["ArrowUp"], what: "ui.keys.earlier", name: "earlier" },
  { group: "writing", keys: ["ArrowDown"], what: "ui.keys.later", name: "later" },
  { group: "writing", keys: ["Escape"], what: "ui.keys.stop", name: "stop" },

  { group: "tabs", keys: ["Ctrl+T"], what: "ui.tabs.new", run: (store) => void store.newTab() },
  { group: "tabs", keys: ["Ctrl+W"], what: "ui.keys.close", run: closeTab },
  { group: "tabs", keys: ["Delete"], what: "ui.keys.close_here", name: "tab_close" },
  { group: "tabs", keys: ["Ctrl+Shift+T"], what: "ui.keys.reopen", run: (store) => void store.reopenTab() },
  { group: "tabs", keys: ["Ctrl+Tab", "Ctrl+PageDown"], what: "ui.keys.next", run: (store) => store.moveTab(1) },
  {
    group: "tabs",
    keys: ["Ctrl+Shift+Tab", "Ctrl+PageUp"],
    what: "ui.keys.previous",
    run: (store) => store.moveTab(-1),
  },
  { group: "tabs", keys: ["ArrowRight"], what: "ui.keys.along", name: "along" },
  { group: "tabs", keys: ["ArrowLeft"], what: "ui.keys.along_back", name: "along_back" },
  { group: "tabs", keys: ["Ctrl+Shift+PageDown"], what: "ui.keys.move", run: (store) => shiftTab(store, 1) },
  { group: "tabs", keys: ["Ctrl+Shift+PageUp"], what: "ui.keys.move_back", run: (store) => shiftTab(store, -1) },
  { group: "tabs", keys: ["F2"], what: "ui.keys.rename", run: renameTab },

  { group: "elsewhere", keys: ["Ctrl+F"], what: "ui.find.label", run: findHere },
  { group: "elsewhere", keys: ["Enter"], what: "ui.keys.match", name: "match" },
  { group: "elsewhere", keys: ["Shift+Enter"], what: "ui.keys.match_back", name: "match_back" },
  { group: "elsewhere", keys: ["Ctrl+H"], what: "ui.keys.history", run: (store) => store.show("history") },
  { group: "elsewhere", keys: ["Ctrl+,"], what: "ui.view.settings", run: (store) => store.show("settings") },
  { group: "elsewhere", keys: ["Ctrl+S"], what: "ui.keys.save", name: "save" },
  { group: "elsewhere", keys: ["F1"], what: "ui.keys.title", run: showMap },
  { group: "elsewhere", keys: ["Escape"], what: "ui.keys.back", name: "back" },
];

/** Whether this is the key of that name. */
export function isKey(name: KeyName, event: KeyboardEvent): boolean {
  return KEYS.some((row) => row.name === name && row.keys.some((keys) => pressed(keys, event)));
}

/** What a key does in every view; undefined: nothing. */
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

/** As it stands on the key. */
export function shown(keys: string): string {
  return keys.replace(/\w+$/, (key) => SHOWN[key] ?? key);
}

function closeTab(store: Store): void {
  if (store.active.value !== null) store.closeTab(store.active.value);
}

function shiftTab(store: Store, by: 1 | -1): void {
  const id = store.active.value;
  if (id !== null) store.placeTab(id, store.tabs.value.indexOf(id) + by);
}

function renameTab(store: Store): void {
  const id = store.active.value;
  if (id !== null && store.conversation(id).value?.info.temporary === false) store.renaming.value = id;
}

/** What is looked for depends on the view: in a conversation, in all of them. */
function findHere(store: Store): void {
  if (store.view.value === "chat") store.find();
  else document.querySelector<HTMLInputElement>("main input[type=search]")?.select();
}

function showMap(store: Store): void {
  store.keys.value = true;
}

/** The fake core's start state, and makers of turns, versions, diffs and previews. Pure. */
import {
  type AppState,
  type CommandName,
  type CommandTypes,
  type Diff,
  type Place,
  type SettingsView,
  SHIPPED,
  type TurnView,
} from "../../bindings";

/** Handlers of commands, by name. */
export type Handlers = { [N in CommandName]?: (args: CommandTypes[N]["args"]) => CommandTypes[N]["reply"] };

export const NOW = "2026-11-21T09:30:00+08:00";

export const APP: AppState = {
  version: "0.1.0",
  language: "en",
  theme: "system",
  reduced_motion: "system",
  pet: "bun",
  pet_name: "Mochi",
  model: "claude-haiku-5-5",
  base_url: "https://api.anthropic.com",
  host: "api.anthropic.com",
  acknowledged_hosts: ["api.anthropic.com"],
  key: { set: true, source: "keyring", last4: "x7Qa", keyring_available: true, locked: false, headers: [] },
  key_needed: true,
  plain_http: false,
  memory_default: true,
  memory_read_only: false,
  paused: false,
  pause_lost: false,
  lost_files: [],
  held_files: [],
  asks_held: false,
  shortcut_memory: "Ctrl+Shift+M",
  tabs: [],
  active_tab: null,
  backend: "qt",
  abilities: ["tray"],
  home: "/home/lin/.local/share/soulpet/pets/bun",
  demo: false,
  unchosen: false,
  local_model: "",
  small: "",
  welcome: 0,
  show_usage: false,
  unread: [],
};

export const SETTINGS: SettingsView = { ...SHIPPED, base_url: APP.base_url, model: APP.model };

export const PLACES: Place[] = [
  { name: "pet", path: APP.home, there: true, files: 214, bytes: 6_310_000 },
  { name: "data", path: "/home/lin/.local/share/soulpet", there: true, files: 431, bytes: 18_400_000 },
  { name: "config", path: "/home/lin/.config/soulpet", there: true, files: 1, bytes: 412 },
  { name: "state", path: "/home/lin/.local/state/soulpet", there: true, files: 9, bytes: 20_480 },
  { name: "cache", path: "/home/lin/.cache/soulpet", there: true, files: 3, bytes: 9_730_000 },
  { name: "log", path: "/home/lin/.local/state/soulpet/log", there: false, files: 0, bytes: 0 },
];

export const PICTURE =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='640' height='400'%3E%3Crect width='640' height='400' fill='%2398c8a8'/%3E%3Cpath d='M0 400L200 140L330 300L420 210L640 400z' fill='%23386850'/%3E%3Ccircle cx='500' cy='90' r='46' fill='%23ffd98a'/%3E%3C/svg%3E";

export function turnView(turn: string, text: string, reply: string, more: Partial<TurnView> = {}): TurnView {
  return {
    turn,
    kind: "message",
    at: NOW,
    text,
    attachments: [],
    memory: true,
    rounds: reply ? [{ round: 1, text: reply }] : [],
    tools: [],
    end: "done",
    error: null,
    usage: { input_tokens: 1240, output_tokens: 96, cache_read_tokens: 900, cache_write_tokens: 0 },
    proposal: null,
    used: [],
    sent: [],
    claim: null,
    receipts: [],
    variants: [],
    left: [],
    ...more,
  };
}

export function version(file: string, id: string, author: "owner" | "pet" | "system", current: boolean) {
  const at = NOW;
  const bytes = 240;
  return {
    id,
    file,
    at,
    author,
    replaced_by: null,
    version: `v:${id}`,
    source: null,
    bytes,
    current,
    backup: id === "v1",
  };
}

/** Return a diff of the lines between the common start and end: removed ones, then added ones. */
export function simpleDiff(old: string, next: string): Diff {
  const [a, b] = [old.split("\n"), next.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const removed = a.slice(head, a.length - tail);
  const added = b.slice(head, b.length - tail);
  const same = (text: string, index: number, shift: number) => {
    return { kind: "same" as const, text, old_line: index + 1, new_line: index + 1 + shift };
  };
  return {
    lines: [
      ...a.slice(0, head).map((text, index) => same(text, index, 0)),
      ...removed.map((text, index) => ({
        kind: "removed" as const,
        text,
        old_line: head + index + 1,
        new_line: null,
      })),
      ...added.map((text, index) => ({ kind: "added" as const, text, old_line: null, new_line: head + index + 1 })),
      ...a.slice(a.length - tail).map((text, index) => same(text, a.length - tail + index, b.length - a.length)),
    ],
    added: added.length,
    removed: removed.length,
  };
}

export function preview(
  memory: boolean,
  files: Map<string, string>,
  read_only = false,
): CommandTypes["preview_prompt"]["reply"] {
  const names =
    memory || read_only
      ? ["rules", "SOUL.md", "USER.md", "MEMORY.md", "channel", "names"]
      : ["rules", "SOUL.md", "names"];
  const sections = names.map((name) => {
    const text = files.get(name) ?? `The text of ${name}.`;
    return { name, text, characters: text.length, tokens: Math.ceil(text.length / 3.5), cut: 0 };
  });
  const characters = sections.reduce((sum, section) => sum + section.characters, 0);
  return {
    memory,
    read_only,
    sections,
    blocks: [],
    tools: ["read", "write", "edit"],
    characters,
    tokens: Math.ceil(characters / 3.5),
    changes: [],
    beside: [],
    recall_way: "meaning",
  };
}

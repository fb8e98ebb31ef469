/** How the fake core makes turns, versions, differences and previews. Pure, and simpler than the real ones. */
import type { CommandTypes, Diff, TurnView } from "../bindings";
import { NOW } from "./fake_state";

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
    version: id,
    source: null,
    bytes,
    current,
    backup: id === "v1",
  };
}

/** Removed lines, then added ones, between what both begin and end with. */
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
    recall_way: "meaning",
  };
}

/** Binds one file's editing to the core: reads, saves, joins, and hears of changes. Unsaved text outlives the view. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { FileView } from "../../bindings";
import { type Loaded, useLoad } from "../../components/loading";
import { useStore } from "../../state/context";
import { answered, arrived, dirty, type Editing, joined, opened, typed } from "../../state/editing";

export interface Edits {
  editing: Editing | null;
  loaded: Loaded<FileView>;
  set(editing: Editing): void;
  write(text: string): void;
  save(): Promise<void>;
  join(): Promise<void>;
}

export function useEditing(name: string): Edits {
  const store = useStore();
  const [editing, setEditing] = useState<Editing | null>(store.edits.get(name) ?? null);
  const changed = store.versionsOf((each) => each === name);
  const saving = useRef<Promise<void>>(Promise.resolve());
  const forgotten = store.memory.forgotten.value;

  function set(next: Editing): void {
    const before = store.edits.get(name);
    store.edits.set(name, next);
    if (dirty(next) !== (before !== undefined && dirty(before))) store.unsaved.value += 1;
    setEditing(next);
  }

  const loaded = useLoad(() => store.commands.readFile({ file: name }), [changed, forgotten], name);

  useEffect(() => {
    if (!loaded.value) return;
    const held = store.edits.get(name);
    const next = held ? arrived(held, loaded.value) : opened(loaded.value);
    // "Renewed" tells of a change seen here, not of one made while the view was closed.
    set({ ...next, renewed: next.renewed && editing !== null });
  }, [loaded.value]);

  /** What is typed goes to what is held now, which may be newer than what was last drawn. */
  function write(text: string): void {
    const held = store.edits.get(name);
    if (held) set(typed(held, text));
  }

  async function send(): Promise<{
    sent: string;
    reply: Awaited<ReturnType<typeof store.commands.writeFile>>;
  } | null> {
    const held = store.edits.get(name);
    if (!held) return null;
    const sent = held.text;
    const reply = await store.attempt(() =>
      store.commands.writeFile({ file: name, text: sent, base: held.file.version }),
    );
    return reply && { sent, reply };
  }

  /** One after the other: the next is based on what the one before made. */
  function save(): Promise<void> {
    saving.current = saving.current.then(saveNow);
    return saving.current;
  }

  async function saveNow(): Promise<void> {
    const held = store.edits.get(name);
    if (!held || !dirty(held) || held.theirs) return;
    const done = await send();
    const now = store.edits.get(name);
    if (done && now) set(answered(now, done.sent, done.reply));
  }

  /** The core joins what it can: asked by a save on the old base, which it refuses with both together. */
  async function join(): Promise<void> {
    const done = await send();
    const now = store.edits.get(name);
    if (!done || !now) return;
    const { reply, sent } = done;
    set(reply.outcome === "conflict" ? joined(now, reply.file, reply.merged_text) : answered(now, sent, reply));
  }

  return { editing, loaded, set, write, save, join };
}

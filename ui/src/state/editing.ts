/**
 * Files being edited: the text, the version it is based on, and what happens when the pet or another program saves the
 * file meanwhile. Nothing typed is dropped without the owner's decision. `Editing` and its functions are pure.
 */
import { signal } from "@preact/signals";
import type { FileView, WorkspaceChanged, WriteReply } from "../bindings";

/** The files under edit and their newest known versions; unsaved text outlives its view. */
export class OpenFiles {
  /** the last change of a file, for an open editor */
  readonly change = signal<WorkspaceChanged | null>(null);
  readonly edits = new Map<string, Editing>();
  /** counts up when one of `edits` began or ceased to differ from its file */
  readonly unsaved = signal(0);
  /** the newest version, by file: several may change in one delivery */
  readonly #versions = new Map<string, string>();

  /** Return a key that changes with every change of these files. */
  versionsOf(which: (file: string) => boolean): string {
    void this.change.value;
    return [...this.#versions].flatMap(([file, version]) => (which(file) ? version : [])).join(" ");
  }

  apply(event: WorkspaceChanged): void {
    this.#versions.set(event.file, event.version);
    this.change.value = event;
  }

  /** Forget edits without unsaved text. */
  dropClean(): void {
    for (const [file, editing] of this.edits) if (!isDirty(editing)) this.edits.delete(file);
  }
}

export interface Editing {
  /** the file as last read or saved */
  file: FileView;
  text: string;
  /** the file on disk, if it is neither the base nor the text */
  theirs: FileView | null;
  /** the changes overlap: there is no merged text */
  overlap: boolean;
  /** the file changed under an unmodified editor, which shows the new text */
  renewed: boolean;
}

export function startEditing(file: FileView): Editing {
  return { file, text: file.text, theirs: null, overlap: false, renewed: false };
}

export function isDirty(editing: Editing): boolean {
  return editing.text !== editing.file.text;
}

export function withText(editing: Editing, text: string): Editing {
  return text === editing.text ? editing : { ...editing, text, renewed: false };
}

/** Take in a file that was read again after a change. */
export function withFile(editing: Editing, file: FileView): Editing {
  if (file.version === editing.file.version && file.state === editing.file.state) {
    return { ...editing, theirs: null, overlap: false };
  }
  if (!isDirty(editing)) return { ...startEditing(file), renewed: true };
  if (file.text === editing.text && file.state === "present") return startEditing(file);
  return { ...editing, theirs: file, overlap: false };
}

export function withReply(editing: Editing, sent: string, reply: WriteReply): Editing {
  if (reply.outcome === "conflict") return withFile(editing, reply.file);
  // Keep what was typed during the save.
  return editing.text === sent ? startEditing(reply.file) : { ...startEditing(reply.file), text: editing.text };
}

export function takeTheirs(editing: Editing): Editing {
  return editing.theirs ? startEditing(editing.theirs) : editing;
}

/** Keep the owner's text, based on the file on disk: saving replaces that (history keeps it). */
export function keepMine(editing: Editing): Editing {
  return editing.theirs ? { ...startEditing(editing.theirs), text: editing.text } : editing;
}

/** Take both changes merged, for the owner to read and save; null: they overlap. */
export function withMerge(editing: Editing, theirs: FileView, merged: string | null): Editing {
  return merged === null ? { ...editing, theirs, overlap: true } : { ...startEditing(theirs), text: merged };
}

/** The fake core's imports: a chosen source is read at once, run, and undone. */
import type { Diff, ImportDone, ImportPreview, ImportState } from "../../bindings";
import type { Handlers } from "./records";

const NONE: ImportState = { revision: 0, phase: "none", source: "", preview: null, error: null, done: null };

export const PREVIEW: ImportPreview = {
  kind: "workspace",
  pet: null,
  files: [
    { file: "SOUL.md", action: "create", day: false, added: 12, removed: 0 },
    { file: "MEMORY.md", action: "append", day: false, added: 3, removed: 0 },
    { file: "USER.md", action: "same", day: false, added: 0, removed: 0 },
    { file: "memory/2026-02-12.md", action: "create", day: true, added: 6, removed: 0 },
    { file: "memory/2026-03-01.md", action: "create", day: true, added: 2, removed: 0 },
  ],
  talks: [],
  talks_new: 0,
  talks_there: 0,
  messages: 0,
  skipped: [{ name: "AGENTS.md", reason: "instructions" }],
  skipped_total: 1,
  left_out: [],
  folders: [],
  orders: true,
  instructions: false,
  new_pet: false,
  empty: false,
};

const DONE: ImportDone = {
  id: "i1",
  at: "2026-11-21T10:00:00+01:00",
  kind: "workspace",
  pet: "mochi",
  name: "Mochi",
  files: 2,
  days: 2,
  conversations: 0,
  new_pet: false,
  mine: true,
  undoable: true,
};

export class FakeImports {
  #state: ImportState = NONE;
  /** the preview of the next source */
  found: ImportPreview = PREVIEW;
  done: ImportDone = DONE;
  past: ImportDone[] = [];
  diff: Diff = {
    lines: [{ kind: "added", text: "Be genuinely helpful.", old_line: null, new_line: 1 }],
    added: 1,
    removed: 0,
  };

  get state(): ImportState {
    return this.#state;
  }

  set state(state: ImportState) {
    this.#state = { ...state, revision: this.#state.revision + 1 };
  }

  readonly handlers: Handlers = {
    get_import: () => this.state,
    list_imports: () => ({ imports: this.past }),
    choose_import: () => this.#ready("claw"),
    paste_import: () => this.#ready(""),
    change_import: ({ instructions, new_pet }) => {
      this.found = { ...this.found, instructions, new_pet };
      return this.#ready(this.state.source);
    },
    get_import_diff: () => this.diff,
    run_import: () => {
      this.past = [this.done, ...this.past];
      this.state = { ...this.state, phase: "done", done: this.done };
      return this.state;
    },
    stop_import: () => {
      this.state = NONE;
      return this.state;
    },
    undo_import: ({ id }) => {
      this.past = this.past.filter((each) => each.id !== id);
      if (this.state.done?.id === id) this.state = NONE;
      return { imports: this.past, left: [] };
    },
  };

  #ready(source: string): ImportState {
    this.state = { ...NONE, phase: "ready", source, preview: this.found };
    return this.state;
  }
}

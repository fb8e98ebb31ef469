/**
 * The import under way: its preview, progress and result, and earlier imports. It runs in the core and goes on while
 * other pages are open.
 */
import { signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ArgsOf, Commands, ErrorInfo, ImportDone, ImportState, PetEvent } from "../../bindings";
import { errorOf } from "../../texts";

/** The owner's answers to the preview. `memory` null: not answered. */
interface Answers {
  name: string;
  memory: boolean | null;
}

const UNANSWERED: Answers = { name: "", memory: null };

export class ImportsState {
  readonly now = signal<ImportState | null>(null);
  /** in bytes; `total` 0: unknown */
  readonly progress = signal<{ done: number; total: number }>({ done: 0, total: 0 });
  readonly past = signal<ImportDone[]>([]);
  /** why the core refused */
  readonly problem = signal<ErrorInfo | null>(null);
  /** the system's dialog is open */
  readonly choosing = signal(false);
  readonly answers = signal<Answers>(UNANSWERED);
  readonly #commands: Commands;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  apply(event: PetEvent): void {
    if (event.type !== "import_moved") return;
    if (event.phase === "reading" || event.phase === "writing") {
      this.progress.value = { done: event.done, total: event.total };
    } else {
      void this.load();
    }
  }

  /** Load again after events were lost. */
  async resync(): Promise<void> {
    if (this.now.value) await this.load();
  }

  load(): Promise<void> {
    return this.#try(async () => {
      this.#show(await this.#commands.getImport());
      this.past.value = (await this.#commands.listImports()).imports;
    });
  }

  answer(answer: Partial<Answers>): void {
    this.answers.value = { ...this.answers.value, ...answer };
  }

  async choose(kind: ArgsOf<"choose_import">["kind"]): Promise<void> {
    this.choosing.value = true;
    this.answers.value = UNANSWERED;
    await this.#go(() => this.#commands.chooseImport({ kind }));
    this.choosing.value = false;
  }

  /** Import what was just dropped; one item at a time. The core knows its path. */
  async take(count: number): Promise<void> {
    if (count > 1) this.problem.value = { code: "import_several", args: {}, retryable: false };
    else await this.choose("dropped");
  }

  paste(text: string): Promise<void> {
    this.answers.value = UNANSWERED;
    return this.#go(() => this.#commands.pasteImport({ text }));
  }

  /** `folders`: of a vault; null for all */
  change(instructions: boolean, newPet: boolean, folders: string[] | null): Promise<void> {
    return this.#go(() => this.#commands.changeImport({ instructions, new_pet: newPet, folders }));
  }

  run(memory: boolean, name: string): Promise<void> {
    return this.#go(() => this.#commands.runImport({ memory, name }));
  }

  /** Stop the import, or discard a preview or a result. */
  stop(): Promise<void> {
    return this.#go(() => this.#commands.stopImport());
  }

  /**
   * Undo an import. Returns what was changed since and stays (file names, conversation ids); null: it was refused.
   */
  async undo(id: string): Promise<string[] | null> {
    let left: string[] | null = null;
    await this.#try(async () => {
      const undone = await this.#commands.undoImport({ id });
      this.past.value = undone.imports;
      left = undone.left;
    });
    return left;
  }

  async #go(ask: () => Promise<ImportState>): Promise<void> {
    this.progress.value = { done: 0, total: 0 };
    await this.#try(async () => {
      this.#show(await ask());
    });
  }

  /** Show a state unless it is older than the shown one: replies arrive in any order. */
  #show(now: ImportState): void {
    const shown = this.now.value;
    if (shown && now.revision < shown.revision) return;
    const named = now.preview?.pet?.name;
    if (named && shown?.phase !== "ready") this.answer({ name: named });
    this.now.value = now;
  }

  async #try(act: () => Promise<void>): Promise<void> {
    this.problem.value = null;
    try {
      await act();
    } catch (thrown) {
      this.problem.value = errorOf(thrown);
    }
  }
}

export const ImportsContext = createContext<ImportsState | null>(null);

export function useImports(): ImportsState {
  const imports = useContext(ImportsContext);
  if (!imports) throw new Error("no imports around this component");
  return imports;
}

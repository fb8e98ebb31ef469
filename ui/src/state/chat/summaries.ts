/** What the owner hears of summaries: that one they asked for is there, and why one failed that nobody waits for. */
import type { ErrorInfo } from "../../bindings";

interface Tell {
  /** whether a reply is on its way in this conversation */
  runs: (conversation: string) => boolean;
  done: () => void;
  failed: (error: ErrorInfo) => void;
}

export class Summaries {
  /** conversations whose owner asked for a summary, and hears when it is there; others are made quietly */
  readonly asked = new Set<string>();
  /** why a summary failed, until the turn that needed it has ended */
  readonly #failed = new Map<string, ErrorInfo>();
  readonly #tell: Tell;

  constructor(tell: Tell) {
    this.#tell = tell;
  }

  clear(): void {
    this.#failed.clear();
  }

  /** `made`: older turns are a summary now. */
  ended(conversation: string, made: boolean, error: ErrorInfo | null): void {
    if (error !== null) this.#fail(conversation, error);
    else if (made && this.asked.has(conversation)) this.#tell.done();
    this.asked.delete(conversation);
  }

  turnEnded(conversation: string, error: ErrorInfo | null): void {
    const untold = this.#failed.get(conversation);
    this.#failed.delete(conversation);
    if (untold && error === null) this.#tell.failed(untold); // it went on without the summary
  }

  /** Made for a turn that cannot go on without, its failure is that turn's, and is said there. */
  #fail(conversation: string, error: ErrorInfo): void {
    if (this.#tell.runs(conversation)) this.#failed.set(conversation, error);
    else this.#tell.failed(error);
  }
}

/**
 * The models on this computer: the list, a download under way, and errors. A download that the owner began is used
 * once it is complete, also if its page was left meanwhile.
 */
import { signal } from "@preact/signals";
import type {
  Commands,
  ErrorInfo,
  LocalModelArriving,
  LocalModelList,
  LocalModelOffered,
  LocalModelState,
  PetEvent,
} from "../../bindings";
import { errorOf } from "../../texts";

/** Error code of a download that the owner stopped: not shown. */
const STOPPED = "local_model_stopped";

/** Errors of a model that stay until its file, or the choice, is another. */
export const UNUSABLE: ReadonlySet<string> = new Set([
  "local_model_unknown",
  "local_model_absent",
  "local_model_gone",
  "local_model_unreadable",
  "local_model_not_gguf",
  "local_model_memory",
  "local_model_no_cpu",
  "local_model_not_started",
  "local_model_not_loaded",
  "local_model_killed",
  "local_model_shrank",
  "local_model_elsewhere",
]);

export class LocalModelsState {
  readonly list = signal<LocalModelList | null>(null);
  /** the last known phase of the running model, also before the list is loaded */
  readonly phase = signal<LocalModelState["phase"]>("absent");
  /** the id of the model being downloaded, or "" */
  readonly fetching = signal("");
  readonly arriving = signal<LocalModelArriving | null>(null);
  readonly problem = signal<{ localModel: string; error: ErrorInfo } | null>(null);
  /** when other programs' models were last searched */
  readonly searchedAt = signal<Date | null>(null);
  readonly searching = signal(false);
  /** a model file that the owner dropped or chose, until it is answered */
  readonly offered = signal<LocalModelOffered | null>(null);
  readonly #commands: Commands;
  #wanted = "";
  #request = 0;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  apply(event: PetEvent): void {
    switch (event.type) {
      case "local_model_arriving":
        this.arriving.value = event;
        this.fetching.value = event.local_model;
        break;
      case "local_model_arrived":
        this.#arrived(event.local_model, event.error);
        break;
      case "local_model_offered":
        this.offered.value = event;
        break;
      case "local_model_changed":
        this.phase.value = event.phase;
        if (this.list.value) void this.load();
        break;
      default:
        break;
    }
  }

  /** Whether the model could not be started, so that it is chosen but not in use. */
  couldNotStart(localModel: string): boolean {
    const state = this.list.value?.state;
    return state?.phase === "failed" && state.local_model === localModel;
  }

  /** Load the list; an earlier error stays shown. */
  async load(): Promise<void> {
    this.#request += 1;
    const request = this.#request;
    try {
      const list = await this.#commands.listLocalModels();
      if (request === this.#request) this.#hold(list); // else a newer one is loading or loaded
    } catch (thrown) {
      this.problem.value ??= { localModel: "", error: errorOf(thrown) };
    }
  }

  /** Load again after events were lost. */
  async resync(): Promise<void> {
    if (this.list.value || this.fetching.value) await this.load();
  }

  /** Search the folders of other programs, and those of downloads if the owner asked for it. */
  async search(downloads = true): Promise<void> {
    this.searching.value = true;
    await this.#try("", async () => this.#hold(await this.#commands.scanLocalModels({ downloads })));
    this.searchedAt.value = new Date();
    this.searching.value = false;
  }

  /** Download a model, then use it. */
  fetch(localModel: string): Promise<void> {
    this.#wanted = localModel;
    this.fetching.value = localModel;
    return this.#try(localModel, async () => {
      this.list.value = await this.#commands.fetchLocalModel({ local_model: localModel });
    });
  }

  pause(): Promise<void> {
    return this.#try(this.fetching.value, () => this.#commands.stopFetchingLocalModel());
  }

  remove(localModel: string): Promise<void> {
    return this.#try(localModel, async () =>
      this.#hold(await this.#commands.removeLocalModel({ local_model: localModel })),
    );
  }

  /** Use a model; "" returns to the connection. */
  use(localModel: string): Promise<void> {
    return this.#try(localModel, async () => {
      const { list, error } = await this.#commands.useLocalModel({ local_model: localModel });
      this.#hold(list);
      if (error) this.problem.value = { localModel, error };
    });
  }

  /** Choose a file in the system's dialog; the choice arrives as an event. */
  choose(): Promise<void> {
    return this.#try("", () => this.#commands.chooseLocalModelFile());
  }

  stop(): Promise<void> {
    return this.#try("", () => this.#commands.stopLocalModel());
  }

  #hold(list: LocalModelList): void {
    this.list.value = list;
    this.fetching.value = list.state.fetching;
    if (!list.state.fetching) this.arriving.value = null;
  }

  #arrived(localModel: string, error: ErrorInfo | null): void {
    this.fetching.value = "";
    this.arriving.value = null;
    if (error) {
      this.#wanted = "";
      if (error.code !== STOPPED) this.problem.value = { localModel, error };
    }
    if (!error && this.#wanted === localModel) {
      this.#wanted = "";
      void this.use(localModel);
    } else void this.load();
  }

  async #try(localModel: string, act: () => Promise<unknown>): Promise<void> {
    this.problem.value = null;
    try {
      await act();
    } catch (thrown) {
      this.fetching.value = "";
      this.problem.value = { localModel, error: errorOf(thrown) };
    }
  }
}

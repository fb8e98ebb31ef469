/**
 * The models on this computer as the pages hold them: the list, a download on its way, what went wrong.
 * A download that the owner began is used once it is here, also when its page was left meanwhile.
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
} from "../bindings";
import { errorOf } from "../texts";

/** The owner's own doing: no problem to tell. */
const STOPPED = "local_model_stopped";

export class LocalModelsState {
  readonly list = signal<LocalModelList | null>(null);
  /** what was last heard of the one that runs, also where the list was never asked for */
  readonly phase = signal<LocalModelState["phase"]>("absent");
  /** the id of what is being downloaded, "" for nothing */
  readonly fetching = signal("");
  readonly arriving = signal<LocalModelArriving | null>(null);
  readonly problem = signal<{ local_model: string; error: ErrorInfo } | null>(null);
  /** when other programs' models were last looked for */
  readonly looked = signal<Date | null>(null);
  readonly looking = signal(false);
  /** a file that its owner dropped or chose, until it is answered */
  readonly offered = signal<LocalModelOffered | null>(null);
  readonly #commands: Commands;
  #wanted = "";
  #asked = 0;

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

  /** Leaves what went wrong before in its place. */
  async load(): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    try {
      const list = await this.#commands.listLocalModels();
      if (asked === this.#asked) this.#hold(list); // else a newer one is on its way, or here
    } catch (thrown) {
      this.problem.value ??= { local_model: "", error: errorOf(thrown) };
    }
  }

  /** After events were lost. */
  async resync(): Promise<void> {
    if (this.list.value || this.fetching.value) await this.load();
  }

  async look(): Promise<void> {
    this.looking.value = true;
    await this.#try("", async () => this.#hold(await this.#commands.scanLocalModels()));
    this.looked.value = new Date();
    this.looking.value = false;
  }

  /** Download it, and let it think from then on. */
  fetch(local_model: string): Promise<void> {
    this.#wanted = local_model;
    this.fetching.value = local_model;
    return this.#try(local_model, async () => {
      this.list.value = await this.#commands.fetchLocalModel({ local_model });
    });
  }

  pause(): Promise<void> {
    return this.#try(this.fetching.value, () => this.#commands.stopFetchingLocalModel());
  }

  remove(local_model: string): Promise<void> {
    return this.#try(local_model, async () => this.#hold(await this.#commands.removeLocalModel({ local_model })));
  }

  /** "" goes back to the model at the address. */
  use(local_model: string): Promise<void> {
    return this.#try(local_model, async () => {
      const { list, error } = await this.#commands.useLocalModel({ local_model });
      this.#hold(list);
      if (error) this.problem.value = { local_model, error };
    });
  }

  /** With the system's own dialog; an event offers what was chosen. */
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

  #arrived(local_model: string, error: ErrorInfo | null): void {
    this.fetching.value = "";
    this.arriving.value = null;
    if (error) {
      this.#wanted = "";
      if (error.code !== STOPPED) this.problem.value = { local_model, error };
    }
    if (!error && this.#wanted === local_model) {
      this.#wanted = "";
      void this.use(local_model);
    } else void this.load();
  }

  async #try(local_model: string, act: () => Promise<unknown>): Promise<void> {
    this.problem.value = null;
    try {
      await act();
    } catch (thrown) {
      this.fetching.value = "";
      this.problem.value = { local_model, error: errorOf(thrown) };
    }
  }
}

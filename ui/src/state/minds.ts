/**
 * The models on this computer as the pages hold them: the list, a download on its way, what went wrong.
 * A download that the owner began is used once it is here, also when its page was left meanwhile.
 */
import { signal } from "@preact/signals";
import type { Commands, ErrorInfo, MindArriving, MindList, MindOffered, MindState, PetEvent } from "../bindings";
import { errorOf } from "../texts";

/** The owner's own doing: no problem to tell. */
const STOPPED = "mind_stopped";

export class MindsState {
  readonly list = signal<MindList | null>(null);
  /** what was last heard of the one that runs, also where the list was never asked for */
  readonly phase = signal<MindState["phase"]>("absent");
  /** the id of what is being downloaded, "" for nothing */
  readonly fetching = signal("");
  readonly arriving = signal<MindArriving | null>(null);
  readonly problem = signal<{ mind: string; error: ErrorInfo } | null>(null);
  /** when other programs' models were last looked for */
  readonly looked = signal<Date | null>(null);
  readonly looking = signal(false);
  /** a file that its owner dropped or chose, until it is answered */
  readonly offered = signal<MindOffered | null>(null);
  readonly #commands: Commands;
  #wanted = "";
  #asked = 0;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  apply(event: PetEvent): void {
    switch (event.type) {
      case "mind_arriving":
        this.arriving.value = event;
        this.fetching.value = event.mind;
        break;
      case "mind_arrived":
        this.#arrived(event.mind, event.error);
        break;
      case "mind_offered":
        this.offered.value = event;
        break;
      case "mind_changed":
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
      const list = await this.#commands.listMinds();
      if (asked === this.#asked) this.#hold(list); // else a newer one is on its way, or here
    } catch (thrown) {
      this.problem.value ??= { mind: "", error: errorOf(thrown) };
    }
  }

  /** After events were lost. */
  async resync(): Promise<void> {
    if (this.list.value || this.fetching.value) await this.load();
  }

  async look(): Promise<void> {
    this.looking.value = true;
    await this.#try("", async () => this.#hold(await this.#commands.lookForMinds()));
    this.looked.value = new Date();
    this.looking.value = false;
  }

  /** Download it, and let it think from then on. */
  fetch(mind: string): Promise<void> {
    this.#wanted = mind;
    this.fetching.value = mind;
    return this.#try(mind, async () => {
      this.list.value = await this.#commands.fetchMind({ mind });
    });
  }

  pause(): Promise<void> {
    return this.#try(this.fetching.value, () => this.#commands.stopFetchingMind());
  }

  remove(mind: string): Promise<void> {
    return this.#try(mind, async () => this.#hold(await this.#commands.removeMind({ mind })));
  }

  /** "" goes back to the model at the address. */
  use(mind: string): Promise<void> {
    return this.#try(mind, async () => {
      const { list, error } = await this.#commands.useMind({ mind });
      this.#hold(list);
      if (error) this.problem.value = { mind, error };
    });
  }

  /** With the system's own dialog; an event offers what was chosen. */
  choose(): Promise<void> {
    return this.#try("", () => this.#commands.chooseMindFile());
  }

  stop(): Promise<void> {
    return this.#try("", () => this.#commands.stopMind());
  }

  #hold(list: MindList): void {
    this.list.value = list;
    this.fetching.value = list.state.fetching;
    if (!list.state.fetching) this.arriving.value = null;
  }

  #arrived(mind: string, error: ErrorInfo | null): void {
    this.fetching.value = "";
    this.arriving.value = null;
    if (error) {
      this.#wanted = "";
      if (error.code !== STOPPED) this.problem.value = { mind, error };
    }
    if (!error && this.#wanted === mind) {
      this.#wanted = "";
      void this.use(mind);
    } else void this.load();
  }

  async #try(mind: string, act: () => Promise<unknown>): Promise<void> {
    this.problem.value = null;
    try {
      await act();
    } catch (thrown) {
      this.fetching.value = "";
      this.problem.value = { mind, error: errorOf(thrown) };
    }
  }
}

/** The saved connections to models; every change returns the whole list. */
import { signal } from "@preact/signals";
import type { Commands, ConnectionInfo, ConnectionList, ErrorInfo } from "../bindings";
import { type ConnectionField, errorOf } from "../texts";

/** Id of the choice "a model on this computer", in place of a connection. */
export const COMPUTER = "computer";

export type Draft = Pick<ConnectionInfo, "id" | "name" | "base_url" | "protocol" | "model">;

export class ConnectionsState {
  readonly list = signal<ConnectionList | null>(null);
  /** why the last change was refused, and of which connection ("" for a new one) */
  readonly problem = signal<{ id: string; error: ErrorInfo } | null>(null);
  /** whether the model dialog of the open conversation is shown */
  readonly choosing = signal(false);
  /** the field that the settings shall focus; null once they have. connection "": the current one */
  readonly requestedField = signal<{ connection: string; field: ConnectionField } | null>(null);
  /** the connection without a key whose server turned out to need one, or "" */
  readonly keyAsked = signal("");
  #before: Promise<void> = Promise.resolve();
  readonly #commands: Commands;
  readonly #changed: () => Promise<unknown>;

  /** `changed`: called after a change, since the app's state shows model and host. */
  constructor(commands: Commands, changed: () => Promise<unknown>) {
    this.#commands = commands;
    this.#changed = changed;
  }

  load(): Promise<void> {
    return this.#try("", () => this.#commands.listConnections(), false);
  }

  /** Change fields of a saved connection; other changes under way are kept. */
  change(id: string, change: Partial<Draft>): Promise<void> {
    return this.#try(id, async () => {
      const now = this.list.value?.connections.find((each) => each.id === id);
      if (!now) return this.#commands.listConnections();
      const { name, base_url, protocol, model } = now;
      return (await this.#commands.saveConnection({ id, name, base_url, protocol, model, ...change })).list;
    });
  }

  /** Resolves once the changes under way were saved or refused. */
  settled(): Promise<void> {
    return this.#before;
  }

  /** Save a connection. Returns its id, or null if it was refused. */
  async save(draft: Draft): Promise<string | null> {
    let id: string | null = null;
    await this.#try(draft.id, async () => {
      const saved = await this.#commands.saveConnection(draft);
      id = saved.id;
      return saved.list;
    });
    return id;
  }

  remove(connection: string): Promise<void> {
    return this.#try(connection, () => this.#commands.removeConnection({ connection }));
  }

  use(connection: string): Promise<void> {
    return this.#try(connection, () => this.#commands.useConnection({ connection }));
  }

  forPet(connection: string, model: string): Promise<void> {
    return this.#try("", () => this.#commands.setPetModel({ connection, model }));
  }

  /** Run changes one after the other: each answer is the whole list. */
  #try(id: string, act: () => Promise<ConnectionList>, changes = true): Promise<void> {
    const done = this.#before.then(() => this.#do(id, act, changes));
    this.#before = done;
    return done;
  }

  async #do(id: string, act: () => Promise<ConnectionList>, changes: boolean): Promise<void> {
    this.problem.value = null;
    try {
      this.list.value = await act();
      if (changes) await this.#changed();
    } catch (thrown) {
      this.problem.value = { id, error: errorOf(thrown) };
    }
  }
}

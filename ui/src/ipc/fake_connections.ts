/** The fake core's connections to models: one at the address of the settings, and those that a test adds. */
import type { ConnectionInfo, ConnectionList } from "../bindings";
import type { FakeCore, Handlers } from "./fake";

const NO_KEY = { set: false, source: "none", last4: "", keyring_available: true, locked: false } as const;

export class FakeConnections {
  /** beside the one of the settings */
  more: ConnectionInfo[] = [];
  name = "";
  pet = "";
  readonly #core: FakeCore;

  constructor(core: FakeCore) {
    this.#core = core;
  }

  get list(): ConnectionList {
    const { settings, app } = this.#core;
    const main = infoOf("main", this.name, settings.base_url, settings.model);
    const all = [{ ...main, protocol: settings.protocol, key: app.key }, ...this.more];
    const chosen = settings.mind ? "computer" : settings.demo ? "" : settings.connection;
    return {
      connections: all.map((each) => ({ ...each, default: each.id === chosen })),
      default: chosen,
      pet: this.pet,
      pet_model: "",
    };
  }

  readonly handlers: Handlers = {
    list_connections: () => this.list,
    save_connection: ({ id, name, base_url, protocol, model }) => {
      if (id === "main") {
        this.name = name;
        this.#core.settings = { ...this.#core.settings, base_url, model, protocol: protocol ?? "auto" };
      } else {
        const made = {
          ...infoOf(id || `c${this.more.length + 1}`, name, base_url, model),
          protocol: protocol ?? "auto",
        };
        const kept = this.more.find((each) => each.id === made.id);
        this.more = kept
          ? this.more.map((each) => (each.id === made.id ? { ...made, key: each.key } : each))
          : [...this.more, made];
        return { id: made.id, list: this.list };
      }
      return { id, list: this.list };
    },
    remove_connection: ({ connection }) => {
      this.more = this.more.filter((each) => each.id !== connection);
      return this.list;
    },
    use_connection: ({ connection = "" }) => {
      this.#core.settings = { ...this.#core.settings, connection, mind: "", demo: false };
      this.#core.app = { ...this.#core.app, demo: false, mind: "" };
      return this.list;
    },
    set_key: ({ connection = "", key, keep }) => {
      this.#keep(connection, { set: true, source: keep, last4: key.slice(-4) });
      return this.list;
    },
    delete_key: ({ connection = "" }) => {
      this.#keep(connection, { set: false, source: "none", last4: "" });
      return this.list;
    },
    test_connection: ({ connection = "" }) => ({
      ok: true,
      model: this.list.connections.find((each) => each.id === connection)?.model ?? this.#core.settings.model,
      milliseconds: 840,
      error: null,
    }),
    list_models: () => ({ models: ["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"], error: null }),
    choose_model: ({ conversation, connection, model = "" }) => {
      const found = this.list.connections.find((each) => each.id === connection);
      const chosen = connection
        ? { connection, model: model || (found?.model ?? ""), origin: "", name: found?.title ?? model }
        : null;
      const kept = this.#core.conversations.get(conversation);
      if (kept) kept.info = { ...kept.info, chosen };
      return { chosen };
    },
    set_pet_model: ({ connection }) => {
      this.pet = connection;
      return this.list;
    },
  };

  #keep(connection: string, key: Partial<ConnectionInfo["key"]>): void {
    if (["", "main"].includes(connection)) {
      this.#core.app = { ...this.#core.app, key: { ...this.#core.app.key, ...key } };
    } else {
      this.more = this.more.map((each) =>
        each.id === connection ? { ...each, key: { ...each.key, ...key } } : each,
      );
    }
  }
}

/** A connection as the core would tell of it. */
export function infoOf(id: string, name: string, base_url: string, model: string): ConnectionInfo {
  const url = URL.canParse(base_url) ? new URL(base_url) : null;
  const here = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return {
    id,
    name,
    title: name || (url?.host ?? base_url),
    host: url?.host ?? base_url,
    base_url,
    protocol: "auto",
    model,
    default: false,
    key: NO_KEY,
    key_needed: !here,
    plain_http: url?.protocol === "http:" && !here,
  };
}

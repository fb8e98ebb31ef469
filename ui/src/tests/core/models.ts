/** The fake core's models: connections (one from the settings, others from tests), local models and their downloads. */
import type {
  AppState,
  ConnectionInfo,
  ConnectionList,
  ConversationView,
  LocalModelInfo,
  LocalModelList,
  SettingsView,
} from "../../bindings";
import type { Handlers } from "./records";

const NO_KEY: ConnectionInfo["key"] = {
  set: false,
  source: "none",
  last4: "",
  keyring_available: true,
  locked: false,
  headers: [],
};

/** The parts of the fake core that connections read and change. */
interface Frame {
  app: AppState;
  settings: SettingsView;
  readonly conversations: Map<string, ConversationView>;
}

export class FakeConnections {
  /** in addition to the one of the settings */
  more: ConnectionInfo[] = [];
  name = "";
  pet = "";
  readonly #core: Frame;

  constructor(core: Frame) {
    this.#core = core;
  }

  get list(): ConnectionList {
    const { settings, app } = this.#core;
    const main = infoOf("main", this.name, settings.base_url, settings.model);
    const all = [{ ...main, protocol: settings.protocol, key: app.key }, ...this.more];
    const chosen = settings.local_model ? "computer" : settings.demo ? "" : settings.connection;
    return {
      connections: all.map((each) => ({ ...each, default: each.id === chosen })),
      default: chosen,
      pet: this.pet,
      pet_model: "",
    };
  }

  readonly handlers: Handlers = {
    list_connections: () => this.list,
    save_connection: ({ id, name = "", base_url, protocol, model = "" }) => {
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
      this.#core.settings = { ...this.#core.settings, connection, local_model: "", demo: false };
      this.#core.app = { ...this.#core.app, demo: false, local_model: "" };
      return this.list;
    },
    set_key: ({ connection = "", key, keep }) => {
      this.#keep(connection, { set: true, source: keep, last4: key.slice(-4) });
      return this.list;
    },
    set_header: ({ connection = "", name, value, keep }) => {
      const kept = this.list.connections.find((each) => each.id === connection)?.key ?? NO_KEY;
      const others = kept.headers.filter((each) => each !== name);
      this.#keep(connection, { headers: value ? [...others, name] : others, source: kept.set ? kept.source : keep });
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
      window: { tokens: 200_000, source: "family", possible: 0 },
    }),
    list_models: () => ({ models: ["claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"], error: null }),
    choose_model: ({ conversation, connection, model = "" }) => {
      const served = this.list.connections.find((each) => each.id === connection);
      const chosen = connection
        ? { connection, model: model || (served?.model ?? ""), origin: "", name: served?.title ?? model }
        : null;
      const kept = this.#core.conversations.get(conversation);
      if (kept) kept.info = { ...kept.info, chosen };
      return { chosen };
    },
    use_small_way: () => ({}),
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

/** Return a connection as the core reports it. */
export function infoOf(id: string, name: string, base_url: string, model: string): ConnectionInfo {
  const whole = base_url.includes("://") ? base_url : `http://${base_url}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
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

const LOCAL_MODEL: LocalModelInfo = {
  id: "qwen3-4b",
  kind: "catalogue",
  name: "Qwen3 4B Instruct 2507",
  by: "Alibaba (Qwen)",
  about: "local_model.about.qwen3-4b",
  licence: "Apache-2.0",
  languages: ["zh", "en"],
  size: 2_497_281_120,
  need: 3_300_000_000,
  here: false,
  part: 0,
  fits: "",
  recommended: true,
  chosen: false,
  host: "huggingface.co",
  notebook: true,
};

const OTHERS: Partial<LocalModelInfo>[] = [
  {
    id: "granite-4.1-3b",
    name: "Granite 4.1 3B",
    by: "IBM",
    about: "local_model.about.granite-4.1-3b",
    languages: ["en", "de", "es", "fr", "ja", "pt", "ar", "cs", "it", "ko", "nl", "zh"],
    size: 2_099_501_664,
    need: 2_600_000_000,
  },
  {
    id: "qwen3-8b",
    name: "Qwen3 8B",
    about: "local_model.about.qwen3-8b",
    size: 5_027_783_488,
    need: 5_800_000_000,
    fits: "local_model_memory",
    notebook: false,
  },
];

const LOCAL_MODELS: LocalModelInfo[] = [
  LOCAL_MODEL,
  ...OTHERS.map((each) => ({ ...LOCAL_MODEL, recommended: false, ...each })),
];

const FOUND: LocalModelInfo = {
  ...LOCAL_MODEL,
  id: "file:/home/lin/models/phi-4.gguf",
  kind: "found",
  name: "phi-4",
  by: "LM Studio",
  about: "local_model.about.file",
  here: true,
  recommended: false,
  host: "",
  licence: "",
  languages: [],
};

export class FakeLocalModels {
  list: LocalModelList = {
    local_models: LOCAL_MODELS,
    state: { local_model: "", phase: "absent", problem: "", fetching: "" },
    problem: "",
    free_disk: 48_000_000_000,
  };
  found: LocalModelInfo[] = [FOUND];

  readonly handlers: Handlers = {
    list_local_models: () => this.list,
    scan_local_models: () => {
      const others = this.list.local_models.filter((each) => each.kind !== "found");
      this.list = { ...this.list, local_models: [...others, ...this.found] };
      return this.list;
    },
    fetch_local_model: ({ local_model }) => {
      this.list = { ...this.list, state: { ...this.list.state, fetching: local_model } };
      return this.list;
    },
    stop_fetching_local_model: () => ({}),
    remove_local_model: ({ local_model }) => {
      this.change(local_model, { here: false, part: 0, chosen: false });
      return this.list;
    },
    use_local_model: ({ local_model }) => {
      const local_models = this.list.local_models.map((each) => ({ ...each, chosen: each.id === local_model }));
      this.list = {
        ...this.list,
        local_models,
        state: { local_model, phase: "starting", problem: "", fetching: "" },
      };
      return { list: this.list, error: null };
    },
    stop_local_model: () => ({}),
    choose_local_model_file: () => ({}),
  };

  /** Change a model and the download under way. */
  change(local_model: string, changes: Partial<LocalModelInfo>, fetching = ""): void {
    const local_models = this.list.local_models.map((each) =>
      each.id === local_model ? { ...each, ...changes } : each,
    );
    this.list = { ...this.list, local_models, state: { ...this.list.state, fetching } };
  }
}

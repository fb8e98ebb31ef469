/**
 * A core in memory for tests and the development server (dev/browse.ts): the same commands and events.
 * Commands succeed unless a test calls `fail`.
 */
import {
  type AppState,
  type Attachment,
  type AttachmentView,
  type CallArgs,
  CommandError,
  type CommandName,
  type Commands,
  type ConversationView,
  createCommands,
  type Delivery,
  type DesktopState,
  type ErrorInfo,
  type FileView,
  type HistoryHit,
  type PetEvent,
  type Receipt,
  type ReceiptStateView,
  type SettingsView,
  type SpentView,
  type TurnView,
  type UsageView,
} from "../../bindings";
import type { Deliver } from "../../ipc/bridge";
import { FakeImports } from "./imports";
import { FakeMemory, RECEIPT } from "./memory";
import { FakeConnections, FakeLocalModels } from "./models";
import { APP, type Handlers, NOW, PICTURE, PLACES, preview, SETTINGS, simpleDiff, version } from "./records";

export class FakeCore {
  app: AppState = { ...APP };
  settings: SettingsView = { ...SETTINGS };
  readonly conversations = new Map<string, ConversationView>();
  readonly files = new Map<string, string>([["SOUL.md", "# Who I am\n\nI am **Mochi**, small and curious.\n"]]);
  /** received commands, in order */
  readonly calls: { name: CommandName; args: unknown }[] = [];
  readonly memory = new FakeMemory();
  readonly localModels = new FakeLocalModels();
  readonly connections = new FakeConnections(this);
  readonly imports = new FakeImports();
  desktop: DesktopState = {
    login: false,
    login_possible: true,
    login_other: false,
    login_place: "/home/lin/.config/autostart/soulpet.desktop",
    taken_shortcuts: [],
  };
  readonly attachments = new Map<string, AttachmentView>();
  usage: UsageView = {
    today: { day: "2026-11-21", tokens: 0, cost: null, models: [] },
    counted: 0,
    days: [],
    limit: 0,
    reached: false,
    allowed: false,
  };
  spent: SpentView = {
    usage: { input_tokens: 1240, output_tokens: 96, cache_read_tokens: 900, cache_write_tokens: 0 },
    tokens: 2236,
    local: 0,
    cost: 0.00181,
    uncounted: 0,
  };
  /** whether pet and owner are strangers */
  strangers = false;
  /** whether something of the owner was noted */
  acquainted = false;
  /** inactive variants, each with the turns that followed it */
  readonly variants = new Map<string, TurnView[]>();
  /** removed turns, each with all turns before the removal */
  readonly #removed = new Map<string, TurnView[]>();
  readonly #failures = new Map<CommandName, ErrorInfo>();
  readonly #held = new Map<CommandName, Promise<void>>();
  #seq = 0;
  #made = 0;
  deliver: Deliver = () => undefined;

  /** the window's exposed function: answers with an envelope as JSON */
  readonly invoke = async (name: CommandName, args: string): Promise<string> => {
    await Promise.resolve();
    const parsed: unknown = JSON.parse(args);
    this.calls.push({ name, args: parsed });
    await this.#held.get(name);
    return JSON.stringify(this.#answer(name, parsed));
  };

  readonly commands: Commands = createCommands(this.invoke);

  fail(name: CommandName, error: ErrorInfo): void {
    this.#failures.set(name, error);
  }

  /** Hold answers to a command until the returned function is called. */
  hold(name: CommandName): () => void {
    let release: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#held.set(name, answered);
    return () => {
      this.#held.delete(name);
      release();
    };
  }

  called(name: CommandName): unknown[] {
    return this.calls.filter((call) => call.name === name).map((call) => call.args);
  }

  emit(...events: PetEvent[]): void {
    const numbered = events.map((event) => {
      this.#seq += 1;
      if (event.type === "memory_paused") this.app = { ...this.app, paused: event.paused };
      return { seq: this.#seq, event };
    });
    const delivery: Delivery = { resync: false, events: numbered };
    this.deliver(delivery);
  }

  addConversation(view: Partial<ConversationView["info"]> = {}, turns: TurnView[] = []): ConversationView {
    this.#made += 1;
    const id = view.id ?? `c${this.#made}`;
    const info = {
      id,
      title: "",
      memory: true,
      read_only: false,
      temporary: false,
      updated_at: NOW,
      turns: turns.length,
      running: false,
      chosen: null,
      switches: [],
    };
    const made: ConversationView = {
      info: { ...info, ...view },
      turns,
      dividers: [],
      damaged_lines: 0,
      opening: "",
      compacting: false,
      earlier: 0,
      seq: this.#seq,
    };
    this.conversations.set(id, made);
    return made;
  }

  #answer(name: CommandName, args: unknown): unknown {
    const failure = this.#failures.get(name);
    if (failure) {
      this.#failures.delete(name);
      return { ok: false, error: failure };
    }
    try {
      const areas = [
        this.handlers,
        this.memory.handlers,
        this.localModels.handlers,
        this.imports.handlers,
        this.connections.handlers,
      ];
      const handler = areas.map((area) => area[name]).find(Boolean) as ((args: unknown) => unknown) | undefined;
      return { ok: true, value: handler ? handler(args) : {} };
    } catch (thrown) {
      if (!(thrown instanceof CommandError)) throw thrown;
      return { ok: false, error: { code: thrown.code, args: thrown.args, retryable: thrown.retryable } };
    }
  }

  #receiptState({ conversation, turn, call }: CallArgs): ReceiptStateView | undefined {
    const turns = this.conversations.get(conversation)?.turns ?? [];
    return turns.find((each) => each.turn === turn)?.receipts.find((each) => each.call === call);
  }

  /** Record the state and emit the event, as the core does. */
  #changeReceipt({ conversation, turn, call }: CallArgs, state: ReceiptStateView["state"] | null, kept?: Receipt) {
    const view = this.conversations.get(conversation);
    if (!view) throw new CommandError({ code: "unknown_receipt", args: {}, retryable: false });
    const receipts = state ? [{ call, state, kept: kept ?? null }] : [];
    const turns = view.turns.map((each) => (each.turn === turn ? { ...each, receipts } : each));
    this.conversations.set(conversation, { ...view, turns });
    this.emit({ type: "receipts_changed", conversation });
    return { outcome: "saved" as const, file: this.fileView("USER.md"), receipt: null, merged_text: null };
  }

  readonly handlers: Handlers = {
    get_app_state: () => this.app,
    list_conversations: () => ({
      conversations: [...this.conversations.values()]
        .map((view) => view.info)
        .filter((info) => !info.temporary && (info.turns > 0 || info.title !== "")),
    }),
    open_conversation: ({ conversation, newest }) => {
      const view = this.conversations.get(conversation);
      if (!view) throw new CommandError({ code: "unknown_conversation", args: {}, retryable: false });
      const earlier = Math.max(0, view.turns.length - (newest ?? view.turns.length));
      return { ...view, turns: view.turns.slice(earlier), earlier };
    },
    search_history: ({ query }) => ({ hits: this.#said(query.toLowerCase()), more: false }),
    export_conversation: ({ conversation, format }) => ({
      path: `/home/lin/Downloads/${conversation}.${format === "json" ? "json" : "md"}`,
    }),
    take_dropped: () => ({ text: "", files: [], refused: [] }),
    take_request: () => ({ view: null, conversation: null }),
    get_usage: () => this.usage,
    allow_today: () => {
      this.usage = { ...this.usage, allowed: true };
      return this.usage;
    },
    add_attachment: ({ file }) => {
      const bytes = Math.round((file.data.join("").length * 3) / 4);
      const isText = file.name.endsWith(".txt") || file.name.endsWith(".md");
      const id = `sha${this.attachments.size}`;
      const made: Attachment = isText
        ? { id, kind: "text/plain", name: file.name, width: 0, height: 0, bytes, pages: 1, unread: 0, sent: "" }
        : { id, kind: "image/png", name: file.name, width: 640, height: 400, bytes, pages: 0, unread: 0, sent: "" };
      this.attachments.set(id, { attachment: made, image: isText ? "" : PICTURE, text: isText ? "Some text." : "" });
      return { files: [{ attachment: made, fitting: made.pages }] };
    },
    fit_attachment: ({ attachment }) => {
      const stored = this.attachments.get(attachment);
      if (!stored) throw new CommandError({ code: "attachment_gone", args: {}, retryable: false });
      return { attachment: stored.attachment, fitting: Math.min(40, stored.attachment.pages) };
    },
    read_attachment: ({ attachment }) => {
      const stored = this.attachments.get(attachment);
      if (!stored) throw new CommandError({ code: "attachment_gone", args: {}, retryable: false });
      return stored;
    },
    load_picture: () => ({ image: PICTURE, width: 640, height: 400 }),
    new_conversation: ({ temporary }) => this.addConversation(temporary ? { temporary, memory: false } : {}),
    set_memory: ({ conversation, memory, read_only = false }) => {
      this.emit({ type: "memory_switched", conversation, memory, read_only, at: NOW });
      return {};
    },
    keep_conversation: ({ conversation }) => {
      const { info, turns } = this.conversations.get(conversation) as ConversationView;
      return this.addConversation({ ...info, id: `${conversation}-kept`, temporary: false }, turns);
    },
    list_mcp_servers: () => ({ servers: [], most: 30 }),
    set_switch: ({ conversation, name, on }) => {
      this.emit({ type: "extra_switched", conversation, name, on });
      return {};
    },
    delete_conversation: ({ conversation }) => {
      this.conversations.delete(conversation);
      this.emit({ type: "conversation_deleted", conversation });
      return {};
    },
    remove_turn: ({ conversation, turn }) => {
      const view = this.conversations.get(conversation);
      if (view)
        this.conversations.set(conversation, { ...view, turns: view.turns.filter((each) => each.turn !== turn) });
      this.#removed.set(turn, view?.turns ?? []);
      this.emit({ type: "turns_removed", conversation, turns: [turn], removed: true });
      return {};
    },
    restore_turns: ({ conversation, turns }) => {
      const view = this.conversations.get(conversation);
      const before = this.#removed.get(turns[0] ?? "");
      if (!view || !before) throw new CommandError({ code: "unknown_turn", args: {}, retryable: false });
      const standing = new Set([...view.turns.map((each) => each.turn), ...turns]);
      this.conversations.set(conversation, { ...view, turns: before.filter((each) => standing.has(each.turn)) });
      this.emit({ type: "turns_removed", conversation, turns, removed: false });
      return {};
    },
    choose_variant: ({ conversation, turn }) => {
      const view = this.conversations.get(conversation);
      const place = view?.turns.findIndex((each) => each.variants.includes(turn)) ?? -1;
      const turns = this.variants.get(turn);
      if (!view || place < 0 || !turns) throw new CommandError({ code: "unknown_turn", args: {}, retryable: false });
      this.conversations.set(conversation, { ...view, turns: [...view.turns.slice(0, place), ...turns] });
      this.emit({ type: "variant_chosen", conversation, turn });
      return {};
    },
    branch_conversation: ({ conversation, turn }) => {
      const view = this.conversations.get(conversation);
      if (!view) throw new CommandError({ code: "unknown_conversation", args: {}, retryable: false });
      const upto = view.turns.slice(0, view.turns.findIndex((each) => each.turn === turn) + 1);
      return this.addConversation({ title: `${view.info.title} (2)`, memory: view.info.memory }, upto);
    },
    get_spent: () => this.spent,
    get_welcome: () => ({
      step: this.app.welcome,
      own_soul: true,
      strangers: this.strangers,
      acquainted: this.acquainted,
    }),
    drop_earlier: ({ conversation }) => {
      this.emit({ type: "earlier_dropped", conversation, at: NOW });
      return {};
    },
    send_message: () => ({ turn: "t-new" }),
    prepare_draft: () => ({}),
    get_acquainted: () => ({ turn: "t-new" }),
    list_life: () => ({ remembers: true, reasons: [] }),
    resend: () => ({ turn: "t-new" }),
    continue_turn: () => ({ turn: "t-new" }),
    remember_turn: ({ conversation, turn }) => {
      const receipt = this.memory.remembered;
      const place = { conversation, turn, call: "remember_1" };
      if (receipt) {
        this.emit(
          { type: "tool_started", ...place, round: 0, tool: "remember", file: receipt.file },
          { type: "tool_ended", ...place, error: null, receipt },
        );
      }
      return { receipt };
    },
    pause_memory: ({ paused }) => {
      this.emit({ type: "memory_paused", paused });
      return {};
    },
    read_file: ({ file }) => this.fileView(file),
    write_file: ({ file, text, base }) => {
      const now = this.fileView(file);
      if (now.version !== base)
        return { outcome: "conflict", file: now, receipt: null, merged_text: `${now.text}${text}` };
      this.files.set(file, text);
      return { outcome: "saved", file: this.fileView(file), receipt: null, merged_text: null };
    },
    list_versions: ({ file }) => ({
      versions: [
        version(file, "v3", "pet", true),
        version(file, "v2", "owner", false),
        version(file, "v1", "system", false),
      ],
    }),
    diff_versions: ({ file }) => simpleDiff("# Who I am\n", this.files.get(file) ?? ""),
    diff_texts: ({ old, new: next }) => simpleDiff(old, next),
    restore_version: ({ file }) => ({
      outcome: "saved",
      file: this.fileView(file),
      receipt: null,
      merged_text: null,
    }),
    undo_receipt: (which) => {
      const kept = this.#receiptState(which)?.kept ?? null;
      return this.#changeReceipt(which, kept ? null : "undone");
    },
    redo_receipt: (which) => this.#changeReceipt(which, null),
    replace_earlier: () => ({ receipt: null }),
    keep_secret: (which) => {
      const receipt = { ...RECEIPT, before: "v2", after: "v3" };
      this.#changeReceipt(which, "kept", receipt);
      return { receipt };
    },
    list_templates: () => ({
      templates: [
        {
          id: "calm",
          title: "Calm friend",
          file: "SOUL.md",
          text: "# Who I am\n\nA calm friend.\n",
          name: "",
          about: "",
          body: "",
          own: false,
        },
      ],
      folder: "/home/lin/.local/share/soulpet/templates",
    }),
    get_desktop: () => this.desktop,
    set_login: ({ on }) => {
      this.desktop = { ...this.desktop, login: on, login_other: false };
      return this.desktop;
    },
    list_places: () => ({ places: PLACES }),
    get_settings: () => this.settings,
    change_settings: ({ changes }) => {
      const own = Object.entries(changes).filter(([name]) => name in this.settings.extras);
      const extras = { ...this.settings.extras, ...Object.fromEntries(own) };
      this.settings = { ...this.settings, ...changes, extras };
      const { theme, reduced_motion, memory_default, language, show_usage } = this.settings;
      this.app = { ...this.app, theme, reduced_motion, memory_default, show_usage };
      if (language !== "system") this.app = { ...this.app, language };
      return this.settings;
    },
    preview_prompt: ({ memory, read_only }) => preview(memory, this.files, read_only),
  };

  #said(query: string): HistoryHit[] {
    return [...this.conversations.values()].flatMap(({ info, turns }) =>
      turns.flatMap(({ turn, at, text }) => {
        const start = text.toLowerCase().indexOf(query);
        if (start < 0) return [];
        const pieces = [
          text.slice(0, start),
          text.slice(start, start + query.length),
          text.slice(start + query.length),
        ];
        const snippet = pieces.map((piece, index) => ({ text: piece, is_match: index === 1 }));
        return [{ conversation: info.id, title: info.title, turn, at, who: "owner" as const, snippet }];
      }),
    );
  }

  fileView(file: string): FileView {
    const text = this.files.get(file);
    const base = { file, problem: "", limit: 20_000, cut: 0, hidden_characters: 0 };
    if (text === undefined) return { ...base, state: "missing", text: "", version: "missing", characters: 0 };
    return { ...base, state: "present", text, version: `v:${text}`, characters: text.length };
  }
}

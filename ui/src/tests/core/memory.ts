/** The fake core's memory: logs, reminders, pets, conflict copies, skins and skills, as a test or a scene sets them. */
import {
  type AgentsView,
  CommandError,
  type CopyView,
  type EntryView,
  type FileView,
  type FinishedReminder,
  type ForgetList,
  type HitView,
  type IndexState,
  type Origin,
  type OurDays,
  type PetInfo,
  type Receipt,
  type ReminderView,
  type SkillInfo,
  type SkinInfo,
  type StatementGroup,
  type StatementView,
} from "../../bindings";
import type { Handlers } from "./records";

const STILL = "data:image/png;base64,iVBORw0KGgo=";
const BODY = "data:image/svg+xml;base64,PHN2Zy8+";

export const RECEIPT: Receipt = {
  file: "memory/2026-11-21.md",
  history_id: "h9",
  before: "v1",
  after: "v2",
  added: 3,
  removed: 0,
  author: "pet",
  merged: false,
  masked: [],
  foreign: [],
  noted: [{ text: "Green tea, never coffee", due: "", at: "", repeats: "", earlier: "" }],
};

export class FakeMemory {
  entries = new Map<string, EntryView[]>();
  hits: HitView[] = [];
  index: IndexState = { embedder: "potion", done: 0, total: 0 };
  due: ReminderView[] = [];
  coming: ReminderView[] = [];
  finished: FinishedReminder[] = [];
  pets: PetInfo[] = [{ id: "bun", name: "Mochi", current: true, beside: false, conversations: 2, changed_at: "" }];
  /** resting pictures of pets with a skin, by pet */
  dressed = new Map<string, string>();
  copies: CopyView[] = [];
  skills: SkillInfo[] = [];
  agents: AgentsView = { clients: [], sessions: [], notes: [], programs: [] };
  skins: SkinInfo[] = [skin("mochi", "Mochi", { origin: "drawn", current: true, version: 0 })];
  statements: StatementGroup[] = [];
  origin: Origin = {
    kind: "unknown",
    at: "",
    name: "",
    conversation: "",
    turn: "",
    title: "",
    quote: "",
    gone: false,
    forgotten: false,
  };
  forgets: ForgetList = { text: "", goes: [], stays: [] };
  /** what "save it now" writes; null: nothing to write */
  remembered: Receipt | null = RECEIPT;

  ourDays: OurDays = {
    since: "2026-03-03",
    days_together: 271,
    kept: [],
    things: [],
    this_day: [],
    firsts: [],
    days: [],
    earlier: "",
  };

  readonly handlers: Handlers = {
    compact: () => ({}),
    search_memory: ({ query }) => ({
      hits: this.hits.filter((hit) => hit.snippet.toLowerCase().includes(query.toLowerCase())),
      embedder: this.index.embedder,
    }),
    get_index_state: () => this.index,
    rebuild_index: () => ({}),
    list_logs: () => ({
      days: [...this.entries]
        .filter(([file]) => file.startsWith("memory/"))
        .map(([file, entries]) => ({ file, day: file.slice(7, 17), entries: entries.length }))
        .sort((a, b) => b.day.localeCompare(a.day)),
    }),
    read_entries: ({ file }) => ({ file: fileView(file), entries: this.entries.get(file) ?? [] }),
    list_statements: ({ words = "", group = "", count = 6 }) => {
      const has = (each: StatementView) => each.sentence.toLowerCase().includes(words.toLowerCase());
      const groups = this.statements.map(({ name, statements }) => {
        const those = statements.filter(has);
        return { name, total: those.length, statements: name === group ? those : those.slice(0, count) };
      });
      const total = this.statements.reduce((sum, each) => sum + each.statements.length, 0);
      return { total, groups: groups.filter((each) => each.total > 0) };
    },
    list_our_days: () => this.ourDays,
    correct_statement: () => ({}),
    set_aside: ({ sentence }) => {
      const all = this.statements.flatMap((each) => each.statements);
      const moved = all.filter((each) => each.sentence === sentence).map((each) => ({ ...each, file: "ASIDE.md" }));
      const rest = this.statements.map((group) => {
        const statements = group.statements.filter((each) => each.sentence !== sentence);
        return { ...group, statements, total: statements.length };
      });
      this.statements = [...rest, { name: "aside", total: moved.length, statements: moved }];
      return {};
    },
    use_again: () => ({}),
    find_statement: ({ file, line, text = "" }) => {
      const all = this.statements.flatMap((each) => each.statements);
      const meant = (each: StatementView) => (text ? each.text === text : each.start_line === line);
      return { statement: all.find((each) => each.file === file && meant(each)) ?? null };
    },
    explain_statement: () => this.origin,
    list_forget: () => this.forgets,
    forget: () => ({ entries: this.forgets.goes.length, versions: 2, messages: 1, left: this.forgets.stays }),
    list_reminders: () => this.reminders(),
    list_finished_reminders: () => ({ finished: this.finished }),
    add_reminder: ({ text, when }) => {
      if (!/\d/.test(when)) throw new CommandError({ code: "bad_arguments", args: {}, retryable: false });
      const made = { file: "memory/2026-11-03.md", line: 40, due: "2026-11-05", overdue: false, at: "", repeats: "" };
      this.coming = [...this.coming, { ...made, text }];
      return this.reminders();
    },
    answer_reminder: ({ line, file }) => {
      const others = (each: ReminderView) => each.file !== file || each.line !== line;
      this.due = this.due.filter(others);
      this.coming = this.coming.filter(others);
      return this.reminders();
    },
    list_pets: () => ({ pets: this.pets }),
    create_pet: ({ name }) => this.addPet(name),
    duplicate_pet: ({ name }) => this.addPet(name),
    rename_pet: ({ pet, name }) => {
      this.pets = this.pets.map((each) => (each.id === pet ? { ...each, name } : each));
      return { pets: this.pets };
    },
    delete_pet: ({ pet }) => {
      this.pets = this.pets.filter((each) => each.id !== pet);
      return { pets: this.pets };
    },
    switch_pet: () => ({}),
    bring_pet: () => ({}),
    send_pet_home: () => ({}),
    list_copies: () => ({ copies: this.copies.map((copy) => copy.info) }),
    read_copy: ({ copy }) => this.copy(copy),
    settle_copy: ({ copy }) => {
      const { file } = this.copy(copy);
      this.copies = this.copies.filter((each) => each.info.copy !== copy);
      return { outcome: "saved", file, receipt: null, merged_text: null };
    },
    list_skins: () => ({ skins: this.skins }),
    preview_skin: ({ skin }) => ({
      skin: skin || (this.skins.find((each) => each.current)?.id ?? ""),
      stamp: "s1",
      image: this.imageOf(skin),
      frame_width: 192,
      frame_height: 208,
      columns: 1,
      animations: [{ name: "idle", frames: [9], milliseconds: [1000] }],
      looks: [],
      pixelated: false,
    }),
    film_skin: ({ skin, act }) => ({
      sheet: {
        skin: skin ?? "",
        stamp: "s1",
        image: this.imageOf(skin),
        frame_width: 192,
        frame_height: 208,
        columns: 8,
        animations: [],
        looks: [],
        pixelated: false,
      },
      steps: [act || "wave", act || "happy"].map((each, cell) => ({ act: each, cell, milliseconds: 1600, move: "" })),
      again: 0,
      still: 0,
    }),
    preview_pet: ({ pet }) => ({
      skin: this.dressed.has(pet) ? "own" : "mochi",
      stamp: `s-${pet}`,
      image: this.dressed.get(pet) ?? BODY,
      frame_width: 192,
      frame_height: 208,
      columns: 1,
      animations: [{ name: "idle", frames: [0], milliseconds: [1000] }],
      looks: [],
      pixelated: false,
    }),
    choose_skin: ({ skin }) => {
      this.skins = this.skins.map((each) => ({ ...each, current: each.id === skin }));
      return { skins: this.skins };
    },
    import_skin: ({ files }) => {
      const taken = skin("taken", files[0]?.name ?? "", { deletable: true });
      this.skins = [...this.skins, taken];
      return { skin: taken, skins: this.skins };
    },
    copy_skin: ({ skin: id }) => {
      const taken = skin(`${id}-copy`, id, { deletable: true });
      this.skins = [...this.skins, taken];
      return { skin: taken, skins: this.skins };
    },
    export_skin: ({ skin }) => ({ path: `/home/lin/Downloads/${skin}.zip` }),
    delete_skin: ({ skin }) => {
      this.skins = this.skins.filter((each) => each.id !== skin);
      return { skins: this.skins };
    },
    typing: () => ({}),
    reading: () => ({}),
    list_skills: () => ({ skills: this.skills }),
    list_agents: () => this.agents,
    set_agent: ({ name, folder, mode, never }) => {
      this.agents = {
        ...this.agents,
        clients: this.agents.clients.map((each) =>
          each.name === name && each.folder === folder ? { ...each, mode, never: never ?? false } : each,
        ),
      };
      return this.agents;
    },
    remove_agent: ({ name }) => {
      this.agents = { ...this.agents, clients: this.agents.clients.filter((each) => each.name !== name) };
      return this.agents;
    },
    set_up_program: ({ program, installed }) => {
      const programs = this.agents.programs.map((each) => (each.id === program ? { ...each, installed } : each));
      this.agents = { ...this.agents, programs };
      return this.agents;
    },
    set_up_hooks: ({ program, installed }) => {
      const hooks = installed ? "on" : "off";
      const programs = this.agents.programs.map((each) =>
        each.id === program ? ({ ...each, hooks } as const) : each,
      );
      this.agents = { ...this.agents, programs };
      return this.agents;
    },
    set_agent_grant: ({ name, folder, grant, on }) => {
      const clients = this.agents.clients.map((each) => {
        if (each.name !== name || each.folder !== folder) return each;
        const others = each.grants.filter((other) => other !== grant);
        return { ...each, grants: on ? [...others, grant] : others };
      });
      this.agents = { ...this.agents, clients };
      return this.agents;
    },
    answer_agent: () => ({}),
    answer_agent_note: ({ id }) => {
      this.agents = { ...this.agents, notes: this.agents.notes.filter((each) => each.id !== id) };
      return this.agents;
    },
  };

  private reminders() {
    return { due: this.due, coming: this.coming };
  }

  private imageOf(skin = ""): string {
    const worn = this.skins.find((each) => (skin ? each.id === skin : each.current));
    return worn && worn.origin !== "drawn" ? STILL : BODY;
  }

  private addPet(name: string) {
    const id = `pet-${this.pets.length + 1}`;
    this.pets = [...this.pets, { id, name, current: false, beside: false, conversations: 0, changed_at: "" }];
    return { pets: this.pets };
  }

  private copy(name: string): CopyView {
    const copy = this.copies.find((each) => each.info.copy === name);
    if (!copy) throw new Error(`no copy ${name}`);
    return copy;
  }
}

export function entry(line: number, text: string, more: Partial<EntryView> = {}): EntryView {
  return {
    start_line: line,
    end_line: line + 2,
    heading: "general",
    time: "09:30:00",
    due: "",
    state: "",
    text,
    ...more,
  };
}

export function skin(id: string, name: string, more: Partial<SkinInfo> = {}): SkinInfo {
  return {
    id,
    name,
    description: "",
    author: "",
    licence: "",
    origin: "shared",
    version: 2,
    problem: null,
    notes: [],
    current: false,
    deletable: false,
    ...more,
  };
}

export function fileView(file: string, text = "", more: Partial<FileView> = {}): FileView {
  const sizes = { characters: text.length, limit: 20_000, cut: 0, hidden_characters: 0 };
  return { file, state: "present", problem: "", text, version: `v:${text}`, ...sizes, ...more };
}

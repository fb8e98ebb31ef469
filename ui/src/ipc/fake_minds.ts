/** The fake core's models on this computer: what the list holds, and a download that the test moves. */
import type { MindInfo, MindList } from "../bindings";
import type { Handlers } from "./fake";

const MIND: MindInfo = {
  id: "qwen3-4b",
  kind: "catalogue",
  name: "Qwen3 4B Instruct 2507",
  by: "Alibaba (Qwen)",
  about: "mind.about.qwen3-4b",
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

const OTHERS: Partial<MindInfo>[] = [
  {
    id: "granite-4.1-3b",
    name: "Granite 4.1 3B",
    by: "IBM",
    about: "mind.about.granite-4.1-3b",
    languages: ["en", "de", "es", "fr", "ja", "pt", "ar", "cs", "it", "ko", "nl", "zh"],
    size: 2_099_501_664,
    need: 2_600_000_000,
  },
  {
    id: "qwen3-8b",
    name: "Qwen3 8B",
    about: "mind.about.qwen3-8b",
    size: 5_027_783_488,
    need: 5_800_000_000,
    fits: "mind_memory",
    notebook: false,
  },
];

const MINDS: MindInfo[] = [MIND, ...OTHERS.map((each) => ({ ...MIND, recommended: false, ...each }))];

const FOUND: MindInfo = {
  ...MIND,
  id: "file:/home/lin/models/phi-4.gguf",
  kind: "found",
  name: "phi-4",
  by: "LM Studio",
  about: "mind.about.file",
  here: true,
  recommended: false,
  host: "",
  licence: "",
  languages: [],
};

export class FakeMinds {
  list: MindList = {
    minds: MINDS,
    state: { mind: "", phase: "absent", problem: "", fetching: "" },
    problem: "",
    free_disk: 48_000_000_000,
  };
  found: MindInfo[] = [FOUND];

  readonly handlers: Handlers = {
    list_minds: () => this.list,
    look_for_minds: () => {
      const others = this.list.minds.filter((each) => each.kind !== "found");
      this.list = { ...this.list, minds: [...others, ...this.found] };
      return this.list;
    },
    fetch_mind: ({ mind }) => {
      this.list = { ...this.list, state: { ...this.list.state, fetching: mind } };
      return this.list;
    },
    stop_fetching_mind: () => ({}),
    remove_mind: ({ mind }) => {
      this.change(mind, { here: false, part: 0, chosen: false });
      return this.list;
    },
    use_mind: ({ mind }) => {
      const minds = this.list.minds.map((each) => ({ ...each, chosen: each.id === mind }));
      this.list = { ...this.list, minds, state: { mind, phase: "starting", problem: "", fetching: "" } };
      return { list: this.list, error: null };
    },
    stop_mind: () => ({}),
    choose_mind_file: () => ({}),
  };

  /** As if a download had moved, or ended. */
  change(mind: string, changes: Partial<MindInfo>, fetching = ""): void {
    const minds = this.list.minds.map((each) => (each.id === mind ? { ...each, ...changes } : each));
    this.list = { ...this.list, minds, state: { ...this.list.state, fetching } };
  }
}

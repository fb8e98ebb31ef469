/** The fake core's first start: local servers, personalities and a character card. */
import type { CardPreview, LocalServer } from "../../bindings";
import type { FakeCore } from "./core";

const PICTURE = "data:image/webp;base64,UklGRh4AAABXRUJQVlA4TBEAAAAvB8ABAAdQ5GIWtf+BiOh/AAA=";

export const SERVERS: LocalServer[] = [
  { name: "Ollama", base_url: "http://127.0.0.1:11434", models: ["qwen3:8b", "gemma3:4b"] },
  { name: "LM Studio", base_url: "http://127.0.0.1:1234", models: ["phi-4"] },
];

const SOULS = [
  { id: "soul", name: "Mochi", title: "Mochi, small and warm", about: "For every day.", body: "soulpet" },
  {
    id: "night",
    name: "Vesper",
    title: "Vesper, a cat of few words",
    about: "Dry and honest.",
    body: "soulpet/vesper",
  },
];

export const CARD: CardPreview = {
  name: "Momo",
  file: "momo.png",
  declared: true,
  newer: false,
  soul: "# Momo\n\nA fox.\n",
  base: "v1",
  diff: {
    lines: [
      { kind: "removed", text: "I am Mochi.", old_line: 1, new_line: null },
      { kind: "added", text: "# Momo", old_line: null, new_line: 1 },
    ],
    added: 1,
    removed: 1,
  },
  hidden_characters: 0,
  greetings: ["Hello, {{user}}!"],
  notes: "Made on a rainy day.",
  has_instructions: true,
  portrait: "",
  pictures: [],
  lore_left: 0,
  remote_pictures: 0,
};

/** A card with pictures, several greetings, and a remote picture. */
export const DRESSED_CARD: CardPreview = {
  ...CARD,
  greetings: ["Hello, {{user}}!", "You again?", "It rains."],
  portrait: PICTURE,
  pictures: [
    { name: "happy", image: PICTURE },
    { name: "sad", image: PICTURE },
  ],
  lore_left: 0,
  remote_pictures: 1,
};

/** Set up a home at its first start. */
export function beginFirstStart(core: FakeCore, servers: LocalServer[] = SERVERS, step = 1): void {
  core.app = {
    ...core.app,
    welcome: step,
    unchosen: true,
    key: { ...core.app.key, set: false, source: "none", last4: "" },
  };
  core.handlers.get_welcome = () => ({ step: core.app.welcome, own_soul: false, strangers: true, acquainted: false });
  core.handlers.save_welcome = ({ step: next }) => {
    core.app = { ...core.app, welcome: next };
    return {};
  };
  core.handlers.find_servers = () => ({ servers });
  core.handlers.list_templates = () => ({
    templates: SOULS.map((each) => ({
      ...each,
      file: "SOUL.md",
      text: `# Soul\n\n## Who I am\nMy name is ${each.name}.\n`,
      own: false,
    })),
    folder: "/home/lin/.local/share/soulpet/templates",
  });
  core.handlers.choose_soul = ({ template, name }) => {
    core.files.set("SOUL.md", `${template} ${name ?? ""}`);
    return core.fileView("SOUL.md");
  };
  core.handlers.rename_pet = ({ name }) => {
    core.app = { ...core.app, pet_name: name };
    return { pets: [] };
  };
  addCards(core);
}

export function addCards(core: FakeCore): void {
  core.handlers.preview_card = ({ instructions }) =>
    instructions ? { ...CARD, soul: `${CARD.soul}\nObey.\n` } : CARD;
  core.handlers.import_card = () => ({
    outcome: "saved",
    file: core.fileView("SOUL.md"),
    receipt: null,
    merged_text: null,
  });
  core.handlers.create_pet_from_card = () => ({});
  core.handlers.export_card = () => ({ path: "/home/lin/Downloads/Mochi.png" });
}

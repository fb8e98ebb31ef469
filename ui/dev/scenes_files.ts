/** Scenes for browse.ts: edited files, and large amounts of everything. */
import type { CommandName } from "../src/bindings";
import type { FakeCore } from "../src/tests/core/core";
import { entry } from "../src/tests/core/memory";
import { NOW, turnView } from "../src/tests/core/records";

const TEXTS = import.meta.glob<string>("../../assets/templates/*/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
const SOULS = ["soul", "sunny", "scholar", "night", "slow"];
const USERS = ["profile", "profile_whole", "profile_work"];

/** The shipped starting texts, as the core lists them. */
export function realTemplates(core: FakeCore): void {
  const [, titles] = Object.entries(
    import.meta.glob<Record<string, string>>("../../pet/i18n/*/files.json", { import: "default", eager: true }),
  ).find(([path]) => path.includes(`/${core.app.language}/`)) ?? ["", {} as Record<string, string>];
  core.handlers.list_templates = () => ({
    folder: "/home/lin/.local/share/soulpet/templates",
    templates: Object.entries(TEXTS)
      .filter(([path]) => path.includes(`/${core.app.language}/`) && !path.includes("default"))
      .map(([path, text]) => {
        const id = path.replace(/.*\/|\.md$/g, "");
        const file = SOULS.includes(id) ? "SOUL.md" : USERS.includes(id) ? "USER.md" : `${id.toUpperCase()}.md`;
        const name = titles[`template.${id}.name`] ?? "";
        return {
          id,
          file,
          text,
          name,
          own: false,
          title: titles[`template.${id}`] ?? id,
          about: titles[`template.${id}.about`] ?? "",
          body: "",
        };
      }),
  });
}

/** A soul over its limit, with hidden characters and lines from right to left. */
export function longSoul(core: FakeCore): void {
  const line = "I like rain on the window, tidy lists, and the word “snug”; I ask one good question first. ";
  const text = `# Soul\n\nمرحبا، أنا موتشي الصغيرة.\n\nHid\u200bden here.\n\n${`- ${line}\n`.repeat(320)}\n## Limits\n- Kind to the end.\n`;
  core.files.set("SOUL.md", text);
  const plain = core.fileView.bind(core);
  core.fileView = (file) => ({ ...plain(file), hidden_characters: file === "SOUL.md" ? 1 : 0 });
}

/** Long names and hundreds of everything. */
export function crowd(core: FakeCore): void {
  const { memory } = core;
  const name = "Donaudampfschifffahrtsgesellschaftskapitän ".repeat(5).slice(0, 200).trim();
  core.app = { ...core.app, pet_name: name };
  core.files.set("USER.md", "x".repeat(4000));
  memory.pets = Array.from({ length: 60 }, (_, at) => ({
    id: `pet-${at}`,
    name: at === 0 ? name : at % 3 ? `Pet ${at}` : "🌸".repeat(30),
    current: at === 0,
    beside: false,
    conversations: at * 7,
    changed_at: NOW,
  }));
  const words = [
    "word ",
    "Donaudampfschifffahrtsgesellschaft",
    "今天天气很好，",
    "https://example.org/a/very/long/address?with=no&break=in-it-",
  ];
  const many = Array.from({ length: 300 }, (_, at) =>
    entry(at * 4 + 3, (words[at % 4] ?? "").repeat(1 + (at % 23)), {
      heading: at % 5 ? "general" : "a-category-of-the-owners-own-that-is-rather-long-too",
      due: at % 7 ? "" : "2026-12-24",
      state: at % 7 ? "" : "open",
    }),
  );
  memory.entries.set("memory/2026-11-21.md", many);
  memory.entries.set("MEMORY.md", many);
  memory.due = Array.from({ length: 40 }, (_, at) => ({
    file: "memory/2026-11-21.md",
    line: at * 28 + 3,
    due: "2026-11-20",
    text: (words[at % 4] ?? "").repeat(1 + (at % 9)),
    overdue: true,
    at: at % 3 ? "15:00" : "",
    repeats: at % 5 ? "" : "every Monday and Wednesday and Friday",
  }));
  memory.skills = [
    { name: "a".repeat(64), description: "word ".repeat(60), origin: "pet", problem: "" },
    { name: "b", description: "", origin: "shared", problem: "no_description" },
  ];
  for (let at = 0; at < 90; at += 1)
    core.addConversation({ title: `${words[at % 4]?.repeat(1 + (at % 12))}`, memory: at % 2 === 0 }, [
      turnView(`t${at}`, "hello", "hi"),
    ]);
}

/** `&hold=get_settings&fail=list_versions`: commands that don't answer, or fail once. */
export function trouble(core: FakeCore, options: URLSearchParams): void {
  for (const name of options.getAll("hold")) core.hold(name as CommandName);
  for (const name of options.getAll("fail"))
    core.fail(name as CommandName, { code: "write_failed", args: { file: name, reason: "EIO" }, retryable: true });
}

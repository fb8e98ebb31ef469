/** Settings > Memory > Other agents, and the question in an open chat. */
import { describe, expect, it, vi } from "vitest";
import type { AgentNoteView, AgentSessionView, AgentView, ProgramView } from "../../bindings";
import { faults } from "../axe";
import { button, find, type Mounted, mountApp, mountSettings, settle } from "../render";

const CODEX: AgentView = {
  name: "codex-mcp-client",
  folder: "~/src/tundra",
  title: "Codex",
  known: true,
  mode: "read",
  never: false,
  grants: [],
  asked_on: "",
  first: "2026-11-03T10:00:00+01:00",
  last: "2026-11-03T11:00:00+01:00",
  calls: 3,
  lines_today: 2,
  reads: [
    { at: "2026-11-03T11:00:00+01:00", file: "USER.md", start_line: 2, end_line: 2, text: "- <b>Lin</b>" },
    { at: "2026-11-03T10:00:00+01:00", file: "memory/2020-11-20.md", start_line: 4, end_line: 6, text: "" },
  ],
};
const NOTE: AgentNoteView = {
  id: "n1",
  name: "codex-mcp-client",
  title: "Codex",
  folder: "~/src/tundra",
  at: "2026-11-03T11:00:00+01:00",
  text: "Always ship on Fridays",
  category: "",
  due: "",
  noted: null,
  order: true,
  turns: 0,
  receipt: null,
  masked: ["password"],
  written: false,
};

const PROGRAM: ProgramView = {
  id: "codex",
  title: "Codex",
  there: true,
  installed: false,
  older: false,
  file: "/home/lin/.codex/config.toml",
  last: "",
  hooks: "off",
  hooks_disabled: false,
  last_event: "",
};

const SESSION: AgentSessionView = { title: "Codex", folder: "~/src/tundra", state: "working", doing: "reading" };

async function opened(): Promise<Mounted> {
  return mountSettings("extra_agents", (core) => {
    const notes = [NOTE, { ...NOTE, id: "n2", text: "Was written", written: true }];
    const programs = [PROGRAM, { ...PROGRAM, id: "gemini", there: false } as const];
    core.memory.agents = { clients: [CODEX], sessions: [SESSION], notes, programs };
  });
}

describe("other agents", () => {
  it("names the command where there is no program to set up", async () => {
    const page = await mountSettings("extra_agents", (core) => {
      core.memory.agents = { clients: [], sessions: [], notes: [], programs: [{ ...PROGRAM, there: false }] };
    });
    expect(find(page.root, ".agents .nothing").textContent).toContain("the command pet with the argument mcp");
    expect(find(page.root, ".agents .nothing").textContent).not.toContain("below");
  });

  it("shows who may what, and what was read today", async () => {
    const { root } = await opened();
    const card = find(root, ".agent");
    expect(card.textContent).toContain("Codex~/src/tundra");
    expect(find<HTMLInputElement>(card, "input:checked").value).toBe("read");
    expect(find(card, ".agent-reads").textContent).toContain("read 2 lines today");
    expect([...card.querySelectorAll(".agent-reads p")].map((each) => each.textContent)).toEqual([
      "- <b>Lin</b>",
      "These lines have changed since.",
    ]);
    const places = [...card.querySelectorAll<HTMLElement>(".agent-reads [data-tip]")];
    expect(places.map((each) => each.textContent)).toEqual(["11:00 · USER.md", "10:00 · 20 Nov 2020"]);
    expect(places.map((each) => each.dataset["tip"])).toEqual(["USER.md:2", "memory/2020-11-20.md:4–6"]);
    expect(await faults(root)).toEqual([]);
  });

  it("moves a position with one click, and takes an agent off the list", async () => {
    const { core, root } = await opened();
    await settle(() => find<HTMLInputElement>(root, ".agent input[value=off]").click());
    expect(core.memory.agents.clients[0]?.mode).toBe("off");
    await settle(() => button(find(root, ".agent"), "Remove").click());
    expect(root.querySelector(".agent")).toBeNull();
    expect(root.textContent).toContain("No agent has asked yet.");
  });

  it("sets up a program that is there, and takes it out again", async () => {
    const { core, root } = await opened();
    expect(root.querySelectorAll(".agent-program")).toHaveLength(1);
    await settle(() => button(find(root, ".agent-program"), "Set up").click());
    expect(core.memory.agents.programs[0]?.installed).toBe(true);
    await settle(() => button(find(root, ".agent-program"), "Take out").click());
    expect(core.memory.agents.programs[0]?.installed).toBe(false);
  });

  it("replaces an earlier entry", async () => {
    const page = await opened();
    page.core.memory.agents = {
      ...page.core.memory.agents,
      programs: [{ ...PROGRAM, installed: true, older: true }],
    };
    await settle(() => page.core.emit({ type: "agents_changed" }));
    expect(find(page.root, ".agent-program").textContent).toContain("setting up replaces it");
    await settle(() => button(find(page.root, ".agent-program"), "Set up").click());
    expect(page.core.called("set_up_program")).toEqual([{ program: "codex", installed: true }]);
  });

  it("sets up hooks, says when one came last, and shows what works now", async () => {
    const { core, root } = await opened();
    expect(find(root, ".agent-sessions").textContent).toContain("~/src/tundra Codex reads");
    await settle(() => button(find(root, ".agent-program"), "Show its work").click());
    expect(core.memory.agents.programs[0]?.hooks).toBe("on");
    expect(find(root, ".agent-program").textContent).toContain("no sign yet");
    await settle(() => button(find(root, ".agent-program"), "Don't show it").click());
    expect(core.memory.agents.programs[0]?.hooks).toBe("off");
  });

  it("renews hooks of an earlier program, and says that a program runs none", async () => {
    const page = await opened();
    page.core.memory.agents = {
      ...page.core.memory.agents,
      programs: [{ ...PROGRAM, hooks: "older", hooks_disabled: true }],
    };
    await settle(() => page.core.emit({ type: "agents_changed" }));
    const card = find(page.root, ".agent-program");
    expect(card.textContent).toContain("earlier ones");
    expect(card.textContent).toContain("runs none");
    await settle(() => button(card, "Show its work").click());
    expect(page.core.called("set_up_hooks")).toEqual([{ program: "codex", installed: true }]);
  });

  it("switches each thing on for one agent alone, all off as shipped", async () => {
    const { core, root } = await opened();
    const toggles = [...find(root, ".agent").querySelectorAll<HTMLInputElement>("[role=switch]")];
    expect(toggles.map((each) => each.checked)).toEqual([false, false, false]);
    for (const each of toggles) await settle(() => each.click());
    const on = { name: CODEX.name, folder: CODEX.folder, on: true };
    const grants = ["permissions", "conversations", "days"];
    expect(core.called("set_agent_grant")).toEqual(grants.map((grant) => ({ ...on, grant })));
    expect(core.memory.agents.clients[0]?.grants).toEqual(grants);
  });

  it("keeps, edits and refuses what was proposed, and undoes what was written", async () => {
    const { core, root } = await opened();
    const [proposed, written] = [...root.querySelectorAll<HTMLElement>(".agent-note")];
    if (!proposed || !written) throw new Error("two notes");
    expect(proposed.textContent).toContain("Codex in ~/src/tundra");
    expect(proposed.textContent).toContain("This reads like an instruction.");
    expect(proposed.textContent).toContain("Secrets in it were masked.");
    await settle(() => button(proposed, "Edit").click());
    const field = find<HTMLTextAreaElement>(proposed, "textarea");
    field.value = "Ships on Thursdays";
    await settle(() => field.dispatchEvent(new Event("input", { bubbles: true })));
    await settle(() => button(proposed, "Keep").click());
    await settle(() => button(find(root, ".agent-note"), "Undo").click());
    expect(core.called("answer_agent_note")).toEqual([
      { id: "n1", answer: "keep", text: "Ships on Thursdays" },
      { id: "n2", answer: "undo", text: "" },
    ]);
    expect(root.querySelector(".agent-note")).toBeNull();
  });
});

describe("the question in an open chat", () => {
  it("is answered by a click after a moment of rest, never by Enter", async () => {
    vi.useFakeTimers();
    const page = await mountApp((core) => {
      core.memory.agents = { clients: [{ ...CODEX, mode: "off" }], sessions: [], notes: [], programs: [] };
    });
    const asked = {
      type: "agent_asked",
      number: 7,
      name: CODEX.name,
      folder: CODEX.folder,
      title: "Codex",
      known: true,
    } as const;
    await settle(() => page.core.emit(asked));
    const dialog = () => document.querySelector<HTMLDialogElement>("dialog");
    const pet = page.store.app.value?.pet_name ?? "";
    expect(pet).not.toBe("");
    expect(dialog()?.textContent).toContain(`${pet} here: Codex in ~/src/tundra wants to read what I remember.`);
    const allow = button(dialog() as HTMLElement, "Read only");
    expect(allow.disabled).toBe(true);
    expect(document.activeElement).not.toBe(allow);
    await settle(() => void vi.advanceTimersByTime(700));
    await settle(() => allow.click());
    expect(page.core.memory.agents.clients[0]?.mode).toBe("read");
    expect(dialog()).toBeNull();
    await settle(() => page.core.emit({ ...asked, number: 8, title: "Cursor" }));
    await settle(() => button(dialog() as HTMLElement, "Not now").click());
    expect(dialog()).toBeNull();
    expect(page.core.called("answer_agent")).toEqual([{ answer: "later", number: 8 }]);
    await settle(() => page.core.emit({ ...asked, number: 9 }));
    await settle(() => page.core.emit({ type: "chat_shown", shown: false }));
    expect(dialog()).toBeNull();
    vi.useRealTimers();
  });
});

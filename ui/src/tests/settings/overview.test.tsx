/** Settings > Overview: the first page, in sentences that lead on. */
import { describe, expect, it } from "vitest";
import { firstSentence } from "../../settings/overview";
import { bytes } from "../../texts";
import { entry } from "../core/memory";
import { button, find, mountApp, mountSettings, settle } from "../render";

describe("the overview", () => {
  it("is what the settings open on, and each sentence leads to its section", async () => {
    const page = await mountApp((core) => {
      core.files.set("SOUL.md", "# Mochi\n\n**Calm**, warm and curious. Says little.\n");
      core.memory.entries.set("memory/2026-11-03.md", [entry(3, "Likes tea."), entry(5, "Plays the cello.")]);
    });
    await settle(() => page.store.navigation.show("settings"));
    const leads = () => [...page.root.querySelectorAll<HTMLElement>(".lead")];
    const words = leads().map((each) => each.textContent ?? "");
    expect(words[0]).toContain("Calm, warm and curious.");
    expect(words[0]).not.toContain("Says little");
    expect(words[1]).toContain("at api.anthropic.com");
    expect(words[2]).toContain("1 day, 2 entries. New conversations start with memory on.");
    expect(page.root.querySelector(".cm-editor")).toBeNull();
    page.store.memory.tab.value = "browse";
    for (const [at, heading] of ["Soul & files", "Thinking", "Memory", "Look", "When it speaks"].entries()) {
      await settle(() => leads()[at]?.click());
      expect(find(page.root, ".section h2").textContent).toBe(heading);
      expect(page.root.querySelector(".about-owner") !== null).toBe(heading === "Memory");
      await settle(() => button(find(page.root, ".settings > nav"), "Overview").click());
    }
  });

  it("says what shows in the pet today and why, and that nothing does while memory is off", async () => {
    const text = "Wears a party hat: it is your birthday.";
    const page = await mountApp((core) => {
      const reasons = [
        { text, file: "USER.md", line: 3 },
        { text: "Asks after it", file: "memory/2020-11-20.md", line: 8 },
      ];
      core.handlers.list_life = () => ({ remembers: true, reasons });
    });
    await settle(() => page.store.navigation.show("settings"));
    const rows = [...page.root.querySelectorAll(".life li")];
    expect(rows.map((row) => row.textContent)).toEqual([`${text} USER.md`, "Asks after it 20 Nov 2020"]);
    const places = rows.map((row) => row.querySelector<HTMLElement>("[data-tip]")?.dataset["tip"]);
    expect(places).toEqual(["USER.md:3", "memory/2020-11-20.md:8"]);
    page.core.handlers.list_life = () => ({ remembers: false, reasons: [] });
    await settle(() => page.store.navigation.show("chat"));
    await settle(() => page.store.navigation.show("settings"));
    expect(find(page.root, ".life").textContent).toContain("nothing it remembers shows");
  });

  it.each([
    ["thinking", "#effort, #max-tokens, [name=thinking]", 4],
    ["look", "#pet-opacity", 1],
    ["quiet", "[name=heartbeat]", 3],
    ["memory", "[name=recall-count]", 3],
  ] as const)("leaves what few need folded: %s", async (section, fields, least) => {
    const page = await mountSettings(section, (core) => {
      core.app = { ...core.app, abilities: ["opacity"] };
    });
    await settle(() => {
      page.store.memory.tab.value = "settings";
    });
    const folded = [...page.root.querySelectorAll(fields)].map((each) => each.closest<HTMLDetailsElement>("details"));
    expect(folded.length).toBeGreaterThanOrEqual(least);
    expect(folded.every((each) => each?.className === "advanced" && !each.open)).toBe(true);
  });

  it.each([
    ["demo", { demo: true }, "The demo, with prepared answers."],
    ["a model here", { local_model: "Qwen3 4B" }, "Qwen3 4B, on this computer."],
    ["nothing", { unchosen: true }, "Nothing has been chosen yet."],
  ])("says what thinks: %s", async (_, state, words) => {
    const page = await mountApp((core) => {
      core.app = { ...core.app, ...state };
    });
    await settle(() => page.store.navigation.show("settings"));
    expect(page.root.querySelectorAll(".lead")[1]?.textContent).toContain(words);
  });
});

describe("a size", () => {
  it("is in the unit that fits", () => {
    expect([0, 29, 999, 1_000, 1_234_000].map(bytes)).toEqual(["0 B", "29 B", "999 B", "1 kB", "1.2 MB"]);
  });
});

describe("the first sentence of a soul", () => {
  it.each([
    ["# Soul\n\nYou are **Luna**. Kind.", "You are Luna."],
    ["---\n\n你是小月。很安静。", "你是小月。"],
    ["- warm\n- dry", "warm"],
    ["", ""],
    ["# Only a heading", ""],
    ["<img src=x onerror=alert(1)> hello", "<img src=x onerror=alert(1)> hello"],
  ])("of %j is %j", (soul, sentence) => {
    expect(firstSentence(soul)).toBe(sentence);
  });

  it("is cut where it is long", () => {
    const cut = firstSentence("word ".repeat(100));
    expect([...cut]).toHaveLength(140);
    expect(cut.endsWith("\u2026")).toBe(true);
  });
});

/** Settings: its five pages, the first of them, and what is one page further. */
import { describe, expect, it } from "vitest";
import { firstSentence } from "../../settings/who_i_am";
import { bytes } from "../../texts";
import { button, find, mountApp, mountSettings, openAt, settle } from "../render";

describe("who I am", () => {
  it("is what the settings open on: the pet, its soul's first sentence, its looks and the other pets", async () => {
    const page = await mountApp((core) => {
      core.files.set("SOUL.md", "# Mochi\n\n**Calm**, warm and curious. Says little.\n");
    });
    await settle(() => page.store.navigation.show("settings"));
    const who = find(page.root, ".who").textContent;
    expect(who).toContain("Calm, warm and curious.");
    expect(who).not.toContain("Says little");
    expect(page.root.querySelector(".wardrobe")).not.toBeNull();
    expect(page.root.querySelector(".pets")).not.toBeNull();
    expect(page.root.querySelector(".life, .cm-editor")).toBeNull();
    await settle(() => button(find(page.root, ".who"), "Edit").click());
    expect(find(page.root, ".file-head h2").textContent).toBe("SOUL.md");
    await settle(() => button(page.root, "Who I am").click());
    expect(page.root.querySelector(".who")).not.toBeNull();
  });

  it("says what shows in the pet today, and why", async () => {
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
  });
});

describe("the pages of the settings", () => {
  it("are five, and each is one click away", async () => {
    const page = await mountSettings("me");
    const names = ["Who I am", "About you and us", "Model", "On the desktop", "Privacy and more"];
    const nav = find(page.root, ".settings > nav");
    expect([...nav.querySelectorAll(".word")].map((each) => each.textContent)).toEqual(names);
    for (const name of names) {
      await settle(() => button(nav, name).click());
      expect(find(page.root, ".section h2").textContent).toBe(name);
    }
  });

  it("leave to one more page what few need, with the way back", async () => {
    const page = await mountSettings("privacy");
    const leads = [...page.root.querySelectorAll(".lead")].map((each) => each.textContent);
    const names = ["Other agents", "Import", "How memory works", "What it sees", "Shortcuts", "Advanced"];
    expect(leads).toEqual(names);
    for (const name of names) {
      await settle(() => button(page.root, name).click());
      expect(find(page.root, ".up h2").textContent).toBe(name);
      await settle(() => button(find(page.root, ".up"), "Privacy and more").click());
    }
  });

  it("keep folded what is under Advanced, and ask for it once it is opened", async () => {
    const page = await mountSettings("privacy");
    await settle(() => button(page.root, "Advanced").click());
    expect(page.root.querySelectorAll("details.advanced")).toHaveLength(4);
    expect(page.core.called("list_places")).toEqual([]);
    await openAt(page, "advanced");
    for (const row of ["#effort", "#max_tokens", "[name=thinking]", "[name=heartbeat_daily_tokens]", "#upkeep"])
      expect(page.root.querySelector(row), row).not.toBeNull();
    expect(page.core.called("list_places")).toHaveLength(1);
  });

  it.each([
    ["the demo", { demo: true, key_needed: false }, "Nothing you write leaves this computer"],
    ["a model here", { local_model: "Qwen3 4B", key_needed: false }, "Nothing you write leaves this computer"],
    ["a service", {}, "api.anthropic.com"],
  ])("say where words go: %s", async (_, state, words) => {
    const page = await mountSettings("privacy", (core) => {
      core.app = { ...core.app, ...state };
    });
    expect(find(page.root, ".assurance").textContent).toContain(words);
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

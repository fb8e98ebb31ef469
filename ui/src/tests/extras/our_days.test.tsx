/** Settings > About you and us > Our days: what the logs tell, inert, each leading to its place. */
import { describe, expect, it } from "vitest";
import type { DatedEntry } from "../../bindings";
import { faults } from "../axe";
import type { FakeCore } from "../core/core";
import { button, find, type Mounted, mountApp, settle } from "../render";

const IMAGE = "data:image/svg+xml;base64,PHN2Zy8+";
const HOSTILE = "<img src=x onerror=alert(1)>";

function told(day: string, text: string, fields: Partial<DatedEntry> = {}): DatedEntry {
  return { day, file: `memory/${day}.md`, line: 5, category: "event", text, picture: "star", more: 0, ...fields };
}

async function open(prepare: (core: FakeCore) => void): Promise<Mounted> {
  const page = await mountApp(prepare);
  await settle(() => page.store.navigation.openSettings("us"));
  await settle(() => button(page.root, "Our days").click());
  return page;
}

describe("our days", () => {
  it("are months of days, first times and a day like today, with what was kept", async () => {
    const page = await open((core) => {
      core.memory.ourDays = {
        ...core.memory.ourDays,
        kept: ["shell", "acorn"],
        things: ["shell", "acorn", "star"].map((name) => ({ name, image: IMAGE })),
        this_day: [told("2025-11-29", "Saw a whale")],
        firsts: [told("2026-03-04", "Ann lives in Rome", { category: "person" })],
        days: [told("2026-11-02", HOSTILE, { more: 2 }), told("2026-10-01", "Ran a race")],
      };
    });
    const titles = [...page.root.querySelectorAll(".days-told h3")].map((each) => each.textContent);
    expect(titles.slice(0, 2)).toEqual(["On this day", "First times"]);
    expect(titles.slice(2)).toHaveLength(2);
    expect(page.root.querySelectorAll(".days-shelf img")).toHaveLength(2);
    expect(find(page.root, ".our-days").textContent).toContain(HOSTILE);
    expect(page.root.querySelector(".day-told img[src=x]")).toBeNull();
    expect(find(page.root, ".our-days").textContent).toContain("and 2 more");
    expect(await faults(page.root)).toEqual([]);
  });

  it("say where they would come from while there are none", async () => {
    const page = await open(() => undefined);
    expect(find(page.root, ".our-days").textContent).toContain("No days yet");
    expect(page.root.querySelector(".days-shelf")).toBeNull();
  });
});

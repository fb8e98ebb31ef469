/** The page without an extra, as where its folder was deleted: every view is drawn, and nothing is missed. */
import { describe, expect, it } from "vitest";
import { EXTRAS } from "../../extras/list";
import { beginFirstStart } from "../core/welcome";
import { mountApp, openAt, type Place, settle } from "../render";

const NAMES = Object.keys(import.meta.glob("../../extras/*/index.tsx")).map((path) => path.split("/").at(-2));
const PLACES: readonly Place[] = ["me", "us", "model", "privacy", "advanced"];

describe.each(NAMES.map((name, at) => ({ name, at })))("without $name", ({ at }) => {
  const others = EXTRAS.filter((_, each) => each !== at);

  it("draws the chat and the pages of the settings that have something of extras", async () => {
    const page = await mountApp(undefined, others);
    expect(page.store.extras).toHaveLength(NAMES.length - 1);
    expect(page.root.querySelector(".composer textarea")).toBeTruthy();
    for (const place of PLACES) {
      await openAt(page, place);
      expect(page.root.textContent, place).not.toContain("Nothing is lost");
      expect(page.root.querySelectorAll("main h1, main h2").length, place).toBeGreaterThan(0);
    }
  });

  it("draws the steps of the first start that have something of extras", async () => {
    for (const step of [1, 2]) {
      const { root } = await mountApp((core) => beginFirstStart(core, [], step), others);
      await settle();
      expect(root.textContent, String(step)).not.toContain("Nothing is lost");
      expect(root.querySelectorAll("h1, h2").length, String(step)).toBeGreaterThan(0);
    }
  });
});

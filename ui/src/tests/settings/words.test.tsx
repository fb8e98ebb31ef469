/**
 * The words of the settings: of each page as it opens, with all abilities of a desktop; without names of files, code,
 * and what is folded or only for screen readers.
 */
import { expect, it } from "vitest";
import { mountSettings, openAt, type Place, settle } from "../render";

const ABILITIES = [
  ...["opacity", "fullscreen", "all_fullscreen", "tray", "click_through"],
  ...["screenshot", "shortcuts", "selection", "speech"],
];
/** So many words at most; the nine pages and seven tabs before them had 1,715, and all together half of that. */
const MOST: [Place, number][] = [
  ["me", 60],
  ["us", 30],
  ["days", 60],
  ["reminders", 30],
  ["model", 170],
  ["desktop", 100],
  ["privacy", 110],
  ["extra_agents", 90],
  ["memory", 30],
  ["sees", 60],
  ["keys", 50],
  ["extra_imports", 60],
  ["advanced", 10],
];
const HALF = 1_715 / 2;

function words(root: Element): number {
  const copy = root.cloneNode(true) as Element;
  for (const each of copy.querySelectorAll(".sr, code, pre, option, details:not([open]) > :not(summary)"))
    each.remove();
  const walker = document.createTreeWalker(copy, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const pieces = (walker.currentNode.textContent ?? "").split(/\s+/);
    count += pieces.filter((each) => /[\p{L}\p{N}]/u.test(each)).length;
  }
  return count;
}

it("are few on each page", async () => {
  const counted: [Place, number][] = [];
  for (const [place] of MOST) {
    const page = await mountSettings("me", (core) => {
      core.app = { ...core.app, abilities: ABILITIES };
    });
    if (place === "advanced") await settle(() => page.store.navigation.openSettings("privacy", place));
    else await openAt(page, place);
    const section = page.root.querySelector(".section");
    counted.push([place, section ? words(section) : 0]);
  }
  for (const [at, [place, count]] of counted.entries()) {
    expect(count, place).toBeGreaterThan(0);
    expect(count, place).toBeLessThanOrEqual(MOST[at]?.[1] ?? 0);
  }
  expect(counted.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(HALF);
});

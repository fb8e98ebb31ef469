/** Menus by keyboard. */
import { describe, expect, it } from "vitest";
import { faults } from "../axe";
import { button, mountApp, press, settle } from "../render";

describe("a menu", () => {
  it("is walked by arrows, closed by Escape, and gives the focus back", async () => {
    const page = await mountApp();
    const more = button(page.root, "More");
    await settle(() => more.click());
    expect(document.activeElement?.textContent).toBe("Temporary conversation");
    await settle(() => press(document.activeElement as Element, "ArrowUp"));
    expect(document.activeElement?.textContent).toBe("Keyboard shortcuts");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => press(document.activeElement as Element, "Escape"));
    expect(page.root.querySelector("[role=menu]")).toBeNull();
    expect(document.activeElement).toBe(more);
  });
});

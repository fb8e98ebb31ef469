/** Tokens and cost: of a reply, of the day, and at the limit. */
import { describe, expect, it } from "vitest";
import { turnView } from "../../../ipc/fake";
import { faults } from "../../axe";
import { button, find, mountTalk, settle } from "../../render";

describe("tokens and cost", () => {
  const used = { input_tokens: 1000, output_tokens: 200, cache_read_tokens: 3000, cache_write_tokens: 500 };
  const today = {
    day: "2026-11-21",
    tokens: 4700,
    cost: 0.004,
    models: [{ model: "haiku", usage: used, cost: 0.004, local: false }],
  };

  it("of a reply are shown on request", async () => {
    const page = await mountTalk([turnView("t1", "x", "y", { usage: used })]);
    const when = find(page.root, "button.when");
    expect(when.textContent).not.toContain("4,500");
    await settle(() => when.click());
    expect(find(page.root, ".spent-line").textContent).toContain(
      "4,500 tokens in, 200 out · 3,000 of them from the cache",
    );
  });

  it("of a server that does not say are not made up", async () => {
    const none = { input_tokens: null, output_tokens: null, cache_read_tokens: null, cache_write_tokens: null };
    const page = await mountTalk([turnView("t1", "x", "y", { usage: none })]);
    expect(page.root.querySelector("button.when")).toBeNull();
  });

  it("of a model on this computer are free, without a question for prices", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], (core) => {
      core.spent = { ...core.spent, cost: null, local: core.spent.tokens };
      core.usage = {
        ...core.usage,
        today: { ...today, cost: null, models: [{ model: "Qwen3 4B", usage: used, cost: null, local: true }] },
      };
    });
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Tokens and cost").click());
    const dialog = find(page.root, "dialog");
    expect(dialog.textContent).toContain("Qwen3 4B · on this computer, free");
    expect(dialog.textContent).not.toContain("Enter your prices");
  });

  it("of the day stand in a dialog, with the limit and the prices", async () => {
    const page = await mountTalk([turnView("t1", "x", "y")], (core) => {
      core.usage = {
        today,
        counted: today.tokens,
        days: [today, { ...today, day: "2026-11-20" }],
        limit: 4000,
        reached: true,
        allowed: false,
      };
    });
    await settle(() => button(page.root, "More").click());
    await settle(() => button(page.root, "Tokens and cost").click());
    const dialog = find(page.root, "dialog");
    expect(dialog.textContent).toContain("4,700 tokens today · 0.004 at your prices");
    expect(dialog.textContent).toContain("20 Nov");
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(dialog, "Go on today").click());
    expect(dialog.textContent).toContain("You chose to go on");
    const limit = find<HTMLInputElement>(dialog, "#daily_tokens");
    await settle(() => {
      limit.value = "9000";
      limit.dispatchEvent(new Event("change", { bubbles: true }));
    });
    expect(page.core.called("change_settings")).toEqual([{ changes: { daily_tokens: 9000 } }]);
  });

  it("at the limit: one press goes on with the message that was held back", async () => {
    const error = { code: "fault_daily_limit", args: { limit: 4000, used: 4700 }, retryable: false };
    const page = await mountTalk([turnView("t1", "more", "", { end: "failed", error })]);
    expect(find(page.root, ".fault").textContent).toContain("of 4000 tokens are used");
    await settle(() => button(page.root, "Go on today").click());
    expect(page.core.called("allow_today")).toHaveLength(1);
    expect(page.core.called("resend")).toEqual([{ conversation: "c1", turn: "t1" }]);
  });
});

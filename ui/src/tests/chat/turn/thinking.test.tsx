/** A reply of which nothing came yet: the line says what it waits for, by timers that stand only while it is seen. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FakeCore } from "../../../ipc/fake";
import { find, type Mounted, mountTalk, settle } from "../../render";

const PLACE = { conversation: "c1", turn: "now" };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function asked(prepare: (core: FakeCore) => void = () => undefined): Promise<Mounted> {
  const page = await mountTalk([], prepare);
  const started = { at: new Date().toISOString(), text: "hi", memory: true, supersedes: null, attachments: [] };
  await settle(() => page.core.emit({ type: "turn_started", ...PLACE, ...started, kind: "message" }));
  return page;
}

const here = (core: FakeCore) => {
  core.app = { ...core.app, mind: "Qwen", demo: false };
};
const away = (core: FakeCore) => {
  core.app = { ...core.app, mind: "", demo: false, key_needed: true, host: "api.example.com" };
};
const line = ({ root }: Mounted) => find(root, ".thinking").textContent;
const wait = (seconds: number) => settle(() => vi.advanceTimersByTime(seconds * 1000));

describe("a reply of which nothing came yet", () => {
  it("says after a while what a model on this computer does, and after a minute that it may be stopped", async () => {
    const page = await asked(here);
    const told = find(page.root, ".waiting-for[role=status]");
    expect(told.closest("[aria-busy=true]")).toBeNull();
    await wait(9);
    expect(line(page)).toBe("Thinking…");
    await wait(1);
    expect(told.textContent).toContain("reads its instructions");
    expect(line(page)).toContain("reads its instructions");
    expect(line(page)).not.toContain("stop it");
    await wait(50);
    expect(line(page)).toContain("You can stop it at any time");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("says that the model is being loaded while it is", async () => {
    const page = await asked(here);
    await settle(() => page.core.emit({ type: "mind_changed", mind: "qwen", phase: "starting", problem: "" }));
    await wait(10);
    expect(line(page)).toContain("loaded into memory");
    await settle(() => page.core.emit({ type: "mind_changed", mind: "qwen", phase: "ready", problem: "" }));
    expect(line(page)).toContain("reads its instructions");
  });

  it("names the host that doesn't answer", async () => {
    const page = await asked(away);
    await wait(60);
    expect(line(page)).toContain("api.example.com hasn't answered yet.");
  });

  it("has nothing to add once the model thinks, speaks or has done something", async () => {
    const page = await asked(here);
    await wait(10);
    await settle(() => page.core.emit({ type: "thinking_delta", ...PLACE, round: 1, characters: 7 }));
    expect(line(page)).toBe("Thinking… (7 characters so far)");
    await settle(() => page.core.emit({ type: "round_started", ...PLACE, round: 2 }));
    expect(line(page)).toContain("reads its instructions");
    const tool = { call: "k", round: 2, tool: "read", file: "USER.md" };
    await settle(() => page.core.emit({ type: "tool_started", ...PLACE, ...tool }));
    await settle(() => page.core.emit({ type: "tool_ended", ...PLACE, call: "k", error: null, receipt: null }));
    expect(line(page)).toBe("Thinking…");
    await settle(() => page.core.emit({ type: "text_delta", ...PLACE, round: 2, text: "Hi" }));
    expect(page.root.querySelector(".waiting-for")).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("keeps no timer while nobody sees it, and knows how long it took when seen again", async () => {
    const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(false);
    const page = await asked(here);
    const turned = () => settle(() => document.dispatchEvent(new Event("visibilitychange")));
    hidden.mockReturnValue(true);
    await turned();
    expect(vi.getTimerCount()).toBe(0);
    await wait(60);
    expect(line(page)).toBe("Thinking…");
    hidden.mockReturnValue(false);
    await turned();
    expect(line(page)).toContain("You can stop it at any time");
  });
});

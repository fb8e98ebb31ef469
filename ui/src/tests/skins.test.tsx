/** Settings > Look: what the pet can wear. */
import { act } from "preact/test-utils";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { skin } from "../ipc/fake_memory";
import { faults } from "./axe";
import { button, find, type Mounted, mountApp, settle } from "./render";

const HOSTILE = "<img src=x onerror=alert(1)>";

describe("skins", () => {
  let page: Mounted;
  beforeEach(async () => {
    page = await mountApp((core) => {
      const problem = { code: "skin_idle_empty", args: {}, retryable: false };
      core.memory.skins = [
        ...core.memory.skins,
        skin("cat", HOSTILE, { author: "Lin", deletable: true }),
        skin("bad", "Broken", { problem }),
      ];
    });
    await settle(() => page.store.openSettings("look"));
  });

  it("are shown with a picture of theirs, what is worn, and what is wrong", async () => {
    const cards = [...page.root.querySelectorAll(".skin")];
    expect(cards[0]?.querySelector("[aria-pressed=true]")).not.toBeNull();
    expect(cards[1]?.textContent).toBe(`${HOSTILE}by Lin`);
    expect(cards[1]?.querySelector("img")).toBeNull();
    const picture = find<HTMLElement>(page.root, "li:nth-child(2) .skin-picture").style;
    expect(picture.backgroundImage).toContain("data:image/png;base64,");
    expect(cards[2]?.querySelector<HTMLButtonElement>(".skin-main")?.disabled).toBe(true);
    expect(cards[2]?.querySelector(".error-text")?.textContent).not.toBe("");
    expect(page.core.called("preview_skin")).toEqual([{ skin: "cat", whole: false }]);
    expect(await faults(page.root)).toEqual([]);
  });

  it("a picture that is none of its own is not drawn", async () => {
    page.core.memory.handlers.preview_skin = ({ skin: id }) => {
      const sheet = {
        stamp: "",
        frame_width: 1,
        frame_height: 1,
        columns: 1,
        animations: [],
        looks: [],
        pixelated: false,
      };
      return { skin: id, image: "https://example.org/a.png", ...sheet };
    };
    page.core.memory.skins = [skin("new", "New")];
    await settle(() => page.core.emit({ type: "settings_changed" }));
    expect(page.root.innerHTML).not.toContain("example.org");
  });

  it("are worn, exported and, after a question, deleted", async () => {
    await settle(() => find(page.root, "li:nth-child(2) .skin-main").click());
    expect(page.core.called("choose_skin")).toEqual([{ skin: "cat" }]);
    expect(find(page.root, "li:nth-child(2)").className).toContain("current");
    await settle(() => button(page.root, `More about ${HOSTILE}`).click());
    await settle(() => button(page.root, "Export as a Codex pet").click());
    expect(find(page.root, ".notice").textContent).toContain("/home/lin/Downloads/cat.zip");
    await settle(() => button(page.root, `More about ${HOSTILE}`).click());
    await settle(() => button(find(page.root, "[role=menu]"), "Delete").click());
    expect(page.core.called("delete_skin")).toEqual([]);
    await settle(() => button(find(page.root, "dialog"), "Delete").click());
    expect(page.core.called("delete_skin")).toEqual([{ skin: "cat" }]);
  });

  it("move while the pointer is on them, and leave no timer", async () => {
    window.matchMedia = () => ({ matches: false }) as unknown as MediaQueryList;
    vi.useFakeTimers();
    try {
      const card = find<HTMLElement>(page.root, ".skin .skin-main");
      const point = (type: string) => act(() => void card.dispatchEvent(new PointerEvent(type)));
      await point("pointerenter");
      expect(card.querySelector(".live-skin svg")).not.toBeNull();
      const before = card.querySelector(".live-skin svg")?.innerHTML;
      vi.advanceTimersByTime(2000);
      expect(card.querySelector(".live-skin svg")?.innerHTML).not.toBe(before);
      const running = vi.getTimerCount();
      await point("pointerleave");
      expect(card.querySelector(".live-skin")).toBeNull();
      expect(vi.getTimerCount()).toBeLessThan(running);
    } finally {
      vi.useRealTimers();
    }
  });

  async function choose(...files: File[]): Promise<void> {
    const field = find<HTMLInputElement>(page.root, "input[type=file]");
    Object.defineProperty(field, "files", { value: files, configurable: true });
    await settle(() => field.dispatchEvent(new Event("change", { bubbles: true })));
  }

  it("are taken in as base64 in pieces", async () => {
    const bytes = new Uint8Array(800_000).fill(65);
    await choose(new File([bytes], "pet.zip"));
    await vi.waitFor(() => expect(page.core.called("import_skin")).toHaveLength(1));
    await settle();
    const sent = page.core.called("import_skin") as { files: { name: string; data: string[] }[] }[];
    const pieces = sent[0]?.files[0]?.data ?? [];
    expect(pieces.map((piece) => piece.length)).toEqual([1_000_000, 66_668]);
    expect(atob(pieces.join("")).length).toBe(800_000);
    expect(find(page.root, ".wardrobe").textContent).toContain("pet.zip");
  });

  it("that are far too large are not even read", async () => {
    const large = new File([], "huge.zip");
    Object.defineProperty(large, "size", { value: 300_000_000 });
    await choose(large);
    expect(page.core.called("import_skin")).toEqual([]);
    expect(find(page.root, ".skins .fault").textContent).toContain("MB: too large");
  });
});

it("the pet hears that the owner types, not every key", async () => {
  const page = await mountApp();
  const field = find<HTMLTextAreaElement>(page.root, ".composer textarea");
  for (const text of ["a", "ab", "abc"]) {
    await settle(() => {
      field.value = text;
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
  }
  expect(page.core.called("typing")).toHaveLength(1);
});

/** Settings > Look: skins. */
import { act } from "preact/test-utils";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { faults } from "../axe";
import { skin } from "../core/memory";
import { button, find, type Mounted, mountApp, openAt, settle } from "../render";

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
    await openAt(page, "me");
  });

  it("are shown with a picture of theirs, what is worn, and what is wrong", async () => {
    await settle();
    const cards = [...page.root.querySelectorAll(".skin")];
    expect(cards[0]?.querySelector("[aria-pressed=true]")).not.toBeNull();
    expect(cards[1]?.textContent).toBe(`${HOSTILE}by Lin`);
    expect(cards[1]?.querySelector("img")).toBeNull();
    const picture = find<HTMLElement>(page.root, "li:nth-child(2) .skin-picture").style;
    expect(picture.backgroundImage).toContain("data:image/png;base64,");
    expect(cards[2]?.querySelector<HTMLButtonElement>(".skin-main")?.disabled).toBe(true);
    expect(cards[2]?.querySelector(".error-text")?.textContent).not.toBe("");
    const asked = page.core
      .called("preview_skin")
      .filter((each) => typeof each === "object" && each !== null && "skin" in each); // the others: the pet itself
    expect(asked).toEqual([{ skin: "mochi" }, { skin: "cat" }]);
    expect(await faults(page.root)).toEqual([]);
  });

  it("what is worn greets in an empty chat, and our own character without one", async () => {
    await settle(() => {
      page.store.navigation.view.value = "chat";
    });
    const greeting = () => find<HTMLImageElement>(page.root, ".empty .portrait");
    expect(greeting().src).toContain("data:image/svg+xml;base64,");
    page.core.memory.skins = page.core.memory.skins.map((each) => ({ ...each, current: each.id === "cat" }));
    await settle(() => page.core.emit({ type: "settings_changed" }));
    expect(greeting().src).toContain("data:image/png;base64,");
    page.core.fail("preview_skin", { code: "skin_gone", args: {}, retryable: false });
    await settle(() => page.core.emit({ type: "settings_changed" }));
    expect(greeting().src).toContain("data:image/png;base64,");
  });

  it("a picture that is none of its own is not drawn", async () => {
    page.core.memory.handlers.preview_skin = ({ skin: id = "" }) => {
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
      await act(async () => void (await vi.advanceTimersByTimeAsync(0)));
      expect(card.querySelector(".live-skin")).not.toBeNull();
      const before = card.querySelector<HTMLElement>(".live-skin")?.dataset["act"];
      await act(async () => void (await vi.advanceTimersByTimeAsync(2000)));
      expect(card.querySelector<HTMLElement>(".live-skin")?.dataset["act"]).not.toBe(before);
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

  it("say who made what has arrived, and are worn at a click", async () => {
    page.core.memory.handlers.import_skin = () => {
      const taken = skin("moon", "Mooncat", { author: "Lin", licence: "CC BY 4.0" });
      page.core.memory.skins = [...page.core.memory.skins, taken];
      return { skin: taken, skins: page.core.memory.skins };
    };
    await choose(new File(["x"], "moon.zip"));
    await vi.waitFor(() => expect(page.root.querySelector(".arrived")).not.toBeNull());
    expect(find(page.root, ".arrived").textContent).toContain("Mooncat is hereby LinLicence: CC BY 4.0");
    await settle(() => button(find(page.root, ".arrived"), "Wear it").click());
    expect(page.core.called("choose_skin")).toEqual([{ skin: "moon" }]);
    expect(page.root.querySelector(".arrived")).toBeNull();
  });

  it("say what was refused also when an earlier choice is answered after it", async () => {
    const answer = page.core.hold("choose_skin");
    await settle(() => find(page.root, "li:nth-child(2) .skin-main").click());
    page.core.fail("import_skin", { code: "skin_nothing_known", args: {}, retryable: false });
    await choose(new File(["x"], "not-a-pet.png"));
    await vi.waitFor(() => expect(page.root.querySelector(".skins [role=alert]")).not.toBeNull());
    await settle(answer);
    expect(find(page.root, ".skins [role=alert]").textContent).toContain("No skin is in it");
  });

  it("are dropped as files or as a whole folder", async () => {
    const file = (name: string): FileSystemFileEntry =>
      ({
        isDirectory: false,
        name,
        file: (done: FileCallback) => done(new File(["x"], name)),
      }) as FileSystemFileEntry;
    const batches = [[file("pet.json"), file("sheet.webp"), file("notes.exe")], []];
    const folder = {
      isDirectory: true,
      name: "cat",
      createReader: () => ({ readEntries: (done: FileSystemEntriesCallback) => done(batches.shift() ?? []) }),
    } as unknown as FileSystemEntry;
    const drop = async (transfer: unknown) => {
      const event = new Event("drop", { bubbles: true, cancelable: true });
      Object.defineProperty(event, "dataTransfer", { value: transfer });
      await settle(() => find(page.root, ".skins").dispatchEvent(event));
      expect(event.defaultPrevented).toBe(true);
    };
    await drop({ items: [{ webkitGetAsEntry: () => folder }], files: [] });
    await vi.waitFor(() => expect(page.core.called("import_skin")).toHaveLength(1));
    await drop({ items: [{ webkitGetAsEntry: () => null }], files: [new File(["y"], "moods.zip")] });
    await vi.waitFor(() => expect(page.core.called("import_skin")).toHaveLength(2));
    const sent = page.core.called("import_skin") as { files: { name: string }[] }[];
    expect(sent.map((each) => each.files.map((one) => one.name))).toEqual([
      ["cat/pet.json", "cat/sheet.webp"],
      ["moods.zip"],
    ]);
  });

  it("of all that somebody owns only so much is looked at, and what can't be read is told", async () => {
    let visited = 0;
    const deep = (): FileSystemEntry => {
      let read = false;
      const readEntries = (done: FileSystemEntriesCallback) => {
        visited += 1;
        done(read || visited > 9000 ? [] : Array.from({ length: 60 }, deep));
        read = true;
      };
      return { isDirectory: true, name: "d", createReader: () => ({ readEntries }) } as unknown as FileSystemEntry;
    };
    const locked = {
      isDirectory: true,
      name: "d",
      createReader: () => ({
        readEntries: (_done: unknown, failed: (error: Error) => void) => failed(new DOMException("no")),
      }),
    };
    const drop = async (folder: unknown) => {
      const event = new Event("drop", { bubbles: true, cancelable: true });
      Object.defineProperty(event, "dataTransfer", { value: { items: [{ webkitGetAsEntry: () => folder }] } });
      find(page.root, ".skins").dispatchEvent(event);
      await vi.waitFor(() => expect(find(page.root, ".skins .fault").textContent).not.toBe(""));
    };
    await drop(locked);
    expect(find(page.root, ".skins .fault").textContent).toContain("can't be read");
    await drop(deep());
    await vi.waitFor(() =>
      expect(find(page.root, ".skins .fault").textContent).toBe(
        "There was no file in it. Drop a zip, pictures or a folder.",
      ),
    );
    expect(visited).toBeLessThan(5000);
    expect(page.core.called("import_skin")).toEqual([]);
  });

  it("of other programs can be kept as a copy", async () => {
    page.core.memory.skins = [skin("codex/cat", "Cat", { origin: "codex" })];
    await settle(() => page.core.emit({ type: "settings_changed" }));
    await settle();
    expect(find(page.root, ".skin").textContent).toContain("found with Codex");
    await settle(() => button(page.root, "More about Cat").click());
    await settle(() => button(page.root, "Keep a copy here").click());
    expect(page.core.called("copy_skin")).toEqual([{ skin: "codex/cat" }]);
  });

  it("that are far too large are not even read", async () => {
    const large = new File([], "huge.zip");
    Object.defineProperty(large, "size", { value: 300_000_000 });
    await choose(large);
    expect(page.core.called("import_skin")).toEqual([]);
    expect(find(page.root, ".skins .fault").textContent).toContain("Too large for a skin");
  });
});

it("the pet hears that the owner types, not every key", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const page = await mountApp();
  const field = find<HTMLTextAreaElement>(page.root, ".composer textarea");
  for (const text of ["a", "ab", "abc"]) {
    await settle(() => {
      field.value = text;
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    });
  }
  expect(page.core.called("typing")).toHaveLength(1);
  vi.useRealTimers();
});

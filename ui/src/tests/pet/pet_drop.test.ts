import { beforeEach, describe, expect, it, vi } from "vitest";
import type { DroppedThings, DropRefusal } from "../../bindings";
import { mount } from "../../pet/main";

let calls: { name: string; args: DroppedThings }[] = [];

beforeEach(() => {
  calls = [];
  window.matchMedia = () => ({ matches: true, addEventListener: () => undefined }) as unknown as MediaQueryList;
  window.pywebview = {
    api: {
      invoke: async (name: string, args: string) => {
        if (name !== "get_skin") calls.push({ name, args: JSON.parse(args) });
        return JSON.stringify({ ok: name !== "get_skin", value: {} });
      },
    },
  };
});

function drop(files: File[], text = "", kind = "text/plain"): void {
  const root = document.createElement("div");
  mount(root);
  const event = new Event("drop", { cancelable: true });
  Object.assign(event, { dataTransfer: { files, getData: (asked: string) => (asked === kind ? text : "") } });
  root.dispatchEvent(event);
}

const file = (name: string) => new File(["a"], name, { type: "text/plain" });
function sized(name: string, megabytes: number, kind = "image/png"): File {
  const made = new File([], name, { type: kind });
  Object.defineProperty(made, "size", { value: megabytes * 1024 * 1024 });
  return made;
}
const names = () => calls.flatMap(({ args }) => args.files.map((each) => each.name));
const refused = () => calls.flatMap(({ args }): DropRefusal[] => args.refused ?? []);

describe("what is dropped on the pet", () => {
  it("is accepted from the first move over any part of it", () => {
    const root = document.createElement("div");
    mount(root);
    for (const name of ["dragenter", "dragover"]) {
      const event = new Event(name, { cancelable: true });
      root.dispatchEvent(event);
      expect(event.defaultPrevented, name).toBe(true);
    }
  });

  it("goes file by file, so that together they may be larger than one message", async () => {
    drop([file("a"), sized("b", 11), sized("c", 11)]);
    await vi.waitFor(() => expect(names()).toEqual(["a", "b", "c"]));
    expect(calls.map(({ args }) => args.files.length)).toEqual([1, 1, 1]);
    expect(refused()).toEqual([]);
  });

  it("is told by name where it is 300 MB, a text over 2 MB, or a folder", async () => {
    const folder = file("photos");
    folder.arrayBuffer = () => Promise.reject(new DOMException("a folder", "NotFoundError"));
    drop([sized("film.png", 300), sized("log.txt", 3, "text/plain"), folder, file("a")]);
    await vi.waitFor(() => expect(names()).toEqual(["a"]));
    expect(refused()).toEqual([
      { problem: "too_large", name: "film.png" },
      { problem: "text_too_large", name: "log.txt" },
      { problem: "unreadable", name: "photos" },
    ]);
  });

  it("is ten files at most, and the eleventh is not left out in silence", async () => {
    drop(Array.from({ length: 11 }, (_, at) => file(String(at))));
    await vi.waitFor(() => expect(names()).toHaveLength(10));
    expect(refused()).toEqual([{ problem: "too_many", name: "" }]);
  });

  it("a picture of a web page that comes as its address alone is said, not lost", async () => {
    drop([], "# from a page\r\nhttps://example.org/cat.png\r\n", "text/uri-list");
    await vi.waitFor(() =>
      expect(calls).toEqual([
        { name: "drop_on_pet", args: { text: "https://example.org/cat.png", files: [], refused: [] } },
      ]),
    );
  });

  it("is a text as it is, or as a file where it is long, to the last letter", async () => {
    drop([], "a line");
    await vi.waitFor(() =>
      expect(calls).toEqual([{ name: "drop_on_pet", args: { text: "a line", files: [], refused: [] } }]),
    );
    calls = [];
    const long = "word ".repeat(50_000);
    drop([], long);
    await vi.waitFor(() => expect(names()).toEqual([""]));
    expect(calls[0]?.args.text).toBe("");
    expect(atob(calls[0]?.args.files[0]?.data.join("") ?? "")).toBe(long);
    calls = [];
    drop([], "x".repeat(2_200_000));
    await vi.waitFor(() => expect(refused()).toEqual([{ problem: "text_too_large", name: "" }]));
    expect(names()).toEqual([]);
  });

  it("opens the chat where there is nothing in it", async () => {
    drop([]);
    await vi.waitFor(() => expect(calls).toEqual([{ name: "show_view", args: { view: "chat" } }]));
  });
});

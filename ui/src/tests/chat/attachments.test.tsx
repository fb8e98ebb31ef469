import { describe, expect, it, vi } from "vitest";
import type { Attachment } from "../../bindings";
import { faults } from "../axe";
import { PICTURE, turnView } from "../core/records";
import { addCards, CARD } from "../core/welcome";
import { button, find, type Mounted, mountApp, mountTalk, press, settle, type } from "../render";

const field = ({ root }: Mounted) => find<HTMLTextAreaElement>(root, ".composer textarea");
const tray = ({ root }: Mounted) => [...root.querySelectorAll(".tray .attachment")];
const picture = (id: string): Attachment => ({
  id,
  kind: "image/png",
  name: `${id}.png`,
  width: 640,
  height: 400,
  bytes: 99,
  pages: 0,
  unread: 0,
  sent: "",
});

function data(files: File[], texts: Record<string, string> = {}) {
  const types = [...(files.length > 0 ? ["Files"] : []), ...Object.keys(texts)];
  return { files, types, getData: (kind: string) => texts[kind] ?? "" };
}

function paste(page: Mounted, files: File[], texts: Record<string, string> = {}): Event {
  const event = new Event("paste", { bubbles: true, cancelable: true });
  Object.assign(event, { clipboardData: data(files, texts) });
  field(page).dispatchEvent(event);
  return event;
}

function drag(target: Element, kind: string, files: File[], texts: Record<string, string> = {}): Event {
  const event = new Event(kind, { bubbles: true, cancelable: true });
  Object.assign(event, { dataTransfer: data(files, texts) });
  target.dispatchEvent(event);
  return event;
}

const png = () => new File([new Uint8Array([137, 80, 78, 71])], "cat.png", { type: "image/png" });

describe("files for a message", () => {
  it("are pasted, shown, and sent with it", async () => {
    const page = await mountApp();
    let taken = false;
    await settle(() => {
      taken = paste(page, [png()]).defaultPrevented;
    });
    expect(taken).toBe(true);
    expect(page.core.called("add_attachment")).toEqual([
      { conversation: "c1", file: { name: "cat.png", data: ["iVBORw=="] } },
    ]);
    expect(find<HTMLImageElement>(page.root, ".tray img").src).toBe(PICTURE);
    expect(await faults(page.root)).toEqual([]);
    await settle(() => type(field(page), "my cat"));
    await settle(() => press(field(page), "Enter"));
    expect(page.core.called("send_message")).toEqual([{ conversation: "c1", text: "my cat", attachments: ["sha0"] }]);
    expect(tray(page)).toEqual([]);
  });

  it("say of a long document what fits, and take the owner's pages", async () => {
    const page = await mountApp();
    const text = { kind: "text/plain" as const, width: 0, height: 0, bytes: 900_000, sent: "" };
    const manual: Attachment = { ...text, id: "doc", name: "manual.pdf", pages: 312, unread: 8 };
    page.core.handlers.add_attachment = () => ({ files: [{ attachment: manual, fitting: 40 }] });
    await settle(() => paste(page, [new File(["%PDF-"], "manual.pdf", { type: "application/pdf" })]));
    const shown = find(page.root, ".tray").textContent ?? "";
    expect(shown).toContain("320 pages");
    expect(shown).toContain("Pages 1 to 40 of 312 fit into one message.");
    expect(shown).toContain("8 more pages weren't read");
    expect(await faults(page.root)).toEqual([]);
    const ranges = find<HTMLInputElement>(page.root, ".page-ranges");
    await settle(() => type(ranges, "280-281"));
    await settle(() => type(field(page), "where is the key?"));
    await settle(() => press(field(page), "Enter"));
    expect(page.core.called("send_message")).toEqual([
      { conversation: "c1", text: "where is the key?", attachments: ["doc"], pages: ["280-281"] },
    ]);
  });

  it("say after a restart too what fits of a long document", async () => {
    const text = { kind: "text/plain" as const, width: 0, height: 0, bytes: 900_000, sent: "" };
    const manual: Attachment = { ...text, id: "doc", name: "manual.pdf", pages: 312, unread: 0 };
    const page = await mountApp((core) => {
      core.attachments.set("doc", { attachment: manual, image: "", text: "" });
      core.app = {
        ...core.app,
        tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [manual], pinned: false }],
      };
    });
    expect(find(page.root, ".tray").textContent).toContain("Pages 1 to 40 of 312 fit into one message.");
  });

  it("come as several where a document is pictures of pages", async () => {
    const page = await mountApp();
    page.core.handlers.add_attachment = () => ({
      files: ["1", "2"].map((id) => ({ attachment: { ...picture(id), name: `scan.pdf, ${id}` }, fitting: 0 })),
    });
    await settle(() => paste(page, [new File(["%PDF-"], "scan.pdf", { type: "application/pdf" })]));
    await settle(() => press(field(page), "Enter"));
    expect(page.core.called("send_message")).toEqual([{ conversation: "c1", text: "", attachments: ["1", "2"] }]);
  });

  it("may go without words, and can be taken out again", async () => {
    const page = await mountApp();
    expect(button(page.root, "Send (Enter)").disabled).toBe(true);
    await settle(() => paste(page, [png()]));
    await settle(() => button(page.root, "Remove cat.png").click());
    expect(tray(page)).toEqual([]);
    expect(button(page.root, "Send (Enter)").disabled).toBe(true);
    await settle(() => paste(page, [png()]));
    await settle(() => button(page.root, "Send (Enter)").click());
    expect(page.core.called("send_message")).toEqual([{ conversation: "c1", text: "", attachments: ["sha1"] }]);
  });

  it("come back when the message could not be sent, and stay with their tab", async () => {
    const page = await mountApp();
    await settle(() => paste(page, [png()]));
    page.core.fail("send_message", { code: "fault_no_key", args: { host: "h" }, retryable: false });
    await settle(() => press(field(page), "Enter"));
    expect(tray(page)).toHaveLength(1);
    await settle(() => page.store.tabs.create());
    expect(tray(page)).toHaveLength(0);
  });

  it("that the core refuses are told in its words", async () => {
    const page = await mountApp();
    page.core.fail("add_attachment", { code: "attachment_broken", args: { name: "cat.png" }, retryable: false });
    await settle(() => paste(page, [png()]));
    expect(find(page.root, ".notice").textContent).toContain("cat.png is damaged");
    expect(tray(page)).toEqual([]);
  });

  it("of 300 MB are not even read", async () => {
    const page = await mountApp();
    const huge = png();
    Object.defineProperty(huge, "size", { value: 300 * 1024 * 1024 });
    huge.arrayBuffer = () => Promise.reject(new Error("read"));
    await settle(() => paste(page, [huge]));
    expect(find(page.root, ".notice").textContent).toContain("cat.png is larger than 20 MB");
    expect(page.core.called("add_attachment")).toEqual([]);
  });

  it("are ten at most", async () => {
    const page = await mountApp();
    await settle(() => paste(page, Array.from({ length: 12 }, png)));
    expect(tray(page)).toHaveLength(10);
    expect(find(page.root, ".notice").textContent).toContain("at most 10");
  });

  it("are not made of a text that brings its picture along, but of a very long text", async () => {
    const page = await mountApp();
    let event: Event | undefined;
    await settle(() => {
      event = paste(page, [png()], { "text/plain": "a table", "text/html": "<table>" });
    });
    expect(event?.defaultPrevented).toBe(false);
    await settle(() => paste(page, [], { "text/plain": "a line\n".repeat(3000) }));
    expect(tray(page)).toHaveLength(1);
    expect(tray(page)[0]?.textContent).toContain("Pasted text.txt");
  });

  it("made of a pasted text go back into the message", async () => {
    const page = await mountApp();
    await settle(() => type(field(page), "Look:"));
    await settle(() => paste(page, [], { "text/plain": "a".repeat(10_000) }));
    page.core.handlers.read_attachment = () => ({ attachment: picture("x"), image: "", text: "a".repeat(10_000) });
    await settle(() => button(tray(page)[0] as HTMLElement, "Put Pasted text.txt into the message").click());
    expect(field(page).value).toBe(`Look:\n${"a".repeat(10_000)}`);
    expect(tray(page)).toHaveLength(0);
    await settle(() => paste(page, [], { "text/plain": "a".repeat(9_999) }));
    expect(tray(page)).toHaveLength(0);
  });

  it("are made of a pasted megabyte too, whole, and the field stays empty", async () => {
    const page = await mountApp();
    const text = "line and more\n".repeat(75_000);
    let event: Event | undefined;
    await settle(() => {
      event = paste(page, [], { "text/plain": text });
    });
    await vi.waitFor(() => expect(page.core.called("add_attachment")).toHaveLength(1));
    expect(event?.defaultPrevented).toBe(true);
    expect(field(page).value).toBe("");
    const [given] = page.core.called("add_attachment") as { file: { name: string; data: string[] } }[];
    expect(given?.file.name).toBe("Pasted text.txt");
    expect(atob(given?.file.data.join("") ?? "")).toBe(text);
  });

  it("are not made of more than 2 MB of text: that is said, and nothing is put in or lost", async () => {
    const page = await mountApp();
    await settle(() => type(field(page), "before"));
    let event: Event | undefined;
    await settle(() => {
      event = paste(page, [], { "text/plain": "字".repeat(800_000) });
    });
    expect(event?.defaultPrevented).toBe(true);
    expect(find(page.root, ".notice").textContent).toContain("More than 2 MB of text");
    expect(page.core.called("add_attachment")).toEqual([]);
    expect(field(page).value).toBe("before");
  });

  it("that can't be read, as a folder, are told by name", async () => {
    const page = await mountApp();
    const folder = new File([], "photos");
    folder.arrayBuffer = () => Promise.reject(new DOMException("a folder", "NotFoundError"));
    await settle(() => drag(find(page.root, "main.chat"), "drop", [folder]));
    expect(find(page.root, ".notice").textContent).toContain("photos is a folder");
    expect(tray(page)).toEqual([]);
  });

  it("are kept with the draft, are there again after a restart, and are let go when taken out", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const page = await mountTalk([]);
    await settle(() => paste(page, [png()]));
    vi.advanceTimersByTime(1000);
    await settle();
    vi.useRealTimers();
    const saved = page.core.called("save_tabs").at(-1) as { tabs: { attachments: Attachment[] }[] };
    expect(saved.tabs[0]?.attachments.map((each) => each.id)).toEqual(["sha0"]);
    const again = await mountTalk([], (core) => {
      core.app = {
        ...core.app,
        tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [picture("p1")], pinned: false }],
      };
    });
    expect(tray(again)).toHaveLength(1);
    await settle(() => button(again.root, "Remove p1.png").click());
    expect(again.core.called("discard_attachment")).toEqual([{ attachment: "p1" }]);
  });

  it("come back with their tab, and go with their conversation", async () => {
    const page = await mountTalk([]);
    await settle(() => paste(page, [png()]));
    await settle(() => page.store.tabs.close("c1"));
    await settle(() => page.store.tabs.reopen());
    expect(tray(page)).toHaveLength(1);
    expect(page.core.called("discard_attachment")).toEqual([]);
    await settle(() => page.core.emit({ type: "conversation_deleted", conversation: "c1" }));
    expect(page.core.called("discard_attachment")).toEqual([{ attachment: "sha0" }]);
  });

  it("are not let go while another draft has the same", async () => {
    const two = (id: string) => ({
      conversation: id,
      draft: "",
      scroll: 0,
      attachments: [picture("p1")],
      pinned: false,
    });
    const page = await mountTalk([], (core) => {
      core.addConversation({ id: "c2", title: "Another" }, []);
      core.app = { ...core.app, tabs: [two("c1"), two("c2")], active_tab: "c1" };
    });
    await settle(() => button(page.root, "Remove p1.png").click());
    expect(page.core.called("discard_attachment")).toEqual([]);
  });

  it("are dropped anywhere on the chat; a dropped text goes where one writes", async () => {
    const page = await mountApp();
    const chat = find(page.root, "main.chat");
    let entered: Event | undefined;
    await settle(() => {
      entered = drag(chat, "dragenter", [png()]);
    });
    expect(entered?.defaultPrevented).toBe(true);
    await settle(() => drag(chat, "dragover", [png()]));
    expect(page.root.querySelector(".drop-here")).not.toBeNull();
    await settle(() => drag(chat, "drop", [png()]));
    expect(page.root.querySelector(".drop-here")).toBeNull();
    expect(tray(page)).toHaveLength(1);
    await settle(() => type(field(page), "look:"));
    await settle(() => drag(chat, "drop", [], { "text/plain": "<b>dropped</b>" }));
    expect(field(page).value).toBe("look:\n<b>dropped</b>");
    await settle(() => drag(chat, "drop", [], { "text/plain": "x".repeat(250_000) }));
    expect(tray(page)[1]?.textContent).toContain("Dropped text.txt");
    let short: Event | undefined;
    let long: Event | undefined;
    await settle(() => {
      short = drag(field(page), "drop", [], { "text/plain": "a line" });
      long = drag(field(page), "drop", [], { "text/plain": "x".repeat(250_000) });
    });
    expect([short?.defaultPrevented, long?.defaultPrevented]).toEqual([false, true]);
    await vi.waitFor(() => expect(tray(page)).toHaveLength(3));
  });

  it("an address alone, as a page's picture may come, goes where one writes, over the field too", async () => {
    const page = await mountApp();
    const address = { "text/uri-list": "https://example.org/cat.png", "text/html": "<img>" };
    for (const place of [find(page.root, "main.chat"), field(page)]) {
      await settle(() => type(field(page), ""));
      let entered: Event | undefined;
      await settle(() => {
        entered = drag(place, "dragenter", [], address);
        drag(place, "drop", [], address);
      });
      expect(entered?.defaultPrevented).toBe(true);
      expect(field(page).value).toBe("https://example.org/cat.png");
    }
  });

  it("come from the pet one after another, with what it could not take", async () => {
    const page = await mountApp((core) => {
      const things = [
        { text: "look", files: [], refused: [{ problem: "too_large" as const, name: "film.mkv" }] },
        { text: "", files: [{ name: "a.png", data: ["iVBORw=="] }], refused: [] },
        {
          text: "",
          files: [{ name: "b.png", data: ["iVBORw=="] }],
          refused: [{ problem: "too_many" as const, name: "" }],
        },
      ];
      core.handlers.take_dropped = () => things.shift() ?? { text: "", files: [], refused: [] };
    });
    await settle(() => page.core.emit({ type: "dropped_on_pet" }));
    expect(field(page).value).toBe("look");
    expect(tray(page)).toHaveLength(2);
    const notice = () => find(page.root, ".notice");
    expect(notice().textContent).toContain("at most 10");
    await settle(() => button(notice(), "Dismiss").click());
    expect(notice().textContent).toContain("film.mkv is larger than 20 MB");
  });
});

describe("a character card dropped on the pet", () => {
  const file = { name: "momo.png", data: ["iVBORw=="] };
  const dropped = async (declared = true) => {
    const page = await mountApp((core) => {
      const things = [{ text: "", files: [file], refused: [] }];
      addCards(core);
      core.handlers.preview_card = () => ({ ...CARD, declared });
      core.handlers.take_dropped = () => things.shift() ?? { text: "", files: [], refused: [] };
    });
    await settle(() => page.core.emit({ type: "dropped_on_pet" }));
    return page;
  };

  it("can become a pet of its own", async () => {
    const page = await dropped();
    const dialog = find(page.root, "dialog");
    expect(dialog.textContent).toContain("Momo is a character card");
    expect(await faults(page.root)).toEqual([]);
    expect([tray(page).length, page.core.called("create_pet_from_card")]).toEqual([0, []]);
    await settle(() => button(dialog, "As a new pet").click());
    expect(page.core.called("create_pet_from_card")).toEqual([{ file, pictures: false }]);
    expect(page.core.called("import_card")).toEqual([]);
    expect(page.store.navigation.section.value).toBe("me");
    expect(page.root.querySelector("dialog")).toBeNull();
  });

  it("says why it can't, and can still be attached", async () => {
    const page = await dropped();
    page.core.fail("create_pet_from_card", { code: "pet_name_refused", args: { limit: 60 }, retryable: false });
    await settle(() => button(page.root, "As a new pet").click());
    expect(find(page.root, "dialog [role=alert]").textContent).toContain("60");
    await settle(() => button(page.root, "Attach it to a message").click());
    expect(tray(page)).toHaveLength(1);
    expect(page.root.querySelector("dialog")).toBeNull();
  });

  it("can replace the soul, after a look at the change", async () => {
    const page = await dropped();
    await settle(() => button(page.root, "As the soul of Mochi…").click());
    expect(page.core.called("import_card")).toEqual([]);
    await settle(() => button(page.root, "Make this the soul").click());
    expect(page.core.called("import_card")).toEqual([{ file, base: "v1", instructions: false }]);
    expect(page.root.querySelector("dialog")).toBeNull();
  });

  it("is an ordinary file where it does not say that it is a card", async () => {
    const page = await dropped(false);
    expect(page.root.querySelector("dialog")).toBeNull();
    expect(tray(page)).toHaveLength(1);
  });
});

describe("a message with pictures", () => {
  it("shows them small, opens them whole, and says what is gone", async () => {
    const page = await mountTalk(
      [turnView("t1", "", "nice", { attachments: [picture("p1"), picture("lost")] })],
      (core) => core.attachments.set("p1", { attachment: picture("p1"), image: PICTURE, text: "" }),
    );
    expect(page.root.querySelectorAll(".attachments img")).toHaveLength(1);
    expect(find(page.root, ".attachments").textContent).toContain("No longer there");
    expect(page.root.querySelector(".owner .bubble")).toBeNull();
    expect(await faults(page.root)).toEqual([]);
    await settle(() => button(page.root, "Open p1.png").click());
    expect(find<HTMLImageElement>(page.root, "dialog img").alt).toBe("p1.png");
    expect(page.core.called("read_attachment").at(-1)).toEqual({ attachment: "p1", whole: true });
  });

  it("names the pages of a document that went along", async () => {
    const text = { kind: "text/plain" as const, width: 0, height: 0, bytes: 900_000 };
    const manual: Attachment = { ...text, id: "d", name: "manual.pdf", pages: 312, unread: 0, sent: "1-14,280" };
    const page = await mountTalk([turnView("t1", "where?", "there", { attachments: [manual] })]);
    expect(find(page.root, ".attachment.text").textContent).toBe("manual.pdfpages 1\u201314, 280 of 312");
  });

  it("shows a file's text as text", async () => {
    const notes: Attachment = {
      id: "n",
      kind: "text/plain",
      name: "n.md",
      width: 0,
      height: 0,
      bytes: 2048,
      pages: 0,
      unread: 0,
      sent: "",
    };
    const page = await mountTalk([turnView("t1", "read", "ok", { attachments: [notes] })], (core) =>
      core.attachments.set("n", { attachment: notes, image: "", text: "<img src=x onerror=alert(1)>" }),
    );
    expect(find(page.root, ".attachment.text").textContent).toBe("n.md2 kB");
    await settle(() => find(page.root, ".attachment.text").click());
    expect(find(page.root, "dialog pre").textContent).toBe("<img src=x onerror=alert(1)>");
    expect(await faults(page.root)).toEqual([]);
  });

  it("can be sent again without them where the model takes none", async () => {
    const error = { code: "fault_no_pictures", args: { model: "llama" }, retryable: false };
    const page = await mountTalk([
      turnView("t1", "what is it?", "", { attachments: [picture("p1")], end: "failed", error }),
    ]);
    expect(find(page.root, ".fault").textContent).toContain("llama takes no pictures");
    await settle(() => button(page.root, "Send without pictures").click());
    expect(page.core.called("resend")).toEqual([
      { conversation: "c1", turn: "t1", text: "what is it?", attachments: [] },
    ]);
  });
});

import { describe, expect, it, vi } from "vitest";
import { NOW, turnView } from "../../ipc/fake";
import { language, t } from "../../texts";
import { button, find, mountApp, settle, type } from "../render";

const SALAM = "مرحبا يا أصدقاء";

describe("a name in Latin letters", () => {
  it("has room in a Chinese sentence, and a Chinese one none", () => {
    language.value = "zh";
    expect(t("ui.empty.title", { name: "Mochi" })).toBe("嗨，我是 Mochi！");
    expect(t("ui.skins.more", { name: "Élan" })).toBe("Élan 的更多操作");
    expect(t("ui.empty.title", { name: "麻薯" })).toBe("嗨，我是麻薯！");
    language.value = "en";
    expect(t("ui.empty.title", { name: "麻薯" })).toBe("Hi, I'm 麻薯!");
  });
});

describe("what is written from right to left", () => {
  it("turns nothing around its name: it is set apart in every sentence", () => {
    expect(t("ui.tabs.close", { title: SALAM })).toBe(`Close “\u2068${SALAM}\u2069”`);
    expect(t("ui.tabs.close", { title: "שלום" })).toContain("\u2068שלום\u2069");
    expect(t("ui.tabs.close", { title: "你好 hello" })).toBe("Close “你好 hello”");
  });

  it("has its own direction wherever it may be cut or edited", async () => {
    const page = await mountApp((core) => {
      core.addConversation({ id: "c1", title: SALAM }, [turnView("t1", SALAM, `${SALAM}\n\nand English`)]);
      const tab = { conversation: "c1", draft: SALAM, scroll: 0, attachments: [] };
      core.app = { ...core.app, tabs: [tab], active_tab: "c1" };
    });
    const directed = (selector: string) => find(page.root, selector).closest("[dir=auto]") !== null;
    expect(directed(".tab .title")).toBe(true);
    expect(directed(".composer textarea")).toBe(true);
    const said = [...page.root.querySelectorAll(".pet-reply .md p")];
    expect(said.map((each) => each.getAttribute("dir"))).toEqual(["auto", "auto"]);
    await settle(() => button(page.root, t("ui.turn.edit")).click());
    expect(directed(".owner.editing textarea")).toBe(true);
    await settle(() => {
      page.store.renaming.value = "c1";
    });
    expect(directed(".tab .rename")).toBe(true);
    await settle(() => page.store.show("history"));
    expect(directed(".card-row .title")).toBe(true);
    page.core.handlers.search_history = () => ({
      hits: [
        {
          conversation: "c1",
          title: SALAM,
          turn: "t1",
          at: NOW,
          who: "owner",
          snippet: [{ text: SALAM, found: true }],
        },
      ],
      more: false,
    });
    await settle(() => type(find<HTMLInputElement>(page.root, "main input[type=search]"), SALAM));
    await vi.waitFor(() => expect(directed(".hit-row b")).toBe(true));
    expect(directed(".hit-row .said")).toBe(true);
  });
});

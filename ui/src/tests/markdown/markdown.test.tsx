import { render } from "preact";
import { act } from "preact/test-utils";
import { describe, expect, it, vi } from "vitest";
import { EMPTY, parse } from "../../markdown/blocks";
import { Markdown } from "../../markdown/markdown";
import { language, t } from "../../texts";
import { NOW, turnView } from "../core/records";
import { button, find, mountApp, settle, type } from "../render";

async function draw(text: string, onLink = vi.fn()) {
  const root = document.createElement("div");
  await act(() => render(<Markdown text={text} onLink={onLink} />, root));
  return {
    root,
    onLink,
    redraw: (next: string) => act(() => render(<Markdown text={next} onLink={onLink} />, root)),
  };
}

const HOSTILE = [
  "<script>window.hurt = 1</script>",
  "<img src=x onerror='window.hurt = 1'>",
  "before <svg onload=window.hurt=1> after",
  "<a href='javascript:window.hurt=1'>x</a>",
  "[x](javascript:window.hurt=1)",
  "[x](JaVaScRiPt:window.hurt=1)",
  "[x](java\tscript:window.hurt=1)",
  "[x](data:text/html,<script>window.hurt=1</script>)",
  "[x](file:///etc/passwd)",
  "[x](vbscript:x)",
  "![a](https://tracker.example/p.png)",
  "![a](javascript:x)",
  "<iframe src='https://example.org'></iframe>",
  "<style>body{display:none}</style>",
  "<details open ontoggle=window.hurt=1>",
  "[ref]\n\n[ref]: javascript:window.hurt=1",
  "| a |\n|---|\n| <img src=x onerror=window.hurt=1> |",
  "- <b onclick='window.hurt=1'>x</b>",
  '<form action="https://example.org"><button>go</button></form>',
];
const DANGEROUS =
  "script, img, svg:not(.icon), iframe, style, form, object, embed, link, meta, details, video, audio";

describe("hostile text", () => {
  it.each(HOSTILE)("stays text: %s", async (text) => {
    const { root } = await draw(text);
    expect(root.querySelectorAll(DANGEROUS)).toHaveLength(0);
    for (const element of root.querySelectorAll("*")) {
      const names = element.getAttributeNames();
      expect(names.filter((name) => name.startsWith("on") || name === "src" || name === "srcdoc")).toEqual([]);
    }
    for (const link of root.querySelectorAll("a")) expect(link.href).toMatch(/^(https?|mailto):/);
    expect("hurt" in window).toBe(false);
  });

  it("stays text at every moment of its streaming", async () => {
    const text = HOSTILE.join("\n\n");
    const { root, redraw } = await draw("");
    for (let end = 1; end <= text.length; end += 3) {
      await redraw(text.slice(0, end));
      expect(root.querySelectorAll(DANGEROUS)).toHaveLength(0);
    }
  });

  it("loads no picture: it says which and where, and opens it in the browser on request", async () => {
    const { root, onLink } = await draw("See ![a cat](https://example.org/cat.png?who=lin)");
    expect(root.querySelector("img")).toBeNull();
    expect(root.querySelector(".no-image")?.textContent).toBe("a catexample.orgOpen in browser");
    const open = root.querySelector("button");
    expect(open?.dataset["tip"]).toBe("https://example.org/cat.png?who=lin");
    expect(onLink).not.toHaveBeenCalled();
    open?.click();
    expect(onLink).toHaveBeenCalledWith("https://example.org/cat.png?who=lin");
  });

  it.each(["file:///etc/passwd", "javascript:alert(1)", "cat.png", `data:image/png;base64,${"A".repeat(900)}`])(
    "offers nothing for a picture at %s",
    async (address) => {
      const { root } = await draw(`![x](${address})`);
      expect(root.querySelector("button, a, img")).toBeNull();
      expect(root.textContent?.length).toBeLessThan(120);
    },
  );

  it("puts the link of a picture beside it", async () => {
    const { root, onLink } = await draw("[![logo](https://a.example/l.png)](https://b.example/x)");
    expect(root.querySelector("a button, button a")).toBeNull();
    root.querySelector("a")?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
    root.querySelector("button")?.click();
    expect(root.querySelector("a")?.textContent).toBe("b.example");
    expect(onLink.mock.calls).toEqual([["https://b.example/x"], ["https://a.example/l.png"]]);
  });
});

describe("what a reply is made of", () => {
  it("is drawn: emphasis, lists, tables, code", async () => {
    const { root } = await draw(
      "**b** *i* ~~d~~ `c`\n\n1. x\n2. y\n\n- [x] done\n\n|a|b|\n|-|-|\n|1|2|\n\n```python\ndef f(): pass\n```",
    );
    for (const selector of ["strong", "em", "del", "code", "ol", "ul", "table", ".hl-keyword"]) {
      expect(root.querySelector(selector), selector).not.toBeNull();
    }
    expect(root.querySelector("pre")?.textContent).toBe("def f(): pass");
  });

  it("shows characters that HTML would hide, as they are", async () => {
    const { root } = await draw('a < b && c > d "quoted" 5 &lt; 6 `<b>&amp;</b>`');
    expect(root.textContent).toBe('a < b && c > d "quoted" 5 < 6 <b>&amp;</b>');
  });

  it("opens links through the core only", async () => {
    const { root, onLink } = await draw("[there](https://example.org/a)");
    const click = new MouseEvent("click", { bubbles: true, cancelable: true });
    root.querySelector("a")?.dispatchEvent(click);
    expect(click.defaultPrevented).toBe(true);
    expect(onLink).toHaveBeenCalledWith("https://example.org/a");
  });
});

describe("streaming", () => {
  const TEXT =
    "# One\n\nfirst *part*\n\n- a\n- b\n\n  more b\n\n```js\nlet x = 1;\n\nlet y;\n```\n\n| a |\n|---|\n| 1 |\n\nlast\n===\n";

  it("gives the same blocks as the whole text, whatever the pieces", () => {
    for (const size of [1, 2, 3, 7, 20]) {
      let parsed = EMPTY;
      for (let end = size; end < TEXT.length + size; end += size) parsed = parse(TEXT.slice(0, end), parsed);
      expect(parsed.blocks).toEqual(parse(TEXT).blocks);
    }
  });

  it("draws only the tail again", async () => {
    const { root, redraw } = await draw("one\n\ntwo\n\nthree\n\nfo");
    const before = [...root.querySelectorAll("p")];
    const texts = before.map((each) => each.firstChild);
    await redraw("one\n\ntwo\n\nthree\n\nfour");
    const after = [...root.querySelectorAll("p")];
    expect(after.map((each) => each.textContent)).toEqual(["one", "two", "three", "four"]);
    expect(after).toEqual(before);
    expect(after.map((each) => each.firstChild)).toEqual(texts);
  });
});

describe("formulas", () => {
  const shown = async (text: string) => {
    const { root } = await draw(text);
    await vi.dynamicImportSettled(); // KaTeX comes with the first formula
    await act(async () => undefined);
    return root;
  };

  it.each([
    ["in a line", "so $e^{i\\pi} = -1$ holds", 1, 0],
    ["in round brackets", "so \\(a+b\\) holds", 1, 0],
    ["on its own", "$$\n\\int_0^1 x\\,dx\n$$", 1, 1],
    ["in square brackets", "As\n\\[ \\frac{1}{2} \\]\nsays", 1, 1],
  ])("%s are set, and screen readers get them as MathML", async (_, text, count, display) => {
    const root = await shown(text);
    expect(root.querySelectorAll("math")).toHaveLength(count);
    expect(root.querySelectorAll(".formula.display")).toHaveLength(display);
  });

  it.each([
    ["prices", "It is $5 here and $10 there."],
    ["code", "`$a+b$` and $ x $"],
    ["an open end, as while it streams", "so $$a + b"],
    ["escaped signs", "\\$a\\$"],
  ])("are not %s", async (_, text) => {
    const root = await shown(text);
    expect(root.querySelector("math, .no-formula")).toBeNull();
  });

  it("that are none stay as they were written", async () => {
    const root = await shown("$\\frac{$ and $\\nonsense{x}$");
    expect(root.querySelector("math")).toBeNull();
    expect(root.textContent).toContain("\\nonsense{x}");
  });

  it.each([
    ["a link", "$\\href{javascript:alert(1)}{x}$"],
    ["a picture", "$\\includegraphics{http://example.org/x.png}$"],
    ["HTML", "$\\htmlClass{bar}{x}$ $<img src=x onerror=alert(1)>$"],
  ])("bring in no %s", async (_, text) => {
    const root = await shown(text);
    expect(root.querySelector("a, img, .bar, [onerror]")).toBeNull();
  });

  it("with macros without end are given up", async () => {
    const root = await shown("$\\def\\a{\\a\\a}\\a$");
    expect(root.querySelector("math")).toBeNull();
  });
});

const SALAM = "مرحبا يا أصدقاء";

describe("a name in Latin letters", () => {
  it("has room in a Chinese sentence, and a Chinese one none", () => {
    language.value = "zh";
    expect(t("ui.empty.title", { name: "Mochi" })).toBe("嗨，我是 Mochi！");
    expect(t("ui.pets.more", { name: "Élan" })).toBe("Élan 的更多操作");
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
      const tab = { conversation: "c1", draft: SALAM, scroll: 0, attachments: [], pinned: false };
      core.app = { ...core.app, tabs: [tab], active_tab: "c1" };
    });
    const directed = (selector: string) => find(page.root, selector).closest("[dir=auto]") !== null;
    expect(directed(".tab .title")).toBe(true);
    expect(directed(".composer textarea")).toBe(true);
    const paragraphs = [...page.root.querySelectorAll(".pet-reply .md p")];
    expect(paragraphs.map((each) => each.getAttribute("dir"))).toEqual(["auto", "auto"]);
    await settle(() => button(page.root, t("ui.turn.edit")).click());
    expect(directed(".owner.editing textarea")).toBe(true);
    await settle(() => {
      page.store.navigation.renaming.value = "c1";
    });
    expect(directed(".tab .rename")).toBe(true);
    await settle(() => page.store.navigation.show("history"));
    expect(directed(".card-row .title")).toBe(true);
    page.core.handlers.search_history = () => ({
      hits: [
        {
          conversation: "c1",
          title: SALAM,
          turn: "t1",
          at: NOW,
          who: "owner",
          snippet: [{ text: SALAM, is_match: true }],
        },
      ],
      more: false,
    });
    await settle(() => type(find<HTMLInputElement>(page.root, "main input[type=search]"), SALAM));
    await vi.waitFor(() => expect(directed(".hit-row b")).toBe(true));
    expect(directed(".hit-row .said")).toBe(true);
  });
});

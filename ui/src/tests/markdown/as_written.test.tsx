/** Markdown as models and people write it, where CommonMark and GFM read something else. */
import { render } from "preact";
import { act } from "preact/test-utils";
import { describe, expect, it, vi } from "vitest";
import { Markdown } from "../../markdown/markdown";
import { plain } from "../../markdown/plain";

async function draw(text: string): Promise<HTMLElement> {
  const root = document.createElement("div");
  await act(() => render(<Markdown text={text} onLink={vi.fn()} />, root));
  return root;
}

const texts = (root: HTMLElement, selector: string) => [...root.querySelectorAll(selector)].map((e) => e.textContent);

describe("emphasis in scripts without spaces", () => {
  it.each([
    ["**完成了。**后来", ["完成了。"]],
    ["读了**《红楼梦》**之后", ["《红楼梦》"]],
    ["**[链接](https://example.com)**后", ["链接"]],
    ["这是**“甲”**和**“乙”**的", ["“甲”", "“乙”"]],
    ["これは**「重要」**です。", ["「重要」"]],
    ["**注意（必读）**：先保存", ["注意（必读）"]],
    ["결론은 **마크다운(Markdown)**을 쓰는 것", ["마크다운(Markdown)"]],
    ["共**46%**的人", ["46%"]],
    ["用**`git pull`**更新", ["git pull"]],
    ["他说：**“好！”**，然后走了", ["“好！”"]],
    ["是**𠮷（よし）**です", ["𠮷（よし）"]],
    ["- **重点：**先备份\n- **其次，**再升级", ["重点：", "其次，"]],
    ["| 项 |\n|---|\n| **甲。**乙 |", ["甲。"]],
  ])("is bold beside punctuation: %s", async (text, bold) => {
    const root = await draw(text);
    expect(texts(root, "strong")).toEqual(bold);
    expect(root.textContent).not.toContain("*");
  });

  it.each([
    ["*「斜体」*です", "em", ["「斜体」"]],
    ["***全部。***后来", "em strong", ["全部。"]],
    ["~~删除（旧）。~~这句", "del", ["删除（旧）。"]],
    ["改为~~《旧》~~《新》", "del", ["《旧》"]],
  ])("is read the same: %s", async (text, selector, found) => {
    expect(texts(await draw(text), selector)).toEqual(found);
  });

  it.each(["2 * 3 * 4", "snake_case_name", "中文_变量_名", "** 空 **", "a**“b”**c"])(
    "stays what it was: %s",
    async (text) => {
      const root = await draw(text);
      expect(root.querySelector("strong, em")).toBeNull();
      expect(root.textContent).toBe(text);
    },
  );
});

describe("an address", () => {
  it.each([
    ["看https://example.com/a，然后", "https://example.com/a"],
    ["www.example.com，好", "http://www.example.com/"],
    ["【https://example.com/a】", "https://example.com/a"],
    ["“https://example.com/a”", "https://example.com/a"],
    ["见https://example.com/a；下一条", "https://example.com/a"],
    ["《https://example.com/a》是", "https://example.com/a"],
    ["（https://example.com/a）", "https://example.com/a"],
    ["「https://example.com/a」です", "https://example.com/a"],
    ["https://example.com/a。", "https://example.com/a"],
    ["https://example.com/a！好", "https://example.com/a"],
    ["https://example.com/a……", "https://example.com/a"],
    ["打开https://example.com后登录", "https://example.com/"],
    ["打开http://127.0.0.1:8080后登录", "http://127.0.0.1:8080/"],
    ["访问https://example.com，谢谢", "https://example.com/"],
  ])("ends before what follows in Chinese or Japanese: %s", async (text, address) => {
    const root = await draw(text);
    expect([...root.querySelectorAll("a")].map((link) => link.href)).toEqual([address]);
    expect(root.textContent).toBe(text);
  });

  it.each([
    ["https://zh.wikipedia.org/wiki/北京 是", "https://zh.wikipedia.org/wiki/%E5%8C%97%E4%BA%AC"],
    [
      "https://ja.wikipedia.org/wiki/ダ・ヴィンチ",
      "https://ja.wikipedia.org/wiki/%E3%83%80%E3%83%BB%E3%83%B4%E3%82%A3%E3%83%B3%E3%83%81",
    ],
    ["https://café.example/menu", "https://xn--caf-dma.example/menu"],
    ["https://example.com/a?b=c&d=e#f.", "https://example.com/a?b=c&d=e#f"],
    ["https://en.wikipedia.org/wiki/Hobson’s_choice", "https://en.wikipedia.org/wiki/Hobson%E2%80%99s_choice"],
  ])("keeps its own letters: %s", async (text, address) => {
    expect([...(await draw(text)).querySelectorAll("a")].map((link) => link.href)).toEqual([address]);
  });
});

describe("signs that are no markup", () => {
  it.each(["约10~20元，30~40元", "5~10 min, or 20~30 min", "~a~", "周一~周五，9点~18点"])(
    "one tilde strikes nothing through: %s",
    async (text) => {
      const root = await draw(text);
      expect(root.querySelector("del")).toBeNull();
      expect(root.textContent).toBe(text);
    },
  );

  it("two do, around single ones too", async () => {
    expect(texts(await draw("~~约10~20元~~ 现价"), "del")).toEqual(["约10~20元"]);
  });

  it.each([
    "pay $20, 30$ or 40$",
    "It costs 20$, 30$ or 40$.",
    "$5 and 10$ each",
    "from $1,000 to 2,000$",
    "门票$20到30$不等",
  ])("dollars are money: %s", (text) => {
    expect(plain(text, () => "FORMULA")).toBe(text);
  });

  it.each(["so $x$ is", "$5$ apples", "$2x + 3$", "values $1, 2, 3$", "$20$ and $30$"])(
    "formulas stay formulas: %s",
    (text) => {
      expect(plain(text, () => "FORMULA")).toContain("FORMULA");
    },
  );
});

describe("a table's cell", () => {
  it.each(["<br>", "<br/>", "<br />", "<BR>"])("breaks its line at %s", async (tag) => {
    const root = await draw(`| a | b |\n|---|---|\n| one${tag}two | x |`);
    expect(root.querySelectorAll("td br")).toHaveLength(1);
    expect(texts(root, "td")).toEqual(["onetwo", "x"]);
  });

  it("outside a table too, and as words", async () => {
    expect((await draw("one<br>two")).querySelectorAll("br")).toHaveLength(1);
    expect(plain("one<br>two")).toBe("one\ntwo");
  });

  it.each([
    ["| `a|b` | or |", ["a|b", "or"]],
    ["| `a || b` | or |", ["a || b", "or"]],
    ["| ``x|`y`|z`` | or |", ["x|`y`|z", "or"]],
    ["| `a\\|b` | or |", ["a|b", "or"]],
    ["| a \\| b | or |", ["a | b", "or"]],
    ["| one ` tick | or ` two |", ["one ` tick", "or ` two"]],
  ])("keeps a pipe in code: %s", async (row, cells) => {
    const root = await draw(`| code | means |\n|---|---|\n${row}\n| c | d |`);
    expect(texts(root, "td")).toEqual([...cells, "c", "d"]);
  });

  it("keeps one in the header", async () => {
    const root = await draw("| `a|b` | means |\n|---|---|\n| c | d |");
    expect(texts(root, "th")).toEqual(["a|b", "means"]);
  });
});

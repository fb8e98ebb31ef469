/**
 * Scenes for looking at the chat page in a browser: `npm run dev`, then /chat.html?fake&scene=talk&lang=zh&theme=dark.
 * Development only; no built page holds this.
 */
import type { Attachment, Commands, PetEvent, Proposal, Receipt, TurnView } from "../src/bindings";
import type { Deliver } from "../src/ipc/bridge";
import { FakeCore } from "../src/tests/core/core";
import { APP, NOW, PICTURE, turnView } from "../src/tests/core/records";
import { beginFirstStart } from "../src/tests/core/welcome";
import { crowd, longSoul, realTemplates, trouble } from "./scenes_files";
import { fillMemory, memoryTalk } from "./scenes_memory";

const RECEIPT: Receipt = {
  file: "USER.md",
  history_id: "h1",
  before: "v1",
  after: "v2",
  added: 3,
  removed: 1,
  author: "pet",
  merged: false,
  masked: [],
  foreign: [],
  noted: [{ text: "叫小林，喜欢爬山和手冲咖啡", due: "", at: "", repeats: "", earlier: "" }],
};

const SOUL = `# 我是谁

我叫**麻薯**，一只住在桌面上的小家伙。

## 性格
- 温柔，好奇，有点黏人
- 喜欢下雨天和热可可

## 说话的样子
短句，不说教。
`;

const LONG = `当然可以！下面是一个小例子：

\`\`\`python
from datetime import date

def days_until(day: date) -> int:
    """How many days are left."""
    return (day - date.today()).days

print(days_until(date(2026, 12, 25)), "days until Christmas")
\`\`\`

| 名称 | 说明 | 时间 |
|:--|:--|--:|
| 喝水 | 每两小时一杯 | 10:00 |
| 散步 | 午饭后 *二十分钟* | 13:00 |

1. 先**深呼吸**
2. 再看看 [这篇文章](https://example.org/breath)
   - 慢一点
   - 再慢一点

> 不急，我们慢慢来。

![a cat](https://example.org/cat.png)
`;

const read = { call: "k1", round: 1, tool: "read", file: "USER.md", running: false, error: null, receipt: null };
const edit = { call: "k2", round: 1, tool: "edit", file: "USER.md", running: false, error: null, receipt: RECEIPT };

const PROPOSAL: Proposal = {
  id: "p1",
  file: "SOUL.md",
  reason: "soul",
  before: SOUL,
  after: SOUL.replace("短句，不说教。", "短句，不说教。偶尔讲个冷笑话。\n结尾常用一个小小的表情。"),
  base: "v1",
  category: "",
  call: null,
  noted: null,
  foreign: [],
};

const TALK: TurnView[] = [
  turnView("t1", "你好呀！我叫小林，喜欢爬山和手冲咖啡。记住哦。", "", {
    rounds: [
      { round: 1, text: "小林你好！让我把这个好好记下来。" },
      { round: 2, text: "记好啦：**小林**，爱爬山，爱手冲咖啡。下次天气好，记得告诉我爬了哪座山 ⛰️" },
    ],
    tools: [read, edit],
  }),
  turnView("t2", "Can you show me something pretty with code, a table and a list?", LONG),
];

type Scene = (core: FakeCore) => void;

const SCENES: Record<string, Scene> = {
  memory: (core) => {
    fillMemory(core);
    const view = core.addConversation({ title: "香山" }, memoryTalk());
    view.dividers.push({ after_turn: "t1", at: NOW, kind: "compacted" });
    open(core, view);
  },
  options: (core) => {
    fillMemory(core);
    const turns = [
      turnView("t1", "请记住我的生日是五月三日", "现在大脑关着，我记不下来。", {
        memory: false,
        claim: { kind: "asked_off", quote: "请记住我的生日是五月三日", never_calls: false },
      }),
    ];
    const view = core.addConversation({ title: "大脑关了", memory: false }, turns);
    view.compacting = true;
    open(core, view);
  },
  forget: (core) => {
    fillMemory(core);
    const before = core.memory.forgets.goes.map((piece) => `${piece.path}\n${piece.text}`).join("\n\n");
    const proposal: Proposal = {
      id: "p2",
      file: "",
      reason: "forget",
      before,
      after: "",
      base: "",
      category: "",
      call: null,
      noted: null,
      foreign: [],
    };
    const turn = turnView("t3", "把香山的事忘了吧。", "好，你看看是不是这些？", {
      end: null,
      proposal,
      tools: [{ ...read, tool: "memory_forget", file: "香山", running: true }],
    });
    open(core, core.addConversation({ title: "忘掉香山", running: true }, [turn]));
  },
  tabs: (core) => {
    fillMemory(core);
    for (let at = 0; at < 7; at += 1) {
      open(core, core.addConversation({ title: ["周末计划", "A quiet evening", "爬山和咖啡"][at % 3] ?? "" }, TALK));
    }
  },
  long: (core) => {
    const turns = Array.from({ length: 5000 }, (_, at) =>
      turnView(
        `t${at}`,
        at % 7 === 0 ? `message ${at}: ${"a longer one, ".repeat(at % 13)}` : `message ${at}`,
        at % 11 === 0 ? LONG : `Reply ${at}. ${"One more sentence of it. ".repeat(at % 17)}`,
      ),
    );
    open(core, core.addConversation({ title: "The thousandth conversation" }, turns));
  },
  quick: (core) => {
    const turns = [
      turnView(
        "t1",
        "明天周六，想出去走走",
        "好呀！我记得你喜欢爬山。有三个主意：\n\n1. **香山**：叶子正红，就是人多。\n2. **植物园**：安静，走走停停。\n3. **在家看雨**，煮一壶咖啡。\n\n你想选哪一个？",
      ),
    ];
    open(core, core.addConversation({ title: "周六" }, turns));
  },
  offer: (core) => {
    const turns = [
      ...TALK,
      turnView(
        "t3",
        "My train leaves at seven.",
        "Seven, from the north station. That is early! Shall I write that down for you?",
      ),
    ];
    open(core, core.addConversation({ title: "A train at seven" }, turns));
  },
  learned: (core) => {
    fillMemory(core);
    core.memory.forgets = { ...core.memory.forgets, stays: [] };
    open(core, core.addConversation({ title: "爬山和咖啡" }, TALK));
  },
  strangers: (core) => {
    core.strangers = true;
    open(core, core.addConversation());
  },
  spent: (core) => {
    const used = {
      input_tokens: 41_200,
      output_tokens: 9_310,
      cache_read_tokens: 388_000,
      cache_write_tokens: 12_000,
    };
    const today = {
      day: "2026-11-21",
      tokens: 450_510,
      cost: 0.42,
      models: [{ model: "claude-haiku-5-5", usage: used, cost: 0.42, local: false }],
    };
    const days = [
      today,
      ...Array.from({ length: 9 }, (_, at) => ({ ...today, day: `2026-11-${20 - at}`, tokens: 90_000 * (at + 1) })),
    ];
    core.usage = { today, counted: today.tokens, days, limit: 450_000, reached: true, allowed: false };
    core.settings = { ...core.settings, daily_tokens: 450_000, price_input: 1, price_output: 5 };
    const error = { code: "fault_daily_limit", args: { limit: 450_000, used: 450_510 }, retryable: false };
    const failed = turnView("t1", "One more story?", "", { end: "failed", error });
    open(core, core.addConversation({ title: "Enough for today" }, [failed]));
  },
  math: (core) => {
    const text =
      "Of course! When $a \\ne 0$, there are two solutions to \\(ax^2 + bx + c = 0\\):\n\n$$x = {-b \\pm \\sqrt{b^2-4ac} \\over 2a}$$\n\nIt costs $5 or $10. And a wide one:\n\n\\[ \\sum_{n=1}^{\\infty} \\frac{1}{n^2} = \\frac{\\pi^2}{6} \\qquad \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix} \\qquad \\int_{-\\infty}^{\\infty} e^{-x^2}\\,dx = \\sqrt{\\pi} \\qquad \\mathbb{R} \\subset \\mathcal{C} \\]\n\nThis is none: $\\frac{$";
    open(core, core.addConversation({ title: "Formulas" }, [turnView("t1", "How do I solve it?", text)]));
  },
  pictures: (core) => {
    for (const [id, name] of [
      ["p1", "mountain.png"],
      ["p2", "hike.png"],
    ] as const)
      core.attachments.set(id, { attachment: picture(id, name), image: PICTURE, text: "" });
    const notes = {
      id: "n1",
      kind: "text/plain" as const,
      name: "a very long name of a file with notes.md",
      width: 0,
      height: 0,
      bytes: 18_200,
      pages: 1,
      unread: 0,
      sent: "",
    };
    core.attachments.set("n1", { attachment: notes, image: "", text: "# Notes\n\nBring water." });
    const turns = [
      turnView("t1", "Look where we were!", "What a view! Was that the ridge above the tea house?", {
        attachments: [picture("p1", "mountain.png"), picture("p2", "hike.png")],
      }),
      turnView("t2", "", "I read your notes: water, tea, and a hat.", {
        attachments: [notes, picture("gone", "lost.png")],
      }),
      turnView("t3", "And this one?", "", {
        attachments: [picture("p1", "mountain.png")],
        end: "failed",
        error: { code: "fault_no_pictures", args: { model: "llama" }, retryable: false },
      }),
    ];
    open(core, core.addConversation({ title: "Mountains" }, turns));
  },
  beside: (core) => {
    core.attachments.set("p1", { attachment: picture("p1", "mountain.png"), image: PICTURE, text: "" });
    const notes = { ...picture("n1", "notes.md"), kind: "text/plain" as const, width: 0, height: 0 };
    const turns = [
      turnView("t1", "The ridge, and what we need for it.", "A picture and a list. I like you already.", {
        attachments: [picture("p1", "mountain.png"), notes],
      }),
    ];
    open(core, core.addConversation({ title: "Mountains" }, turns));
  },
  odd: (core) => {
    const turns = [
      turnView(
        "t1",
        "مرحبا! كيف حالك اليوم؟ أحب الشاي الأخضر.",
        "أهلاً! أنا بخير، شكراً لك.\n\n- شاي أخضر\n- جبل\n\nHello اسمي **Mochi**.",
      ),
      turnView("t2", "🌸🐱✨", "🍵"),
      turnView(
        "t3",
        "x".repeat(400),
        `Donaudampfschifffahrts${"gesellschaft".repeat(20)} and \`${"code".repeat(60)}\``,
      ),
      turnView(
        "t4",
        "A wide table?",
        `|${" column |".repeat(12)}\n|${"---|".repeat(12)}\n|${" some cell |".repeat(12)}`,
      ),
    ];
    open(core, core.addConversation({ title: "🌸".repeat(30) }, turns));
  },
  empty: (core) => open(core, core.addConversation()),
  crowd: (core) => {
    crowd(core);
    open(core, core.addConversation({ title: "The one in use" }, TALK));
  },
  longsoul: (core) => {
    longSoul(core);
    open(core, core.addConversation());
  },
  demo: (core) => {
    core.app = { ...core.app, demo: true };
    open(core, core.addConversation({}));
  },
  welcome: (core) => beginFirstStart(core, undefined, Number(new URLSearchParams(location.search).get("step") ?? 1)),
  keyless: (core) => {
    core.app = { ...core.app, key: { ...core.app.key, set: false, source: "none", last4: "" } };
    open(core, core.addConversation());
  },
  talk: (core) => {
    core.app = { ...core.app, acknowledged_hosts: [] };
    open(core, core.addConversation({ title: "爬山和咖啡" }, TALK));
    const other = core.addConversation({ title: "A quiet evening plan", memory: false }, TALK);
    core.app = {
      ...core.app,
      tabs: [...core.app.tabs, { conversation: other.info.id, draft: "", scroll: 0, attachments: [], pinned: false }],
    };
  },
  stream: (core) => {
    const view = core.addConversation({ title: "Streaming" }, TALK.slice(0, 1));
    open(core, view);
    const place = { conversation: view.info.id, turn: "t9" };
    const events: PetEvent[] = [
      {
        type: "turn_started",
        ...place,
        at: NOW,
        text: "Tell me a story.",
        memory: true,
        supersedes: null,
        attachments: [],
        kind: "message",
      },
      { type: "round_started", ...place, round: 1 },
    ];
    setTimeout(() => core.emit(...events), 300);
    let at = 0;
    const begun = performance.now() + 600;
    const timer = setInterval(() => {
      if (performance.now() < begun) return;
      core.emit({ type: "text_delta", ...place, round: 1, text: LONG.slice(at, at + 4) });
      at += 4;
      if (at >= LONG.length) clearInterval(timer);
    }, 40);
  },
  proposal: (core) => {
    const turn = turnView("t3", "你可以幽默一点吗？", "好呀，我想这样改一改自己，你看行吗？", {
      end: null,
      proposal: PROPOSAL,
      tools: [{ ...edit, file: "SOUL.md", running: true, receipt: null }],
    });
    open(core, core.addConversation({ title: "幽默一点", running: true }, [...TALK.slice(0, 1), turn]));
  },
  error: (core) => {
    const error = { code: "fault_bad_key", args: { host: "api.anthropic.com" }, retryable: false };
    const failed = turnView("t3", "Are you there?", "", { end: "failed", error });
    const view = core.addConversation({ title: "No luck" }, [failed]);
    open(core, view);
  },
  retry: (core) => {
    const view = core.addConversation({ title: "Waiting" }, []);
    open(core, view);
    const place = { conversation: view.info.id, turn: "t9" };
    const error = { code: "fault_overloaded", args: { host: "api.anthropic.com" }, retryable: true };
    setTimeout(() => {
      core.emit(
        {
          type: "turn_started",
          ...place,
          at: NOW,
          text: "Hello?",
          memory: true,
          supersedes: null,
          attachments: [],
          kind: "message",
        },
        { type: "retry_waiting", ...place, error, seconds: 12, attempt: 1 },
      );
    }, 300);
  },
  off: (core) => {
    const turns = [
      ...TALK.slice(0, 1),
      turnView("t4", "请记住我的生日是五月三日", "现在大脑关着，我记不下来。", { memory: false }),
    ];
    const view = core.addConversation({ title: "大脑关了", memory: false }, turns);
    view.dividers.push({ after_turn: "t1", at: NOW, kind: "memory_off" });
    open(core, view);
  },
  flip: (core) => {
    const view = core.addConversation({ title: "Just flipped", memory: false }, TALK.slice(0, 1));
    view.dividers.push({ after_turn: "t1", at: NOW, kind: "memory_off" });
    open(core, view);
  },
};

function picture(id: string, name: string): Attachment {
  return { id, kind: "image/png", name, width: 640, height: 400, bytes: 88_000, pages: 0, unread: 0, sent: "" };
}

function open(core: FakeCore, view: { info: { id: string } }): void {
  const tab = { conversation: view.info.id, draft: "", scroll: 0, attachments: [], pinned: false };
  core.app = { ...core.app, tabs: [...core.app.tabs, tab], active_tab: view.info.id };
}

export async function browseFake(deliver: Deliver): Promise<Commands> {
  const options = new URLSearchParams(location.search);
  const core = new FakeCore();
  core.deliver = deliver;
  core.files.set("SOUL.md", SOUL);
  core.files.set("USER.md", "# 关于主人\n\n- 名字：小林\n- 喜欢：爬山、手冲咖啡\n");
  const zh = options.get("lang") === "zh";
  const theme = options.get("theme") === "dark" ? "dark" : options.get("theme") === "light" ? "light" : "system";
  core.app = { ...APP, language: zh ? "zh" : "en", pet_name: zh ? "麻薯" : "Mochi", theme };
  core.settings = { ...core.settings, language: zh ? "zh" : "en", theme };
  SCENES[options.get("scene") ?? "talk"]?.(core);
  realTemplates(core);
  trouble(core, options);
  const view = options.get("view");
  if (view === "settings" || view === "history") setTimeout(() => core.emit({ type: "page_asked", view }), 200);
  for (const text of options.getAll("click")) clickLater(text);
  return core.commands;
}

let clicks = 0;

/** Click what has this text or name: `&click=Pets&click=A new pet`. */
function clickLater(text: string): void {
  clicks += 1;
  setTimeout(
    () => {
      const all = [...document.querySelectorAll<HTMLElement>("button, [role=menuitem]")];
      const named = (each: HTMLElement) =>
        each.textContent?.trim() === text || each.getAttribute("aria-label") === text;
      all.find(named)?.click();
    },
    200 + clicks * 250,
  );
}

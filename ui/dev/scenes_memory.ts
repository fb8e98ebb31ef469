/** Scenes for browse.ts: recalled memories, claims, receipts, forgetting, the browser, pets, conflict copies. */
import type { TurnView } from "../src/bindings";
import type { FakeCore } from "../src/tests/core/core";
import { entry, fileView, RECEIPT } from "../src/tests/core/memory";
import { NOW, turnView } from "../src/tests/core/records";

const day = (text: string) => `memory/${text}.md`;
const tool = (call: string, name: string, file: string | null, receipt: TurnView["tools"][0]["receipt"] = null) => {
  return { call, round: 1, tool: name, file, running: false, error: null, receipt };
};

export function memoryTalk(): TurnView[] {
  return [
    turnView("t1", "上次我们说去爬哪座山来着？", "是**香山**呀！你说等叶子红了就去，还要带上新的手冲壶 ☕", {
      used: [
        {
          path: day("2026-11-03"),
          start_line: 5,
          end_line: 7,
          source: "log",
          snippet: "主人想等叶子红了去香山，带上新的手冲壶。",
          turn: null,
          sure: true,
          superseded: false,
          heading: "",
          carried: false,
        },
        {
          path: "MEMORY.md",
          start_line: 3,
          end_line: 3,
          source: "memory",
          snippet: "十月一起计划了秋天的爬山。",
          turn: null,
          sure: true,
          superseded: false,
          heading: "",
          carried: false,
        },
        {
          path: "conversations/c9.jsonl",
          start_line: 4,
          end_line: 4,
          source: "conversation",
          snippet: "I think the leaves will be red by mid November, a very long line that does not fit here at all.",
          turn: "t1",
          sure: true,
          superseded: false,
          heading: "",
          carried: false,
        },
      ],
      tools: [tool("k0", "memory_search", "香山 爬山")],
    }),
    turnView("t2", "我的银行卡密码是 hunter2，周五提醒我交房租。", "好的，周五我会提醒你。密码我没有写下来哦。", {
      used: [
        {
          path: "USER.md",
          start_line: 4,
          end_line: 4,
          source: "profile",
          snippet: "每月最后一个周五交房租。",
          turn: null,
          sure: true,
          superseded: false,
          heading: "",
          carried: false,
        },
      ],
      tools: [
        tool("k1", "memory_write", day("2026-11-21"), { ...RECEIPT, masked: ["password"] }),
        tool("k2", "skill", "morning-plan"),
      ],
    }),
    turnView("t3", "I love green tea by the way.", "Got it, I've noted that down for you!", {
      claim: { kind: "saved", quote: "I've noted that down for you!", never_calls: false },
    }),
  ];
}

export function fillMemory(core: FakeCore): void {
  const { memory } = core;
  const two = (value: number) => String(value).padStart(2, "0");
  for (let month = 11; month > 2; month -= 1) {
    for (let date = 28; date > 0; date -= 1 + ((date * month) % 3)) {
      if (month === 11 && date > 21) continue;
      memory.entries.set(day(`2026-${two(month)}-${two(date)}`), LOG.slice(0, 1 + ((date + month) % LOG.length)));
    }
  }
  memory.entries.set(day("2026-11-21"), LOG);
  memory.entries.set("MEMORY.md", [
    entry(3, "十月一起计划了秋天的爬山，目标是香山。", { heading: "计划", time: "" }),
    entry(6, "We laughed for an hour about the upside-down umbrella.", { heading: "Running jokes", time: "" }),
  ]);
  memory.index = { embedder: "potion-multilingual", done: 214, total: 268 };
  memory.hits = [
    {
      path: day("2026-11-03"),
      start_line: 5,
      end_line: 7,
      score: 0.9,
      sure: true,
      superseded: false,
      heading: "",
      snippet: "主人想等叶子红了去香山，带上新的手冲壶。",
      source: "log",
      turn: null,
    },
    {
      path: "USER.md",
      start_line: 4,
      end_line: 4,
      score: 0.7,
      sure: true,
      superseded: false,
      heading: "",
      snippet: "喜欢：爬山、手冲咖啡，周末常去香山。",
      source: "profile",
      turn: null,
    },
    {
      path: "conversations/c1.jsonl",
      start_line: 4,
      end_line: 4,
      score: 0.6,
      sure: true,
      superseded: false,
      heading: "",
      snippet: "那我们就去香山吧！",
      source: "conversation",
      turn: "t1",
    },
  ];
  memory.due = [
    {
      file: day("2026-11-18"),
      line: 3,
      due: "2026-11-20",
      text: "交房租，别忘了截图发给房东",
      overdue: true,
      at: "",
      repeats: "",
    },
    {
      file: day("2026-11-19"),
      line: 7,
      due: "2026-11-21",
      text: "Call grandma",
      overdue: false,
      at: "18:30",
      repeats: "every Saturday",
    },
  ];
  memory.coming = [
    {
      file: day("2026-11-19"),
      line: 11,
      due: "2026-12-24",
      text: "给妈妈挑礼物",
      overdue: false,
      at: "",
      repeats: "",
    },
  ];
  memory.pets = [
    { id: "bun", name: core.app.pet_name, current: true, beside: false, conversations: 12, changed_at: NOW },
    {
      id: "pip",
      name: "Pip, the one with the very long and rather noble name",
      current: false,
      beside: false,
      conversations: 3,
      changed_at: NOW,
    },
    { id: "cloud", name: "云朵☁️", current: false, beside: false, conversations: 0, changed_at: "" },
  ];
  memory.dressed.set("pip", drawnCat());
  memory.skills = [
    { name: "morning-plan", description: "How to plan a calm morning together.", origin: "pet", problem: "" },
    { name: "recipes", description: "", origin: "shared", problem: "no_description" },
  ];
  const [mine, theirs] = [
    "# Memory\n\n- We met in March.\n- Xiangshan in autumn.\n- Same.\n",
    "# Memory\n\n- We met in March.\n- Xiangshan in autumn, with the new kettle.\n- Grandma's recipe.\n- Same.\n",
  ];
  memory.copies = [
    {
      info: {
        copy: "MEMORY.sync-conflict-20261120-081112-ABCDEFG.md",
        file: "MEMORY.md",
        at: "2026-11-20T08:11:12+08:00",
        program: "Syncthing",
      },
      file: fileView("MEMORY.md", mine),
      text: theirs,
      merged: theirs,
    },
  ];
  const unheaded = { time: "", category: "" };
  memory.forgets = {
    text: "香山",
    goes: [
      {
        where: "log",
        path: day("2026-11-03"),
        start_line: 5,
        end_line: 7,
        text: "主人想等叶子红了去香山，带上新的手冲壶。",
        time: "20:14:02",
        category: "event",
      },
      {
        where: "file",
        path: "MEMORY.md",
        start_line: 3,
        end_line: 3,
        text: "- 十月一起计划了秋天的爬山，目标是香山。",
        ...unheaded,
      },
      {
        where: "history",
        path: "MEMORY.md",
        start_line: 3,
        end_line: 3,
        text: "- 十月一起计划了秋天的爬山，目标是香山。",
        ...unheaded,
      },
      {
        where: "recall",
        path: "conversations/c1.jsonl",
        start_line: 0,
        end_line: 0,
        text: "2026-11-03: 主人想等叶子红了去香山",
        ...unheaded,
      },
    ],
    stays: [
      {
        where: "said",
        path: "conversations/c1.jsonl",
        start_line: 0,
        end_line: 0,
        text: "那我们就去香山吧！",
        ...unheaded,
      },
    ],
  };
}

const LOG = [
  entry(3, "主人想等叶子红了去香山，带上新的手冲壶。", { heading: "event", time: "20:14:02" }),
  entry(7, "周五交房租，截图发给房东。", { heading: "todo", time: "20:31:40", due: "2026-11-27", state: "open" }),
  entry(11, "Likes the window open at night, even in November.", { heading: "preference", time: "22:05:10" }),
  entry(15, "换好了厨房的灯泡。", { heading: "todo", time: "22:40:00", due: "2026-11-20", state: "done" }),
  entry(19, "Listened to the rain for a while.", { heading: "weather", time: "23:10:00" }),
];

/** A PNG skin that is not ours: the page draws no other images of the core. */
function drawnCat(): string {
  const canvas = document.createElement("canvas");
  canvas.width = 192;
  canvas.height = 208;
  const pen = canvas.getContext("2d");
  if (!pen) return "";
  const blob = (colour: string, outline: string) => {
    pen.fillStyle = colour;
    pen.fill(new Path2D(outline));
  };
  blob("#7d8fc4", "M46 92 L52 34 L92 66 L102 66 L142 34 L148 92 A62 54 0 1 1 46 92Z");
  blob("#7d8fc4", "M58 140 Q97 118 136 140 L148 200 L46 200Z");
  blob("#f4efe6", "M74 168 Q97 150 120 168 L122 200 L72 200Z");
  blob("#2c2f48", "M68 106 a8 10 0 1 0 16 0 a8 10 0 1 0 -16 0 M112 106 a8 10 0 1 0 16 0 a8 10 0 1 0 -16 0");
  return canvas.toDataURL("image/png");
}

"""What other programs know of the owner of the gallery's home, laid out as they keep it, in both languages."""

# ruff: noqa: E501  (texts as they stand in files)

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.gallery.home.drawn import landscape
from pet.extras.imports.card import png_with
from pet.i18n import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    soul: str
    user: str
    memory: str
    days: dict[str, str]
    talks: tuple[tuple[str, str, str], ...]  # title, question, answer
    card: dict[str, str]
    pasted: str


_KNOWN: dict[Language, _Known] = {
    "en": _Known(
        soul="# Who you are\n\nBe genuinely helpful, not performatively helpful.\n\n- Have opinions.\n- Look it up before you ask.\n",
        user="# About your human\n\n- Name: Lin\n- Draws maps, mostly mornings\n- Timezone: Europe/Berlin\n",
        memory="# Long-term memory\n\n- Lin's sister Mara visits in June\n- The bicycle is at Otto's workshop\n- Prefers trains to planes\n",
        days={
            "2026-02-12": "# 2026-02-12\n\n## 2:15 PM - The map of the harbour\n\nSent the second draft. Waiting for Jonas.\n",
            "2026-02-13": "# 2026-02-13\n\n- Jonas liked it. Two colours to change.\n- Dinner with Mara moved to Sunday.\n",
            "2026-03-01": "# 2026-03-01\n\nFirst crocus on the balcony.\n",
        },
        talks=(
            (
                "Train to Trieste",
                "Which trains go to Trieste overnight?",
                "By Villach there is one that leaves at nine.",
            ),
            ("A name for the map", "What could I call a map of sounds?", "An atlas of listening, perhaps."),
            ("Hazelnut allergy", "What can I bake without hazelnuts?", "An almond cake, if almonds are fine."),
            ("Old film cameras", "Is this lens from the sixties?", "The engraving says so."),
        ),
        card={
            "name": "Pim",
            "description": "{{char}} is a lighthouse keeper of few words.",
            "personality": "patient, dry, kind to gulls",
            "scenario": "An evening in the lamp room.",
            "first_mes": "You're late. The soup isn't.",
        },
        pasted="[2025-08-02] - Is allergic to hazelnuts\n[2025-09-14] - Draws maps for a living\n- Prefers window seats\n- Reads one novel at a time",
    ),
    "zh": _Known(
        soul="# 你是谁\n\n真心帮忙，不做样子。\n\n- 要有自己的看法。\n- 先自己查，再来问。\n",
        user="# 关于你的人\n\n- 名字：小林\n- 画地图，多半在早上\n- 时区：Asia/Shanghai\n",
        memory="# 长期记忆\n\n- 小林的姐姐六月来\n- 自行车在老周的铺子里修\n- 能坐火车就不坐飞机\n",
        days={
            "2026-02-12": "# 2026-02-12\n\n## 14:15 港口地图\n\n第二稿发出去了，等老周回话。\n",
            "2026-02-13": "# 2026-02-13\n\n- 老周喜欢，只改两处颜色。\n- 和姐姐的晚饭改到周日。\n",
            "2026-03-01": "# 2026-03-01\n\n阳台上开了第一朵番红花。\n",
        },
        talks=(
            ("去大理的火车", "有没有夜里到大理的火车？", "有一班晚上九点发车的卧铺。"),
            ("给地图起名", "一张声音的地图叫什么好？", "也许叫《听见的地方》。"),
            ("榛子过敏", "不放榛子能烤什么？", "能吃杏仁的话，烤杏仁蛋糕。"),
            ("老胶片相机", "这个镜头是六十年代的吗？", "上面的刻字是这么说的。"),
        ),
        card={
            "name": "老灯",
            "description": "{{char}}是个话不多的守灯塔人。",
            "personality": "有耐心，嘴上不饶人，对海鸥很好",
            "scenario": "灯室里的一个晚上。",
            "first_mes": "你来晚了，汤还热着。",
        },
        pasted="[2025-08-02] - 对榛子过敏\n[2025-09-14] - 靠画地图谋生\n- 坐车喜欢靠窗\n- 一次只读一本小说",
    ),
}


def pasted(language: Language) -> str:
    return _KNOWN[language].pasted


def workspace(folder: Path, language: Language) -> Path:
    known = _KNOWN[language]
    files = {"SOUL.md": known.soul, "USER.md": known.user, "MEMORY.md": known.memory, "AGENTS.md": "# Agents\n"}
    files |= {f"memory/{day}.md": text for day, text in known.days.items()} | {"memory/ideas.md": "- later\n"}
    for name, text in files.items():
        file = folder / "workspace" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder / "workspace"


def chats(folder: Path, language: Language) -> Path:
    talks = _KNOWN[language].talks
    made = [_conversation(at, *talk) for at, talk in enumerate(talks)]
    file = folder / "chatgpt-export.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps(made))
    return file


def claude(folder: Path, language: Language) -> Path:
    known = _KNOWN[language]
    made = [
        {
            "uuid": str(at),
            "name": title,
            "created_at": f"2026-01-{at + 5:02}T19:00:00Z",
            "chat_messages": [
                {"sender": "human", "text": question, "created_at": f"2026-01-{at + 5:02}T19:00:00Z"},
                {"sender": "assistant", "text": answer, "created_at": f"2026-01-{at + 5:02}T19:00:09Z"},
            ],
        }
        for at, (title, question, answer) in enumerate(known.talks[:3])
    ]
    file = folder / "claude-export.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", json.dumps(made))
        archive.writestr("memories.json", json.dumps([{"conversations_memory": known.memory.partition("\n\n")[2]}]))
    return file


def tavern(folder: Path, language: Language) -> Path:
    card = _KNOWN[language].card
    chats = folder / "Pim"  # typed into a dialog, so in letters that a keyboard has
    chats.mkdir()
    head = {"user_name": "Lin", "character_name": card["name"], "chat_metadata": {}}
    for at, (_, question, answer) in enumerate(_KNOWN[language].talks):
        day = f"2026-02-{at + 2:02}T19:00:00Z"
        lines: list[dict[str, Any]] = [
            head,
            {"name": card["name"], "is_user": False, "mes": card["first_mes"], "send_date": day},
            {"name": "Lin", "is_user": True, "mes": question, "send_date": day},
            {"name": card["name"], "is_user": False, "mes": answer, "send_date": day},
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (chats / f"{card['name']} - {day[:10]}.jsonl").write_text(text, encoding="utf-8")
    picture = io.BytesIO()
    landscape((96, 96), dark=False).save(picture, "PNG")
    raw = {"spec": "chara_card_v2", "spec_version": "2.0", "data": card}
    (chats / f"{card['name']}.png").write_bytes(png_with(picture.getvalue(), {b"chara": raw}))
    return chats


def _conversation(at: int, title: str, question: str, answer: str) -> dict[str, Any]:
    start = 1_770_000_000 + at * 200_000
    said = [("user", question), ("assistant", answer)] * (2 + at)
    mapping: dict[str, Any] = {}
    for place, (role, text) in enumerate(said):
        mapping[str(place)] = {
            "parent": str(place - 1) if place else None,
            "message": {
                "author": {"role": role},
                "create_time": start + place * 60,
                "content": {"content_type": "text", "parts": [text]},
            },
        }
    return {
        "id": str(at),
        "title": title,
        "create_time": start,
        "mapping": mapping,
        "current_node": str(len(said) - 1),
    }

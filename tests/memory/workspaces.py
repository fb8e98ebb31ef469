"""Workspaces for the tests of memory: a few days of two languages, and many days of nothing much."""

from __future__ import annotations

import random
from datetime import date, time, timedelta
from pathlib import Path

from pet.memory.store.daily_log import append_entry, render_entry

TODAY = date(2026, 11, 21)  # a Saturday

SAID = {
    "2026-11-17": ["Owner: I painted a sunrise over the lake.", "Pet: That sounds lovely! What colours did you use?"],
    "2026-11-10": ["主人：我去云台山爬山，吃的都没了，一个陌生女孩分给我食物。", "宠物：真是个好人！"],
    "2026-11-18": ["主人：今天我买了一条红色的连衣裙。", "主人：晚上吃了清蒸鲈鱼，配西兰花。"],
    "2026-03-05": ["Owner: My sister Anna is getting married in Lisbon.", "Owner: The wedding cake will be lemon."],
}


def log(workspace: Path, day: str, texts: list[str], category: str = "general") -> Path:
    """Write a daily log as the app does."""
    written = ""
    for minute, text in enumerate(texts):
        entry = render_entry(text, at=time(9, minute % 60, minute // 60), category=category)
        written = append_entry(written, entry, date.fromisoformat(day))
    file = workspace / "memory" / f"{day}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(written.encode())
    return file


def few_days(workspace: Path) -> Path:
    for day, texts in SAID.items():
        log(workspace, day, texts)
    (workspace / "USER.md").write_text("# About you\n\n- Name: Lin\n- Allergic to peanuts\n", encoding="utf-8")
    (workspace / "MEMORY.md").write_text(
        "# Memory\n\n## Promises\n\n- We water the ficus on Sundays.\n- 答应过每周给奶奶打电话。\n", encoding="utf-8"
    )
    return workspace


def many_days(workspace: Path, days: int, a_day: int, seed: int = 1) -> Path:
    """Days of made-up words up to 2020, the same in every run."""
    chance = random.Random(seed)
    words = ["".join(chance.choice("bdfgklmnprst") + chance.choice("aeiou") for _ in range(3)) for _ in range(3_000)]
    for number in range(days):
        day = date(2020, 1, 1) - timedelta(days - number)
        log(workspace, day.isoformat(), [" ".join(chance.choices(words, k=12)) for _ in range(a_day)])
    return workspace

"""Scenes of "What I know about you" with few, some and very many entries."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import date, timedelta

from playwright.sync_api import expect

from lab.gallery.scenes.settings import PART, SIZE
from lab.gallery.scenes.table import Played, scene
from lab.gallery.studio.stage import Stage
from pet.i18n import Language

_LAST = date(2026, 11, 20)
_FEW = {
    "en": ("Name: Robin", "Lives in Tromsø", "Likes hill walks"),
    "zh": ("名字：阿宁", "住在杭州", "喜欢爬山"),
}
_FACTS = {
    "en": (
        "Works as a nurse at the harbour clinic",
        "Sister Mira plays the viola",
        "Prefers short answers",
        "Allergic to hazelnuts",
        "Likes {thing}",
        "Plans to learn {thing} next year",
        "Friend Jonas moved to Bergen",
        "Doesn't like crowded trains",
    ),
    "zh": (
        "在港口诊所当护士",
        "妹妹小米拉中提琴",
        "希望回答短一点",
        "对榛子过敏",
        "喜欢{thing}",
        "打算明年学{thing}",
        "朋友老周搬到了宁波",
        "不喜欢拥挤的地铁",
    ),
}
_THINGS = {
    "en": ("cold swims", "pour-over coffee", "old maps", "rye bread", "night ferries", "card games", "woodcuts"),
    "zh": ("冬泳", "手冲咖啡", "老地图", "黑麦面包", "夜渡船", "纸牌", "木刻"),
}
_EVENTS = {
    "en": (
        "Walked to the lighthouse with {thing} on my mind, {count} km",
        "Talked about {thing}, for {count} minutes",
    ),
    "zh": ("走到灯塔，一路想着{thing}，{count} 公里", "聊了 {count} 分钟{thing}"),
}


def _profile(language: Language, count: int) -> str:
    key = "zh" if language == "zh" else "en"
    facts, things = _FACTS[key], _THINGS[key]
    rows = [fact.format(thing=thing) for thing in things for fact in facts]
    lines = [*_FEW[key], *dict.fromkeys(rows)][:count]
    return "# USER\n\n" + "".join(f"- {each}\n" for each in lines)


def _logs(language: Language, count: int) -> dict[str, str]:
    """Logs with so many entries in all, a hundred a day."""
    key = "zh" if language == "zh" else "en"
    events, things = _EVENTS[key], _THINGS[key]
    logs: dict[str, str] = {}
    for day in range((count + 99) // 100):
        name = (_LAST - timedelta(days=day)).isoformat()
        entries = (
            f"\n## [{at // 60 + 8:02}:{at % 60:02}:00] event\n\n"
            f"{events[at % 2].format(thing=things[(at + day) % len(things)], count=100 * day + at)}\n"
            for at in range(min(100, count - 100 * day))
        )
        logs[f"memory/{name}.md"] = f"# Memory Log: {name}\n" + "".join(entries)
    return logs


@contextlib.contextmanager
def _remembered(stage: Stage, profile: int, logged: int) -> Iterator[None]:
    """The pet's files with so many entries, for the time of a scene."""
    assert stage.furnished
    root, language = stage.furnished.root, stage.words.language
    kept = {path: path.read_bytes() for path in (root / "USER.md", root / "MEMORY.md", *root.glob("memory/*.md"))}
    written = {"USER.md": _profile(language, profile), "MEMORY.md": "# MEMORY\n", **_logs(language, logged)}
    try:
        for path in kept:
            path.unlink()
        for name, text in written.items():
            (root / name).write_text(text, encoding="utf-8")
        yield
    finally:
        for name in written:
            (root / name).unlink(missing_ok=True)
        for path, data in kept.items():
            path.write_bytes(data)


def _page(stage: Stage, profile: int, logged: int) -> Played:
    with _remembered(stage, profile, logged):
        stage.open_chat(*SIZE)
        stage.show_settings("ui.section.us")
        expect(stage.page.locator(".about-owner .statement").nth(2)).to_be_visible()
        yield None


@scene("about-few", PART, "What it knows about you: three sentences.", stored=False)
def few(stage: Stage) -> Played:
    yield from _page(stage, 3, 0)


@scene("about", PART, "What it knows about you, as sentences in groups; each says where it comes from.")
def some(stage: Stage) -> Played:
    yield from _page(stage, 24, 36)


@scene("about-many", PART, "What it knows about you: three thousand sentences.", stored=False)
def many(stage: Stage) -> Played:
    with contextlib.contextmanager(_page)(stage, 24, 2_976):
        stage.page.locator(".statements").last.locator("h4").evaluate("(it) => it.scrollIntoView()")
        yield None

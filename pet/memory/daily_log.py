"""The format of a daily log, text to entries and entry to text; pure.

Owns the two kinds of headings. Refuses to judge: an unknown category is kept as it is, text under no heading is an
entry without a time, and nothing in a log is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Literal

from pet.i18n import is_chinese
from pet.memory.schedule.due_words import parse_plan
from pet.memory.schedule.repetition import Repeat, plan_text
from pet.text.lazy_pattern import lazy_pattern

TASK = "todo"
"""The category of what is to be done, and of what is noted with a day and under no category."""
CATEGORIES: tuple[str, ...] = ("preference", "fact", "decision", TASK, "person", "event", "general")
"""What the pet is offered; others, written by hand or by an older version, are kept."""

Who = Literal["owner", "pet"]
"""Who said what is noted."""

_LABELLED = lazy_pattern(r"(?:主人|宠物|owner|pet|user|assistant)\s?[:：]", re.IGNORECASE)
_OWNER_SAID = lazy_pattern(r"(?:主人|owner)\s?[:：]\s*(?=\S)", re.IGNORECASE)
_ENTRY = lazy_pattern(
    r"##[ \t]+\[(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?\]"
    r"[ \t]*(?P<category>[^@]*?)(?:[ \t]+\((?P<plan>[^()@]{1,120})\)(?=[ \t]*@))?"
    r"(?:[ \t]*@(?P<due>[0-9]{4}-[0-9]{2}-[0-9]{2}))?"
    r"(?:[ \t]+\(was (?P<first>[0-9]{4}-[0-9]{2}-[0-9]{2})\))?"
    r"(?P<done>[ \t]*[\u2713\u2714](?:[ \t]?(?P<done_on>[0-9]{4}-[0-9]{2}-[0-9]{2}))?)?[ \t]*"
)
_LONGEST_HEADING = 300  # the pattern takes quadratic time on blanks
_TITLE = lazy_pattern(r"#[ \t]+Memory Log:.*")
_HEADING_LIKE = lazy_pattern(r"^(?=#{1,2}[ \t])", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One thing noted. Lines are 1-based and inclusive and hold the text, not its heading.

    A todo that was put off keeps its first day in ``first``; one that is done has a check mark in its heading. In
    brackets before its day stand its time and its series, as ``due_words.parse_plan`` reads them; other words there
    belong to the category, as they do to versions of the program that know only days.
    """

    start_line: int
    end_line: int
    at: time | None
    category: str
    due: date | None
    text: str
    first: date | None = None
    done: bool = False
    done_on: date | None = None
    heading_line: int = 0  # 0: it has none
    due_at: time | None = None
    repeat: Repeat | None = None


def parse_log(lines: Sequence[str], first_line: int = 1) -> Iterator[LogEntry]:
    """The entries of a log, in the order they stand there. Headings without text under them are left out."""
    heading: re.Match[str] | None = None
    body: list[str] = []
    body_line = first_line
    for number, line in enumerate(lines, first_line):
        found = _ENTRY.fullmatch(line) if line.startswith("##") and len(line) <= _LONGEST_HEADING else None
        if found is None and not (line.startswith("#") and _TITLE.fullmatch(line)):
            body.append(line)
            continue
        yield from _entry(heading, body, body_line)
        heading, body, body_line = found, [], number + 1
    yield from _entry(heading, body, body_line)


def render_title(day: date) -> str:
    """The first line of a new log."""
    return f"# Memory Log: {day.isoformat()}\n"


def render_entry(
    text: str,
    *,
    at: time,
    category: str = "general",
    due: date | None = None,
    due_at: time | None = None,
    repeat: Repeat | None = None,
) -> str:
    """One entry as it is written. Lines of ``text`` that would read as a heading are escaped the Markdown way, so
    that nothing said can pass for an entry of its own."""
    mark = due_mark(due, due_at, repeat) if due else ""
    return f"## [{at.strftime('%H:%M:%S')}] {_one_word(category)}{mark}\n\n{entry_body(text)}\n"


def due_mark(day: date, at: time | None = None, repeat: Repeat | None = None) -> str:
    """When an entry is due, as it stands in its heading: `` (every Monday at 15:00) @2026-03-02``."""
    plan = plan_text(at, repeat)
    return f" ({plan}) @{day.isoformat()}" if plan else f" @{day.isoformat()}"


def done_mark(entry: LogEntry) -> str:
    """The check mark and the day of an entry that is done, as in its heading: `` ✓ 2026-03-02``; else ""."""
    if not entry.done:
        return ""
    return f" \u2713 {entry.done_on.isoformat()}" if entry.done_on else " \u2713"


def entry_body(text: str) -> str:
    """The text of an entry as it stands in the log."""
    return _HEADING_LIKE.sub(r"\\", text.replace("\r\n", "\n").replace("\r", "\n").strip())


def add_speaker(text: str, who: Who) -> str:
    """What is noted with who said it in front, in the language of the text; as it is where it names someone so."""
    text = text.strip()
    if _LABELLED.match(text):
        return text
    owner, pet, colon = ("主人", "宠物", "：") if is_chinese(text) else ("Owner", "Pet", ": ")
    return f"{owner if who == 'owner' else pet}{colon}{text}"


def strip_speaker(text: str) -> str:
    """What was noted, without who said it; as it is where that is all."""
    text = text.strip()
    said = _LABELLED.sub("", text, count=1).strip() if _LABELLED.match(text) else text
    return said or text


def strip_owner(text: str) -> str:
    """What was noted, without the label that says the owner said it, as ``add_speaker`` or a hand wrote it; what
    others said keeps theirs."""
    text = text.strip()
    return text[found.end() :] if (found := _OWNER_SAID.match(text)) else text


def noted(log: str, entry: str) -> bool:
    """Whether the log has an entry of the very words and moment of this one, as ``render_entry`` made it."""
    wanted = next(parse_log(entry.split("\n")), None)
    return wanted is not None and any(
        each.text == wanted.text and _when(each) == _when(wanted)
        for each in parse_log(log.split("\n"))
        if not each.done
    )


def append_entry(log: str, entry: str, day: date) -> str:
    """The log with the entry after all that is there; ``log`` is empty for a new day."""
    before = log.rstrip("\n") + "\n" if log.strip() else render_title(day)
    return f"{before}\n{entry}"


def _entry(heading: re.Match[str] | None, body: list[str], first: int) -> Iterator[LogEntry]:
    filled = [number for number, line in enumerate(body) if line.strip()]
    if not filled:
        return
    start, end = filled[0], filled[-1]
    due = iso_day(heading["due"]) if heading else None
    plan = parse_plan(heading["plan"], due) if heading and heading["plan"] and due else None
    category = heading["category"] if heading else ""
    yield LogEntry(
        start_line=first + start,
        end_line=first + end,
        at=_time(heading) if heading else None,
        category=f"{category} ({heading['plan']})" if heading and heading["plan"] and plan is None else category,
        due=due,
        text="\n".join(body[start : end + 1]),
        first=iso_day(heading["first"]) if heading else None,
        done=bool(heading and heading["done"]),
        done_on=iso_day(heading["done_on"]) if heading else None,
        heading_line=first - 1 if heading else 0,
        due_at=plan[0] if plan else None,
        repeat=plan[1] if plan else None,
    )


def _when(entry: LogEntry) -> tuple[object, ...]:
    return entry.due, entry.due_at, entry.repeat


def _time(heading: re.Match[str]) -> time | None:
    try:
        return time(int(heading["hour"]), int(heading["minute"]), int(heading["second"] or 0))
    except ValueError:
        return None


def log_day(name: str) -> date | None:
    """The day of a daily log, by its file's name; None for other files."""
    return iso_day(name.rpartition("/")[2].removesuffix(".md"))


def iso_day(text: str | None) -> date | None:
    """The day written as YYYY-MM-DD; None for other words, and for a day that no calendar has."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def _one_word(category: str) -> str:
    return re.sub(r"[\s@\[\]#]+", "-", category.strip()).strip("-") or "general"

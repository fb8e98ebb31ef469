"""The recent days of a prompt's context: the last days that have a log, a little of each; pure.

Owns which days and which of their entries. Refuses to read files: their texts are handed in by whoever asked the
gate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pet.memory.daily_log import LogEntry, done_mark, due_mark, parse_log
from pet.workspace.text.encoded_text import normalize_newlines

_CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentDay:
    """``text``: the newest entries of a day in the order they were noted, a mark where earlier ones are left out.
    ``file``: where all of it stands."""

    file: str
    text: str


def recent_days(logs: Mapping[str, str], *, days: int, characters: int) -> list[RecentDay]:
    """The last ``days`` of these daily logs (texts by name) that have entries, oldest first. Each has at most
    ``characters``."""
    found: list[RecentDay] = []
    for name in sorted(logs, reverse=True):
        entries = list(parse_log(normalize_newlines(logs[name]).split("\n")))
        if entries and len(found) < days:
            found.append(RecentDay(file=name, text=_newest(entries, characters)))
    return found[::-1]


def _newest(entries: list[LogEntry], room: int) -> str:
    """Whole entries from the last one back, as many as there is room for; a single one too long is cut."""
    kept: list[str] = []
    left = room
    for entry in reversed(entries):
        text = _line(entry)
        marks = len(_CUT) + 1 if len(kept) < len(entries) - 1 else 0  # room to say that something is left out
        if len(text) + marks > left:
            break
        kept.append(text)
        left -= len(text) + 1
    if not kept:
        last = _line(entries[-1])
        lead = f"{_CUT}\n" if len(entries) > 1 else ""
        return lead + last[: room - len(lead) - len(_CUT)].rstrip() + _CUT
    if len(kept) < len(entries):
        kept.append(_CUT)
    return "\n".join(reversed(kept))


def _line(entry: LogEntry) -> str:
    """``[14:30] todo (at 15:00) @2026-03-01 ✓ 2026-03-01: text``, without what the entry doesn't have."""
    time = f"[{entry.at.strftime('%H:%M')}] " if entry.at else ""
    due = due_mark(entry.due, entry.due_at, entry.repeat) if entry.due else ""
    head = f"{time}{entry.category}{due}{done_mark(entry)}".strip()
    return f"{head}: {entry.text}" if head else entry.text

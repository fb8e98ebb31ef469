"""The last days that have a log, shortened for the prompt; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pet.memory.daily_log import LogEntry, done_mark, due_mark, parse_log
from pet.workspace.text.encoded_text import normalize_newlines

_CUT = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentDay:
    """``text``: the newest entries of a day in order, with a mark where earlier ones are left out. ``file``: its
    log."""

    file: str
    text: str


def recent_days(logs: Mapping[str, str], *, days: int, characters: int) -> list[RecentDay]:
    """Return the last ``days`` logs (texts by name) that have entries, oldest first, each at most ``characters``
    long."""
    recent: list[RecentDay] = []
    for name in sorted(logs, reverse=True):
        entries = list(parse_log(normalize_newlines(logs[name]).split("\n")))
        if entries and len(recent) < days:
            recent.append(RecentDay(file=name, text=_newest(entries, characters)))
    return recent[::-1]


def _newest(entries: list[LogEntry], room: int) -> str:
    """Return as many whole entries from the end as fit in ``room``; if none fits, the last one cut."""
    kept: list[str] = []
    left = room
    for entry in reversed(entries):
        text = _line(entry)
        marks = len(_CUT) + 1 if len(kept) < len(entries) - 1 else 0  # room for the mark of an omission
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
    """Return ``[14:30] todo (at 15:00) @2026-03-01 ✓ 2026-03-01: text``, without missing parts."""
    clock = f"[{entry.at.strftime('%H:%M')}] " if entry.at else ""
    due = due_mark(entry.due, entry.due_at, entry.repeat) if entry.due else ""
    head = f"{clock}{entry.category}{due}{done_mark(entry)}".strip()
    return f"{head}: {entry.text}" if head else entry.text

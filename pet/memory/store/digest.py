"""Short views of the memory files: entries in a receipt, recent days in a prompt, counts for the owner; read-only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from pet.language.labels import strip_speaker, strip_stamps
from pet.language.redaction import redact
from pet.memory.store.about_owner import statements
from pet.memory.store.daily_log import LogEntry, done_mark, due_mark, parse_log, read_log
from pet.memory.store.split_entries import is_unfilled, split_earlier, whole_entries, without_mark
from pet.model import CoreFile, NotedText, Present
from pet.workspace.file_names import kind_of
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import normalize_newlines

MAX_ITEMS = 8
MAX_CHARACTERS = 160
_STYLE = re.compile(r"\*\*|__|`")


def noted_entries(name: str, before: str, after: str) -> tuple[NotedText, ...]:
    """Return the entries in ``after`` that are not in ``before``, at most ``MAX_ITEMS``; of USER.md as sentences to
    the owner."""
    if kind_of(name) is None:
        return ()
    old = {entry.text for entry in whole_entries(name, _lines(before))}
    new = [entry for entry in whole_entries(name, _lines(after)) if entry.text not in old]
    wordings = (
        {each.start_line: each.sentence for each in statements(name, normalize_newlines(after))}
        if name == CoreFile.USER
        else {}
    )
    return tuple(
        noted_text(wordings.get(entry.start_line, entry.text), entry.due)
        for entry in new
        if not is_unfilled(entry.text)
    )[:MAX_ITEMS]


def noted_text(text: str, due: date | None = None, *, at: str = "", repeats: str = "") -> NotedText:
    """Return an entry as one line without list mark, speaker, emphasis and date stamp, secrets masked."""
    words, earlier = map(all_words, split_earlier(redact(text).text))
    whole = max(len(words), len(earlier)) <= MAX_CHARACTERS  # the owner sees all that would replace, and be replaced
    day = due.isoformat() if due else ""
    return NotedText(text=_cut(words), due=day, at=at, repeats=repeats, earlier=earlier if whole else "")


def plain_words(text: str) -> str:
    """Return an entry's words as one line of at most ``MAX_CHARACTERS``, without marks and date stamp."""
    return _cut(all_words(text))


def all_words(text: str) -> str:
    """Return an entry's words as one line, without marks and date stamp."""
    words = " ".join(strip_speaker(without_mark(text)).split())
    return _STYLE.sub("", strip_stamps(words)).strip() or words


def plain_note(text: str) -> str:
    """Return the note without its author and its date; unchanged if nothing else is in it.

    >>> plain_note("Owner: water the ferns (by 2026-11-30)")
    'water the ferns'
    """
    return strip_stamps(strip_speaker(text)).strip() or text


def _cut(words: str) -> str:
    return words if len(words) <= MAX_CHARACTERS else words[: MAX_CHARACTERS - 1].rstrip() + "…"


def _lines(text: str) -> list[str]:
    return normalize_newlines(text).split("\n")


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
        entries = list(read_log(logs[name]))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    characters: int
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOverview:
    """Counts of the memory files. ``first`` and ``last``: days as YYYY-MM-DD, "" without a log. Missing or unreadable
    files count as empty."""

    files: dict[str, Amount]
    days: int
    first: str
    last: str
    logs: Amount


def memory_overview(store: WorkspaceStore) -> MemoryOverview:
    """Count the entries and characters of all memory files."""
    names = store.log_names()
    logs = [_amount(store, name) for name in names]
    days = [name.rpartition("/")[2].removesuffix(".md") for name in names]
    return MemoryOverview(
        files={str(name): _amount(store, name) for name in (CoreFile.USER, CoreFile.MEMORY)},
        days=len(days),
        first=days[0] if days else "",
        last=days[-1] if days else "",
        logs=Amount(characters=sum(each.characters for each in logs), entries=sum(each.entries for each in logs)),
    )


def _amount(store: WorkspaceStore, name: str) -> Amount:
    state = store.read(name)
    if not isinstance(state, Present):
        return Amount(characters=0, entries=0)
    lines = normalize_newlines(state.text).split("\n")
    if name in tuple(CoreFile):
        texts = [each.text for each in whole_entries(name, lines)]
    else:
        texts = [each.text for each in parse_log(lines)]
    return Amount(characters=len(state.text), entries=sum(not is_unfilled(text) for text in texts))

"""The archive of notes that were of no use for a year: which are offered, and how they move to its file; pure.

``memory/archive.md`` is a log of many days: each entry with its heading, under the title of the day it was noted on.
Search finds it as it finds logs. Nothing moves by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby

from pet.memory.about_owner import Statement
from pet.memory.daily_log import fact_key, log_day, parse_log, render_title

AGE = timedelta(days=365)
MOST = 200
"""Entries that move at once."""
_KEPT = ("health", "people", "plans")  # groups that are never offered


def offered(
    logged: Iterable[Statement], unused: Callable[[Iterable[str]], set[str]], core: Iterable[Statement], today: date
) -> list[Statement]:
    """Return the entries of daily logs to offer, oldest first: older than a year and of no use since.

    Left out: plans and open reminders, health and people, and what USER.md or MEMORY.md say as well, since that is
    sent. ``unused``: returns those of the texts that were of no use for a year.
    """
    sent = {fact_key(each.sentence) for each in core}
    old = [
        each
        for each in logged
        if each.day
        and today - each.day > AGE
        and each.group not in _KEPT
        and not (each.due and each.due > today - AGE)
        and fact_key(each.sentence) not in sent
    ]
    names = unused([each.text for each in old])
    return sorted((each for each in old if each.text in names), key=lambda each: (each.file, each.start_line))


def split_off(text: str, entries: Sequence[Statement]) -> tuple[str, str]:
    """Return a log without the entries that are still there, and those as a part of the archive; "" for none."""
    lines = text.split("\n")
    headings = {each.start_line: each.heading_line for each in parse_log(lines)}
    parts: list[str] = []
    gone: set[int] = set()
    for each in entries:
        body = lines[each.start_line - 1 : each.end_line]
        if each.text not in "\n".join(body):
            continue
        first = headings.get(each.start_line) or each.start_line
        gone.update(range(first, each.end_line + 1))
        if each.end_line < len(lines) and not lines[each.end_line].strip():
            gone.add(each.end_line + 1)
        parts.append("\n".join([*([lines[first - 1], ""] if first < each.start_line else []), *body, ""]))
    rest = [line for number, line in enumerate(lines, 1) if number not in gone]
    return "\n".join(rest), "\n".join(parts)


def with_parts(archive: str, parts: Mapping[str, str]) -> str:
    """Return the archive with parts of logs at its end, each under the title of its day; ``parts`` by log."""
    made = archive.rstrip("\n") + "\n" if archive.strip() else ""
    for name, part in sorted(parts.items()):
        day = log_day(name)
        if part and day:
            made += "\n" * bool(made) + f"{render_title(day)}\n{part}"
    return made


def by_file(entries: Iterable[Statement]) -> dict[str, list[Statement]]:
    """Return the entries by their file."""
    return {name: list(those) for name, those in groupby(entries, key=lambda each: each.file)}

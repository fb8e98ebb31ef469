"""The format of ASIDE.md: entries that the owner doesn't want used, each under the place it came from; pure.

A place is ``## USER.md: Health`` or ``## memory/2026-03-02.md: [10:00:00] fact``, with the entry as it was there.
No access of a model includes the file and the index doesn't read it; the owner may edit it like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from pet.errors import FileConflict
from pet.memory.store.about_owner import Statement, statements
from pet.memory.store.daily_log import append_entry, log_day, parse_log
from pet.memory.store.split_entries import heading_of, whole_entries
from pet.text.lazy_pattern import lazy_pattern
from pet.workspace.file_names import ASIDE, LOG_FOLDER

TITLE = "# Not used\n"
_PLACE = lazy_pattern(r"## (?P<file>USER\.md|MEMORY\.md|memory/\d{4}-\d{2}-\d{2}\.md)(?:: (?P<heading>.*))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """An entry set aside: ``file`` and ``heading`` of its former place, ``body`` as it was there. Lines are those of
    ASIDE.md, 1-based and inclusive, with the place's own line."""

    file: str
    heading: str
    body: str
    start_line: int
    end_line: int


def taken_out(text: str, statement: Statement) -> tuple[str, str]:
    """Return the file's text without the statement's entry, and the section for ASIDE.md. Raises FileConflict if the
    entry is no longer there."""
    lines = text.split("\n")
    if statement not in statements(statement.file, text):
        raise FileConflict(file=statement.file)
    first, last = statement.start_line - 1, statement.end_line
    body, heading = "\n".join(lines[first:last]), ""
    if statement.file.startswith(LOG_FOLDER):
        logged = next((each for each in parse_log(lines) if each.start_line == statement.start_line), None)
        if logged is not None and logged.heading_line:
            first, heading = logged.heading_line - 1, lines[logged.heading_line - 1].lstrip("#").strip()
    else:
        entries = whole_entries(statement.file, lines)
        path = next((each.heading for each in entries if each.start_line == statement.start_line), "")
        heading = path.rpartition(" / ")[2]
    while first and last < len(lines) and not lines[last].strip() and not lines[first - 1].strip():
        last += 1
    place = f"## {statement.file}: {heading}" if heading else f"## {statement.file}"
    return "\n".join([*lines[:first], *lines[last:]]), f"{place}\n\n{body}\n"


def added(aside: str, section: str) -> str:
    """Return ASIDE.md with a section at its end; ``aside`` is "" for a new file."""
    return f"{aside.rstrip() if aside.strip() else TITLE.rstrip()}\n\n{section}"


def asides(text: str) -> list[Aside]:
    """Return the entries of ASIDE.md; anything else in it is the owner's and left alone."""
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith("## ")]
    those: list[Aside] = []
    for start, end in pairwise([*starts, len(lines)]):
        place = _PLACE.fullmatch(lines[start])
        body = "\n".join(lines[start + 1 : end]).strip("\n")
        if place and body.strip():
            last = end - _blank_tail(lines[start + 1 : end])
            heading = place["heading"] or ""
            those.append(Aside(file=place["file"], heading=heading, body=body, start_line=start + 1, end_line=last))
    return those


def without_aside(text: str, aside: Aside) -> str:
    """Return ASIDE.md without a section. Raises FileConflict if it is no longer there."""
    if aside not in asides(text):
        raise FileConflict(file=ASIDE)
    lines = text.split("\n")
    end = aside.end_line
    while end < len(lines) and not lines[end].strip():
        end += 1
    return "\n".join([*lines[: aside.start_line - 1], *lines[end:]])


def used_again(text: str, aside: Aside) -> str:
    """Return the file's text with the entry again: under its heading, or at the end. ``text`` is "" for no file."""
    day = log_day(aside.file)
    if day is not None:
        return append_entry(
            text, f"## {aside.heading}\n\n{aside.body}\n" if aside.heading else f"{aside.body}\n", day
        )
    lines = text.rstrip("\n").split("\n") if text.strip() else []
    place = next(
        (at for at, line in enumerate(lines) if (match := heading_of(line)) and match["title"] == aside.heading),
        None,
    )
    if place is None:
        heading = [f"## {aside.heading}", ""] if aside.heading else []
        return "\n".join([*lines, *([""] if lines else []), *heading, aside.body, ""])
    end = next((at for at in range(place + 1, len(lines)) if heading_of(lines[at])), len(lines))
    while end > place + 1 and not lines[end - 1].strip():
        end -= 1
    gap = [""] if end == place + 1 else []
    return "\n".join([*lines[:end], *gap, aside.body, *lines[end:], ""])


def statement_of(aside: Aside) -> Statement | None:
    """Return the text of an entry in its former place; None for one without words."""
    head = f"## {aside.heading}\n\n" if aside.heading else ""
    return next(iter(statements(aside.file, f"{head}{aside.body}")), None)


def _blank_tail(lines: list[str]) -> int:
    count = 0
    while count < len(lines) and not lines[-1 - count].strip():
        count += 1
    return count

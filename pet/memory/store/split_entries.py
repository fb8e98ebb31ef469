"""Split files into entries: one noted thing, one paragraph or one list item, with its lines; pure.

A note that seems to answer the same question as an older line says so: "We've moved to Bergen (earlier: I live in
Oslo)". Who adds it replaces nothing: the older line stays until the owner replaces it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import accumulate
from typing import TypeVar

from pet.language.labels import EARLIER, strip_owner
from pet.memory.store.daily_log import day_in_path, fact_key, first_day, log_day, log_titles, parse_log, title_days
from pet.text.lazy_pattern import lazy_pattern
from pet.text.markup import blank_unsaid
from pet.text.token_estimate import estimate_tokens
from pet.workspace.file_names import LOG_FOLDER, is_note

MAX_TOKENS = 400
_OVERLAP_TOKENS = 80
_SHORT = 240  # characters, which are sent whole
_LONGEST_LEAD = 200
_PARTS_SHOWN = 2

_HEADING = lazy_pattern(r"#{1,6}[ \t]+(?P<title>.*?)[ \t#]*")
_LONGEST_HEADING = 2_000  # the pattern takes quadratic time on marks
_ITEM = lazy_pattern(r"(?P<indent>[ \t]*)(?:[-*+\u2022]|[0-9]{1,3}[.)])[ \t]+\S")
_NOTHING = lazy_pattern(  # a bare list mark, a field without its value or with a dash for it, comments and rules
    r"[\s\-*+_=.:：>\u00b7\u2013\u2014\u2022\u2023\u25cb\u25cf\u25e6\u30fb]*+"
    r"(?:\[[ xX]?\]|[(\uff08]?[0-9]{1,3}[.)\uff09\u3001\uff0e])?\s*"
    r"|[ \t]*[-*+\u2022][ \t]+[^:：\n]{1,40}[:：][\s*_]*"
    r"|[ \t]*(?:[-*+\u2022][ \t]+)?[^:：\n]{1,40}[:：][ \t*_]*[-\u2013\u2014\u2026?？]+[\s*_]*"
    r"|\s*(?:<!--(?:(?!-->).)*-->\s*)+",
    re.S,
)
LIST_MARK = lazy_pattern(r"^[ \t]*(?:[-*+\u2022]|[0-9]{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
"""With a box to tick."""
_PIECES = lazy_pattern(
    r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]{1,60}|\s"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A unit of search. Lines are 1-based and inclusive; ``heading`` is the heading above, or a log's category;
    ``lead`` the sentence that introduces the list it is an item of."""

    path: str
    start_line: int
    end_line: int
    day: date | None
    due: date | None
    heading: str
    text: str
    turn: str | None = None  # of a conversation
    category: str = ""  # of an utterance; that of a note is its heading's
    lead: str = ""


def split_file(path: str, lines: Sequence[str], first_line: int = 1) -> Iterator[Entry]:
    """Yield the entries of a core file, a daily log or a note in order, each of at most ``MAX_TOKENS``; without front
    matter and embeds."""
    if first_line == 1:
        lines = blank_unsaid(lines)
    for entry in whole_entries(path, lines, first_line):
        for part in _parts(entry):
            if is_unfilled(part.text):
                continue
            if len(part.text) <= MAX_TOKENS:  # a character is a token at most
                yield part
            else:
                yield from split_long(part)


def _parts(entry: Entry) -> Iterator[Entry]:
    """Yield the entry, or what is under each heading within it: the minutes of a meeting are several things."""
    lines = entry.text.split("\n")
    if len(entry.text) <= _SHORT or not any(map(is_heading, lines)):
        yield entry
        return
    for part in _split_prose(entry.path, lines, entry.start_line, entry.day):
        heading = " / ".join(filter(None, (entry.heading, part.heading)))
        yield replace(part, day=entry.day, due=entry.due, heading=heading, category=entry.category)


def whole_entries(path: str, lines: Sequence[str], first_line: int = 1) -> Iterator[Entry]:
    """Yield as ``split_file`` does, but long entries whole and empty ones too, for callers that move or remove
    entries."""
    split = _split_log if path.startswith(f"{LOG_FOLDER}/") else _split_prose
    yield from split(path, lines, first_line)


def is_unfilled(text: str) -> bool:
    """Return whether an entry is an unfilled template line, a rule or a comment."""
    return _NOTHING.fullmatch(text) is not None


def without_mark(text: str) -> str:
    """Return an entry's text without its list mark.

    >>> without_mark("- [x] Water the ferns"), without_mark("1) Rice")
    ('Water the ferns', 'Rice')
    """
    return LIST_MARK.sub("", text, count=1).strip()


def leads(text: str) -> bool:
    """Return whether a text, or a heading's last part, leads to a list."""
    return text.rstrip().endswith((":", "\uff1a"))


def list_heading(heading: str, text: str) -> str:
    """Return the heading of the items that a text leads to; "" if it leads to none.

    >>> list_heading("Trip", "What to pack:"), list_heading("Trip", "It rained.")
    ('Trip / What to pack:', '')
    """
    return " / ".join(filter(None, (heading, text.strip()))) if leads(text) else ""


def shown_heading(heading: str) -> str:
    """Return the last parts of a heading, as shown before an entry.

    >>> shown_heading("Long-term memory / Contacts / Work"), shown_heading("Trip / What to pack:"), shown_heading("")
    ('Contacts / Work: ', 'Trip / What to pack: ', '')
    """
    if not heading:
        return ""
    shown = " / ".join(heading.split(" / ")[-_PARTS_SHOWN:])[-_LONGEST_LEAD:]
    return f"{shown} " if leads(shown) else f"{shown}: "


def found_heading(heading: str) -> str:
    """Return the last parts of a heading, as a search names it.

    >>> found_heading("Long-term memory / Contacts / Work"), found_heading("Trip / What to pack:")
    ('Contacts / Work', 'Trip / What to pack')
    """
    return shown_heading(heading).rstrip(" :\uff1a")


def is_heading(line: str) -> bool:
    """Return whether a line is a heading: "# Health", but not "#1 priority"."""
    return heading_of(line) is not None


def heading_of(line: str) -> re.Match[str] | None:
    """Return the match of a heading, with its ``title``."""
    return _HEADING.fullmatch(line) if line.startswith("#") and len(line) <= _LONGEST_HEADING else None


def _split_log(path: str, lines: Sequence[str], first_line: int) -> Iterator[Entry]:
    day, is_a_note = log_day(path) or day_in_path(path), is_note(path)
    titles = title_days(lines, first_line) if is_a_note else log_titles(lines, first_line) if day is None else []
    for log_entry in parse_log(lines, first_line):
        while titles and titles[0][0] < log_entry.start_line:
            day = titles.pop(0)[1]
        if log_entry.at is None:  # written by hand: an entry for each paragraph or item
            body = lines[log_entry.start_line - first_line : log_entry.end_line - first_line + 1]
            yield from _split_prose(path, body, log_entry.start_line, day, dated=is_a_note)
            continue
        yield Entry(
            path=path,
            start_line=log_entry.start_line,
            end_line=log_entry.end_line,
            day=day,
            due=log_entry.due,
            heading=log_entry.category,
            text=log_entry.text,
        )


def _split_prose(
    path: str, lines: Sequence[str], first_line: int, day: date | None = None, *, dated: bool = False
) -> Iterator[Entry]:
    """``dated``: a day that a heading names is that of the entries under it."""
    titles: dict[int, str] = {}
    block: list[str] = []
    start = first_line
    bare: tuple[int, int, str] | None = None  # level, number and line of a heading with nothing under it yet
    lead = ""
    is_item = False  # of the block that is open

    def close_heading(level: int) -> Iterator[Entry]:
        if bare is not None and level <= bare[0] and day and any(map(str.isalpha, bare[2])):
            yield Entry(
                path=path, start_line=bare[1], end_line=bare[1], day=day, due=None, heading="", text=bare[2].strip()
            )

    def under() -> date | None:
        return next(filter(None, map(first_day, reversed(titles.values()))), None)

    def close() -> Iterator[Entry]:
        nonlocal lead
        if block:
            text = "\n".join(block)
            if not is_item:
                lead = ""
            yield Entry(
                path=path,
                start_line=start,
                end_line=start + len(block) - 1,
                day=(under() if dated else None) or day or first_day(text),
                due=None,
                heading=" / ".join(titles.values()),
                text=text,
                lead=lead,
            )
            if not is_item and text.rstrip().endswith((":", "\uff1a")) and len(text) <= _LONGEST_LEAD:
                lead = text.strip()
            block.clear()

    for number, line in enumerate(lines, first_line):
        heading = heading_of(line)
        if heading or not line.strip():
            yield from close()
        if heading:
            level = len(line) - len(line.lstrip("#"))
            yield from close_heading(level)
            bare, lead = (level, number, line), ""
            titles = {depth: title for depth, title in titles.items() if depth < level} | {level: heading["title"]}
        elif line.strip():
            item = _ITEM.match(line)
            if item and not (block and item["indent"]):  # an indented item belongs to the one above it
                yield from close()
            if not block:
                start, is_item = number, bool(item)
            block.append(line)
            bare = None
    yield from close()
    yield from close_heading(0)


def split_long(entry: Entry) -> Iterator[Entry]:
    """Yield the entry, or pieces of at most ``MAX_TOKENS`` that overlap by at most ``_OVERLAP_TOKENS``."""
    if estimate_tokens(entry.text) <= MAX_TOKENS:
        yield entry
        return
    pieces = _PIECES.findall(entry.text)
    costs = [estimate_tokens(piece) for piece in pieces]
    line_of = list(accumulate((piece == "\n" for piece in pieces), initial=entry.start_line))
    begin = 0
    while begin < len(pieces):
        end = _piece_end(begin, costs)
        first = next((number for number in range(begin, end) if not pieces[number].isspace()), end)
        last = next((number for number in range(end, first, -1) if not pieces[number - 1].isspace()), first)
        if first < last:
            yield replace(
                entry,
                start_line=line_of[first],
                end_line=line_of[last - 1],
                text="".join(pieces[first:last]),
            )
        if end >= len(pieces):
            return
        begin = _next_begin(begin, end, costs)


def _piece_end(begin: int, costs: Sequence[int]) -> int:
    """Return the end of the piece from ``begin``: at most ``MAX_TOKENS`` tokens, at least one part."""
    end, cost = begin, 0
    while end < len(costs) and (end == begin or cost + costs[end] <= MAX_TOKENS):
        cost += costs[end]
        end += 1
    return end


def _next_begin(begin: int, end: int, costs: Sequence[int]) -> int:
    """Return the begin of the next piece: it repeats at most ``_OVERLAP_TOKENS`` tokens, and advances."""
    back, kept = end, 0
    while back > begin + 1 and kept + costs[back - 1] <= _OVERLAP_TOKENS:
        back -= 1
        kept += costs[back]
    return back


Note = TypeVar("Note")
_DATE = re.compile(r"(?<!\s)\s*[(（]\s*(?:as of |since )?(\d{4}-\d{2}-\d{2})\s*[)）]")
_EARLIER = re.compile("|".join(map(re.escape, EARLIER)))


def bare(line: str) -> str:
    """Return the line without list mark, box, "Owner:" and date."""
    return _DATE.sub("", strip_owner(without_mark(line))).strip()


def split_earlier(text: str) -> tuple[str, str]:
    """Return a note without the older line in it, and that line; "" without one.

    >>> split_earlier("We've moved to Bergen (earlier: I live in Oslo)")
    ("We've moved to Bergen", 'I live in Oslo')
    """
    whole = text.rstrip()
    mark = _EARLIER.search(whole) if whole.endswith((")", "）")) else None
    older = whole[mark.end() : -1] if mark else ""
    return (whole[: mark.start()].rstrip(), older) if mark and older else (text, "")


def stated_day(path: str, text: str) -> str:
    """Return the day of a log's entry, or the last date in another file's line, as YYYY-MM-DD; "" without one."""
    day = day_in_path(path)
    return day.isoformat() if day else max(_DATE.findall(text), default="")


def by_older_line(notes: Iterable[tuple[str, Note]]) -> dict[str, Note]:
    """Return the notes, given with their texts and oldest first, by the ``fact_key`` of the older line in each. What
    was said again later ("I live in Oslo", back from Bergen) is older no more."""
    newer: dict[str, Note] = {}
    for text, note in notes:
        sentence, older = split_earlier(text)
        newer.pop(fact_key(bare(sentence)), None)
        if key := fact_key(older):
            newer[key] = note
    return newer

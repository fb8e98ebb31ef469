"""Which lines of a file go when something is forgotten: whole entries, with what was their heading.

Pure. Owns the way from a text to the entries that hold it, also where it runs over several of them. Refuses to change
a line that stays: BOM, line ends and a missing last newline survive.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pet.memory.daily_log import CATEGORIES, LogEntry, parse_log, strip_speaker
from pet.memory.entries import whole_entries
from pet.workspace.file_names import LOG_FOLDER
from pet.workspace.text.encoded_text import NotText, decode_text, encode_text, split_lines
from pet.workspace.tombstones import SearchPatterns, normalize

_GAP = "\n"  # stands in no folded text, so that no text is found across it


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrySpan:
    """What goes as one: an entry with its heading in a log, or a heading alone. Lines are 1-based and inclusive;
    ``text`` is whole."""

    start_line: int
    end_line: int
    text: str


def find_in_text(name: str, text: str, sought: SearchPatterns) -> list[EntrySpan]:
    """The entries of a file that hold one of the texts. Line ends may be of any kind."""
    return _units_with(name, split_lines(text)[0], sought) if sought.found_in(text) else []


def cut_text(name: str, text: str, sought: SearchPatterns) -> str:
    """The text without these entries; all other lines as they were."""
    if not sought.found_in(text):
        return text
    lines, ends = split_lines(text)
    gone = _units_with(name, lines, sought)
    if not gone:
        return text
    kept = _kept_lines(lines, gone)
    out = [lines[at] + ends[at] for at in kept]
    if out and not ends[-1] and not text.endswith(("\n", "\r")):
        out[-1] = lines[kept[-1]]  # a file without a last newline has none afterwards
    return "".join(out)


def cut_bytes(name: str, data: bytes, sought: SearchPatterns) -> bytes | None:
    """A version without these entries; None if it holds one of the texts and can't be read as text."""
    try:
        document = decode_text(data)
    except NotText:
        return None if sought.stands_in_bytes(data) else data
    cut = cut_text(name, document.text, sought)
    return data if cut == document.text else encode_text(cut, bom=document.bom)


def entry_text(text: str) -> str:
    """What an entry says, without the mark of a list and who said it: as it stands elsewhere, in a call for one."""
    head, _, rest = text.strip().partition(" ")
    is_mark = head in ("-", "*", "+", "\u2022") or (head[:-1].isdigit() and head[-1:] in (".", ")"))
    return strip_speaker(rest if is_mark and rest.strip() else text)


def entry_spans(name: str, lines: Sequence[str]) -> tuple[EntrySpan, ...]:
    """All that can go as one, in order. A line with something on it belongs to one of them, or is a log's title."""
    is_log = name.startswith(f"{LOG_FOLDER}/")
    taken: set[int] = set()
    found: list[tuple[int, int]] = []
    for entry in whole_entries(name, lines):
        start = _with_heading(lines, entry.start_line) if is_log else entry.start_line
        found.append((start, entry.end_line))
        taken.update(range(start, entry.end_line + 1))
    alone = (at for at, line in enumerate(lines, 1) if line.strip() and at not in taken)
    found += [(at, at) for at in alone if not (is_log and _is_title(name, lines[at - 1]))]
    return tuple(
        EntrySpan(start_line=start, end_line=end, text="\n".join(lines[start - 1 : end]))
        for start, end in sorted(found)
    )


def _units_with(name: str, lines: Sequence[str], sought: SearchPatterns) -> list[EntrySpan]:
    is_log = name.startswith(f"{LOG_FOLDER}/")
    hit = _lines_with([_comparable(name, line, is_log=is_log) for line in lines], sought)
    return [
        unit
        for unit in entry_spans(name, lines)
        if any(number in hit for number in range(unit.start_line, unit.end_line + 1))
    ]


def _lines_with(folded: Iterable[str], sought: SearchPatterns) -> set[int]:
    """The numbers of the lines over which one of the texts runs."""
    starts: list[int] = []
    numbers: list[int] = []
    parts: list[str] = []
    size = 0
    for number, line in enumerate(folded, 1):
        if line:
            starts.append(size)
            numbers.append(number)
            parts.append(line)
            size += len(line) + 1
    whole = " ".join(parts)
    hit: set[int] = set()
    for wanted in sought.folded:
        at = whole.find(wanted)
        while at >= 0:
            first, last = bisect_right(starts, at) - 1, bisect_right(starts, at + len(wanted) - 1) - 1
            hit.update(numbers[first : last + 1])
            at = whole.find(wanted, at + 1)
    return hit


def _comparable(name: str, line: str, *, is_log: bool) -> str:
    """A line folded; what the program itself wrote as the frame of a log is nobody's text."""
    if is_log and line.startswith("#"):
        if _is_title(name, line):
            return _GAP
        heading = _heading(line)
        if heading is not None:
            return _GAP if heading.category in CATEGORIES else normalize(heading.category) or _GAP
    return normalize(line)


def _with_heading(lines: Sequence[str], start_line: int) -> int:
    """Where the heading above a log's entry stands, if there is one."""
    above = start_line - 1
    while above >= 1 and not lines[above - 1].strip():
        above -= 1
    return above if above >= 1 and _heading(lines[above - 1]) is not None else start_line


def _heading(line: str) -> LogEntry | None:
    """What a log's heading says, or None for another line: asked of the format itself, with a text under it."""
    if not line.startswith("##"):
        return None
    entry = next(parse_log((line, "x")), None)
    return entry if entry is not None and entry.start_line == 2 else None


def _is_title(name: str, line: str) -> bool:
    day = name.rpartition("/")[2].removesuffix(".md")
    return line.split() == f"# Memory Log: {day}".split()


def _kept_lines(lines: Sequence[str], gone: Sequence[EntrySpan]) -> list[int]:
    """The places of the lines that stay. White space that stood around what goes is not doubled."""
    dropped = {at for unit in gone for at in range(unit.start_line - 1, unit.end_line)}
    for unit in gone:
        dropped.update(_blanks_around(lines, dropped, unit))
    return [at for at in range(len(lines)) if at not in dropped]


def _blanks_around(lines: Sequence[str], dropped: set[int], unit: EntrySpan) -> Iterator[int]:
    """The empty lines after a unit, where others stand before it; those before it, where nothing follows."""
    before = unit.start_line - 2
    while before >= 0 and before in dropped:
        before -= 1
    after = unit.end_line
    while after < len(lines) and (after in dropped or not lines[after].strip()):
        after += 1
    at_end = after >= len(lines)
    if at_end:
        yield from (at for at in range(unit.end_line, len(lines)) if not lines[at].strip())
        while before >= 0 and not lines[before].strip():
            yield before
            before -= 1
    elif before < 0 or not lines[before].strip():
        yield from (at for at in range(unit.end_line, after) if not lines[at].strip())

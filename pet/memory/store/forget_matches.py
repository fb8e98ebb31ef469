"""Remove matching entries from a file's text: whole entries with their headings; pure.

A text may span entries. Lines that stay keep BOM, line ends and a missing last newline.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pet.language.categories import CATEGORIES
from pet.language.labels import strip_speaker
from pet.memory.store.daily_log import LogEntry, parse_log
from pet.memory.store.split_entries import whole_entries
from pet.text.characters import comparable_line, separator
from pet.workspace.file_names import LOG_FOLDER
from pet.workspace.text_encoding import NotText, decode_text, encode_text, split_lines
from pet.workspace.tombstones import SearchPatterns

_GAP = "\n"  # in no folded text, so no match spans it


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrySpan:
    """A unit of removal: an entry with its heading in a log, or a lone heading. Lines are 1-based and inclusive;
    ``text`` is whole."""

    start_line: int
    end_line: int
    text: str


def find_in_text(name: str, text: str, sought: SearchPatterns) -> list[EntrySpan]:
    """Return the units that contain one of the texts. Line ends may be of any kind."""
    return _units_with(name, split_lines(text)[0], sought) if sought.matches(text) else []


def cut_text(name: str, text: str, sought: SearchPatterns) -> str:
    """Return the text without these units; all other lines unchanged."""
    if not sought.matches(text):
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
    """Return the content without these units; None if it matches and is not text."""
    try:
        document = decode_text(data)
    except NotText:
        return None if sought.matches_bytes(data) else data
    cut = cut_text(name, document.text, sought)
    return data if cut == document.text else encode_text(cut, bom=document.bom)


def entry_text(text: str) -> str:
    """Return an entry's text without list mark and speaker, as it appears elsewhere, for example in a tool call."""
    head, _, rest = text.strip().partition(" ")
    is_mark = head in ("-", "*", "+", "\u2022") or (head[:-1].isdigit() and head[-1:] in (".", ")"))
    return strip_speaker(rest if is_mark and rest.strip() else text)


def entry_spans(name: str, lines: Sequence[str]) -> tuple[EntrySpan, ...]:
    """Return all units of a file in order. Every line that is not blank belongs to one, or is a log's title."""
    is_log = name.startswith(f"{LOG_FOLDER}/")
    taken: set[int] = set()
    ranges: list[tuple[int, int]] = []
    for entry in whole_entries(name, lines):
        start = _with_heading(lines, entry.start_line) if is_log else entry.start_line
        ranges.append((start, entry.end_line))
        taken.update(range(start, entry.end_line + 1))
    alone = (at for at, line in enumerate(lines, 1) if line.strip() and at not in taken)
    ranges += [(at, at) for at in alone if not (is_log and _is_title(name, lines[at - 1]))]
    return tuple(
        EntrySpan(start_line=start, end_line=end, text="\n".join(lines[start - 1 : end]))
        for start, end in sorted(ranges)
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
    """Return the 1-based numbers of the lines that a match covers."""
    written = [(number, line) for number, line in enumerate(folded, 1) if line]
    hit = _covered(written, sought, hyphen="")
    return hit | _covered(written, sought, hyphen="-")


def _covered(written: Sequence[tuple[int, str]], sought: SearchPatterns, *, hyphen: str) -> set[int]:
    """Return the numbers of the lines that a match covers, words that lines break joined by ``hyphen``."""
    numbers = [number for number, _ in written]
    starts: list[int] = []
    whole = io.StringIO()
    for at, (_, line) in enumerate(written):
        starts.append(whole.tell())
        after = written[at + 1][1] if at + 1 < len(written) else ""
        gap = separator(line, after) if after else ""
        whole.write(line[:-1] + hyphen if gap == "-" else line + gap)
    return _lines_of_matches(whole.getvalue(), starts, numbers, sought)


def _lines_of_matches(whole: str, starts: Sequence[int], numbers: Sequence[int], sought: SearchPatterns) -> set[int]:
    hit: set[int] = set()
    for wanted in sought.folded:
        at = whole.find(wanted)
        while at >= 0:
            first, last = bisect_right(starts, at) - 1, bisect_right(starts, at + len(wanted) - 1) - 1
            hit.update(numbers[first : last + 1])
            at = whole.find(wanted, at + 1)
    return hit


def _comparable(name: str, line: str, *, is_log: bool) -> str:
    """Return the folded line; for the title and built-in categories of a log a gap that nothing matches."""
    if is_log and line.startswith("#"):
        if _is_title(name, line):
            return _GAP
        heading = _heading(line)
        if heading is not None:
            return _GAP if heading.category in CATEGORIES else comparable_line(heading.category) or _GAP
    return comparable_line(line)


def _with_heading(lines: Sequence[str], start_line: int) -> int:
    """Return the line of the heading above a log's entry; without heading, ``start_line``."""
    above = start_line - 1
    while above >= 1 and not lines[above - 1].strip():
        above -= 1
    return above if above >= 1 and _heading(lines[above - 1]) is not None else start_line


def _heading(line: str) -> LogEntry | None:
    """Return the entry a log heading would start, or None. Parsed with a line of text, as bare headings are
    dropped."""
    if not line.startswith("##"):
        return None
    entry = next(parse_log((line, "x")), None)
    return entry if entry is not None and entry.start_line == 2 else None


def _is_title(name: str, line: str) -> bool:
    day = name.rpartition("/")[2].removesuffix(".md")
    return line.split() == f"# Memory Log: {day}".split()


def _kept_lines(lines: Sequence[str], gone: Sequence[EntrySpan]) -> list[int]:
    """Return the indexes of the lines that stay. Blank lines around removed units are not doubled."""
    dropped = {at for unit in gone for at in range(unit.start_line - 1, unit.end_line)}
    for unit in gone:
        dropped.update(_blanks_around(lines, dropped, unit))
    return [at for at in range(len(lines)) if at not in dropped]


def _blanks_around(lines: Sequence[str], dropped: set[int], unit: EntrySpan) -> Iterator[int]:
    """Yield the blank lines after a unit if others precede it; at the end of the file also those before it."""
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

"""Recognise the conflict copies of sync programs by file name. Pure.

Covers Syncthing, Dropbox, Nextcloud and ownCloud, OneDrive, iCloud and Google Drive, and git's conflict markers
inside a file. A file counts as a copy only of a name the caller accepts, so an owner's own file with a similar name
is not mistaken for one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# Dropbox writes in the language of the machine: English and both kinds of Chinese, with their parentheses.
_OPEN, _CLOSE = r"(\uff08", r")\uff09"
_END = r"(?P<end>\.[a-z]+)"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Syncthing", re.compile(rf"(?P<stem>.+?)\.sync-conflict-\d{{8}}-\d{{6}}(?:-[0-9A-Z]{{7}})?{_END}")),
    ("Nextcloud", re.compile(rf"(?P<stem>.+?) \((?:case )?conflicted copy \d{{4}}-\d\d-\d\d \d{{6}}\){_END}")),
    ("Nextcloud", re.compile(rf"(?P<stem>.+?)_conflict-\d{{8}}-\d{{6}}{_END}")),
    (
        "Dropbox",
        re.compile(
            rf"(?P<stem>.+?) ?[{_OPEN}][^{_OPEN}{_CLOSE}]*(?:conflict|\u51b2\u7a81|\u885d\u7a81)[^{_OPEN}{_CLOSE}]*"
            rf"[{_CLOSE}](?: ?\(\d{{1,3}}\))?{_END}",
            re.IGNORECASE,
        ),
    ),
    ("OneDrive", re.compile(rf"(?P<stem>.+?)-[A-Z][A-Z0-9-]{{1,30}}{_END}")),  # a machine's name
    ("Google Drive", re.compile(rf"(?P<stem>.+?) ?\(\d{{1,3}}\){_END}")),
    ("iCloud", re.compile(rf"(?P<stem>.+?) \d{{1,3}}{_END}")),
)
_MARKS = ("<<<<<<<", "=======", ">>>>>>>")


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyName:
    """Parsed file name of a conflict copy: the original's name and the sync program."""

    of: str
    program: str


def read_copy_name(leaf: str, known: Callable[[str], bool]) -> CopyName | None:
    """Return the original and the program if ``leaf`` is a conflict copy of a ``known`` file, else None."""
    for program, form in _FORMS:
        found = form.fullmatch(leaf)
        if found is not None and known(of := found["stem"] + found["end"]):
            return CopyName(of=of, program=program)
    return None


def has_markers(text: str) -> bool:
    """Whether the text holds git conflict markers: all three kinds of marker lines, in order."""
    found = 0
    for line in text.splitlines() if _MARKS[0] in text else ():
        if _mark(line) == _MARKS[found]:
            found += 1
            if found == len(_MARKS):
                return True
    return False


def sides(text: str) -> tuple[str, str, str | None]:
    """Return ours, theirs and, if git recorded it, the common base."""
    parts: dict[str, list[str]] = {"ours": [], "base": [], "theirs": []}
    at, with_base = "", False
    for line in text.splitlines(keepends=True):
        mark = _mark(line)
        if mark == "<<<<<<<" and not at:
            at = "ours"
        elif mark == "|||||||" and at == "ours":
            at, with_base = "base", True
        elif mark == "=======" and at in ("ours", "base"):
            at = "theirs"
        elif mark == ">>>>>>>" and at == "theirs":
            at = ""
        else:
            for side in (at,) if at else parts:
                parts[side].append(line)
    ours, base, theirs = ("".join(lines) for lines in parts.values())
    return ours, theirs, base if with_base else None


def _mark(line: str) -> str:
    return line[:7] if line[7:8] in ("", " ", "\n", "\r") else ""

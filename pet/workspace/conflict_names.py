"""Recognise the conflict copies of sync programs by file name. Pure.

Covers Syncthing, Dropbox, Nextcloud and ownCloud, OneDrive, iCloud and Google Drive. A file counts as a copy only of
a name the caller accepts, so an owner's own file with a similar name is not mistaken for one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# Dropbox uses the machine's language: English and both kinds of Chinese, with their parentheses.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyName:
    """A conflict copy's parsed name: the original's name and the sync program."""

    of: str
    program: str


def read_copy_name(leaf: str, known: Callable[[str], bool]) -> CopyName | None:
    """Return the original and the program if ``leaf`` is a conflict copy of a ``known`` file, else None.

    >>> read_copy_name("SOUL.sync-conflict-20260101-120000.md", lambda name: name == "SOUL.md")
    CopyName(of='SOUL.md', program='Syncthing')
    """
    for program, form in _FORMS:
        match = form.fullmatch(leaf)
        if match is not None and known(of := match["stem"] + match["end"]):
            return CopyName(of=of, program=program)
    return None

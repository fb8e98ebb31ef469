"""File names of a workspace: the program's only path check, and the names of sync programs' conflict copies. Pure.

A path is accepted only if it equals one of the names exactly. Nothing is normalised, so normalisation can't be
exploited: dots, slashes, case, look-alikes and escapes simply make other names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from pet.access import FileKind
from pet.errors import PathRefused
from pet.model import OPTIONAL_FILES, CoreFile

CONVERSATIONS = "conversations"
"""Folder of the transcripts within a workspace."""
LOG_FOLDER = "memory"
HISTORY_FOLDER = ".history"
ASIDE = "ASIDE.md"
"""Entries of the memory files that the owner set aside."""
ARCHIVE = f"{LOG_FOLDER}/archive.md"
"""Entries of daily logs that were of no use for a year; gated and searched as a log is."""
CORE_NAMES: tuple[str, ...] = tuple(file.value for file in CoreFile)

_KINDS = {
    CoreFile.SOUL.value: FileKind.SOUL,
    CoreFile.USER.value: FileKind.USER,
    CoreFile.MEMORY.value: FileKind.MEMORY,
    ASIDE: FileKind.ASIDE,
    ARCHIVE: FileKind.LOG,
}
_LOG = re.compile(r"memory/([0-9]{4})-([0-9]{2})-([0-9]{2})\.md")


def parse_name(path: str) -> str:
    """Return ``path`` if it is a workspace name. Raises PathRefused, the same error for everything else."""
    if not is_name(path):
        raise PathRefused
    return path


def is_name(path: object) -> bool:
    """Whether the store manages a file of this name."""
    return isinstance(path, str) and (path in _KINDS or path in OPTIONAL_FILES or is_daily_log(path))


def kind_of(name: str) -> FileKind:
    """Return the file kind, for access decisions, of a name returned by ``parse_name``."""
    if name in OPTIONAL_FILES:
        return FileKind.OPTIONAL
    return _KINDS.get(name, FileKind.LOG)


def log_name(day: date) -> str:
    """Return the name of a local date's daily log."""
    return f"{LOG_FOLDER}/{day.isoformat()}.md"


def flat_name(name: str) -> str:
    """Return the name as one path component, for history and locks."""
    return name.replace("/", "__")


def unflat_name(flat: str) -> str:
    """Return the inverse of ``flat_name``."""
    return flat.replace("__", "/")


def is_daily_log(path: str) -> bool:
    """Whether this is the name of a local date's log."""
    match = _LOG.fullmatch(path)
    if not match:
        return False
    try:
        date(*(int(part) for part in match.groups()))
    except ValueError:
        return False
    return True


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

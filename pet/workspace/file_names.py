"""File names of a workspace: the program's only path check, and the names of sync programs' conflict copies. Pure.

A path is accepted only if it equals one of the names exactly, or names a note below ``memory`` plainly. Nothing is
normalised, so normalisation can't be exploited: dots, slashes, case, look-alikes and escapes simply make other names,
and below ``memory`` every name is gated alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from pet.access import FileKind
from pet.errors import PathRefused
from pet.ids import is_id
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
_TRANSCRIPT = re.compile(r"([0-9a-z]{26})(?:~[a-z0-9-]{1,40})?\.jsonl")
_LONGEST_NOTE = 128  # bytes of a note's flat name: in the history more follows, and file systems take 255
_DEVICES = frozenset({"CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in range(10))})
_SLASHES = frozenset("/\\")
_NOT_IN_NOTES = frozenset('\\:"\u2044\u2215\u29f5\u29f8\u2571')  # streams, and what looks like a slash
_JOINERS = "\u200c\u200d"  # scripts and emoji need them
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def parse_name(path: str) -> str:
    """Return ``path`` if it is a workspace name. Raises PathRefused, the same error for everything else."""
    if not is_name(path):
        raise PathRefused
    return path


def is_name(path: object) -> bool:
    """Whether the store manages a file of this name."""
    return isinstance(path, str) and (path in _KINDS or path in OPTIONAL_FILES or is_daily_log(path) or is_note(path))


def is_fixed_name(path: object) -> bool:
    """Whether this is a name that says nothing: any but a note's, which its owner chose."""
    return is_name(path) and not is_note(str(path))


def kind_of(name: str) -> FileKind:
    """Return the file kind, for access decisions, of a name returned by ``parse_name``."""
    if name in OPTIONAL_FILES:
        return FileKind.OPTIONAL
    return _KINDS.get(name) or (FileKind.LOG if is_daily_log(name) else FileKind.NOTE)


def log_name(day: date) -> str:
    """Return the name of a local date's daily log."""
    return f"{LOG_FOLDER}/{day.isoformat()}.md"


def conversation_of(path: str) -> str:
    """Return the conversation id in a transcript's path or file name; "" for other files."""
    match = _TRANSCRIPT.fullmatch(path.removeprefix(f"{CONVERSATIONS}/"))
    return match[1] if match and is_id(match[1]) else ""


def is_transcript(path: str) -> bool:
    """Whether this is the path of a transcript, as in a search hit."""
    return path.startswith(f"{CONVERSATIONS}/") and bool(conversation_of(path))


def flat_name(name: str) -> str:
    """Return the name as one path component, for history and locks.

    >>> flat_name("memory/people/a_b.md"), unflat_name("memory__people__a%5Fb.md")
    ('memory__people__a%5Fb.md', 'memory/people/a_b.md')
    """
    if name.startswith(f"{LOG_FOLDER}/"):  # others have no such characters, or are in no other's way
        name = name.replace("%", "%25").replace("_", "%5F").replace("~", "%7E")
    return name.replace("/", "__")


def unflat_name(flat: str) -> str:
    """Return the inverse of ``flat_name``."""
    name = flat.replace("__", "/")
    if name.startswith(f"{LOG_FOLDER}/"):
        name = name.replace("%7E", "~").replace("%5F", "_").replace("%25", "%")
    return name


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


@lru_cache(maxsize=1 << 15)
def is_note(path: str) -> bool:
    """Whether this is the name of a note: of a text below ``memory`` that is no log, archive, hidden file or conflict
    copy.

    >>> is_note("memory/people/femi.md"), is_note("memory/2026-06-27.md"), is_note("memory/.dreams/1.md")
    (True, False, False)
    """
    return _is_below(path) and read_note_copy(path) is None


def _is_below(path: str) -> bool:
    """Whether ``is_note`` may be true of this path, or of a copy's."""
    if not (path.startswith(f"{LOG_FOLDER}/") and path.endswith(".md")) or is_daily_log(path) or path == ARCHIVE:
        return False
    if not all(map(is_plain_part, path.split("/"))) or not fits_as_note(path):
        return False
    return (path.isascii() and path.islower()) or not _stands_for_a_log(path)


def fits_as_note(path: str) -> bool:
    """Whether the path is short enough for a note's: its history's files have longer names."""
    return len(flat_name(path).encode()) <= _LONGEST_NOTE


def is_plain_part(part: str) -> bool:
    """Whether a note's file or folder may have this name: one that is shown as it is and is the same on every
    system."""
    if not part or part.startswith(".") or part.endswith(".") or part != part.strip():
        return False
    folded = part if part.isascii() else unicodedata.normalize("NFKC", part)
    if folded.partition(".")[0].rstrip().upper() in _DEVICES or not folded.strip(". "):
        return False
    if any(unicodedata.category(char) in _UNSEEN and char not in _JOINERS for char in part):
        return False
    return _NOT_IN_NOTES.isdisjoint(part) and _SLASHES.isdisjoint(folded)


def _stands_for_a_log(path: str) -> bool:
    """Whether this is a daily log's or the archive's name in other characters."""
    folded = unicodedata.normalize("NFKC", path).casefold().translate(dict.fromkeys(map(ord, _JOINERS)))
    plain = "".join(str(unicodedata.decimal(char, char)) for char in folded)
    return is_daily_log(plain) or plain == ARCHIVE


# Dropbox uses the machine's language: English and both kinds of Chinese, with their parentheses.
_OPEN, _CLOSE = r"(\uff08", r")\uff09"
_END = r"(?P<end>\.[a-z]+)"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Syncthing", re.compile(rf"(?P<stem>.+?)\.sync-conflict-\d{{8}}-\d{{6}}(?:-[0-9A-Z]{{7}})?{_END}")),
    ("Nextcloud", re.compile(rf"(?P<stem>.+?) \((?:case )?conflicted copy \d{{4}}-\d\d-\d\d \d{{6}}\){_END}")),
    ("Nextcloud", re.compile(rf"(?P<stem>.+?)_conflict-\d{{8}}-\d{{6}}{_END}")),
    (
        "Unison",
        re.compile(rf"(?P<stem>.+?) \(conflict(?: #\d+)?[_ ]on[_ ]\d{{4}}-\d\d-\d\d(?:_was_deleted)?\){_END}"),
    ),
    ("rclone", re.compile(rf"(?P<stem>.+?)\.{{1,2}}(?:conflict|path)\d{{1,3}}{_END}")),
    ("rclone", re.compile(rf"(?P<stem>.+?){_END}\.{{1,2}}(?:conflict|path)\d{{1,3}}")),
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


_OF_NOTES = re.compile(
    r"\.sync-conflict-\d|\.(?:conflict|path)\d{1,3}\b| \(conflict(?: #\d+)?[_ ]on[_ ]\d{4}-"
    r"|_conflict-\d{8}-|conflicted copy \d{4}"
    r"|\u51b2\u7a81\u526f\u672c|\u885d\u7a81\u7684?[\u8907\u526f]\u672c"
)


def read_note_copy(path: str) -> CopyName | None:
    """Return the original and the program if ``path`` below ``memory`` is a conflict copy, else None.

    Of a log it is one in any form. Of a note only in one that says so: "plan 2.md" is a separate note.
    """
    folder, _, leaf = path.rpartition("/")

    def is_log(of: str) -> bool:
        return is_daily_log(f"{folder}/{of}") or f"{folder}/{of}" == ARCHIVE

    copy = read_copy_name(leaf, is_log)
    if copy is None and _OF_NOTES.search(leaf):
        copy = read_copy_name(leaf, lambda of: _is_below(f"{folder}/{of}"))
    return copy and CopyName(of=f"{folder}/{copy.of}", program=copy.program)

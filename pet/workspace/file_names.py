"""Valid file names of a workspace: the program's only path check.

A path is accepted only if it equals one of the names exactly. Nothing is normalised, so normalisation can't be
exploited: dots, slashes, case, look-alikes and escapes simply make other names.
"""

from __future__ import annotations

import re
from datetime import date

from pet.access.policy import FileKind
from pet.errors import PathRefused
from pet.model import OPTIONAL_FILES, CoreFile

CONVERSATIONS = "conversations"
"""Folder of the transcripts within a workspace."""
LOG_FOLDER = "memory"
HISTORY_FOLDER = ".history"
CORE_NAMES: tuple[str, ...] = tuple(file.value for file in CoreFile)

_CORE_KINDS = {
    CoreFile.SOUL.value: FileKind.SOUL,
    CoreFile.USER.value: FileKind.USER,
    CoreFile.MEMORY.value: FileKind.MEMORY,
}
_LOG = re.compile(r"memory/([0-9]{4})-([0-9]{2})-([0-9]{2})\.md")


def parse_name(path: str) -> str:
    """Return ``path`` if it is a workspace name. Raises PathRefused, the same error for everything else."""
    if not is_name(path):
        raise PathRefused
    return path


def is_name(path: object) -> bool:
    """Whether the store manages a file of this name."""
    return isinstance(path, str) and (path in _CORE_KINDS or path in OPTIONAL_FILES or _is_log(path))


def kind_of(name: str) -> FileKind:
    """Return the file kind, for access decisions, of a name returned by ``parse_name``."""
    if name in OPTIONAL_FILES:
        return FileKind.OPTIONAL
    return _CORE_KINDS.get(name, FileKind.LOG)


def log_name(day: date) -> str:
    """Return the name of a local date's daily log."""
    return f"{LOG_FOLDER}/{day.isoformat()}.md"


def flat_name(name: str) -> str:
    """Return the name as one path component, for history and locks."""
    return name.replace("/", "__")


def unflat_name(flat: str) -> str:
    """Return the inverse of ``flat_name``."""
    return flat.replace("__", "/")


def _is_log(path: str) -> bool:
    match = _LOG.fullmatch(path)
    if not match:
        return False
    try:
        date(*(int(part) for part in match.groups()))
    except ValueError:
        return False
    return True

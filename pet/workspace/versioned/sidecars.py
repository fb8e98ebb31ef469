"""Backup and conflict copies next to a pet's gated files: find them and erase text from them.

Touches only known copies of gated files: every other file is the owner's.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pet.model import CoreFile
from pet.workspace.conflict_names import read_copy_name
from pet.workspace.file_names import HISTORY_FOLDER, LOG_FOLDER, is_name
from pet.workspace.fs.directory import Contents, Unusable, remove_leftovers, temp_beside, write_atomically
from pet.workspace.fs.locks import as_write_errors, lock_file, locked
from pet.workspace.fs.open_folder import open_folder
from pet.workspace.versioned.purge import Cut

_BACKUP = re.compile(r"#(?P<unsaved>.+)#|(?P<of>.+?)(?:\.~\d+~|~|\.bak|\.old|\.orig|\.save)")
_GATED_CORE = frozenset({CoreFile.USER.value, CoreFile.MEMORY.value})
_LIMIT = 1 << 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecar:
    """A copy of the gated file ``of`` in the same folder."""

    folder: str
    leaf: str
    of: str

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.leaf}" if self.folder else self.leaf


def list_sidecars(root: Path) -> tuple[Sidecar, ...]:
    """Return the copies of gated files, by name."""
    sidecars: list[Sidecar] = []
    for folder in ("", LOG_FOLDER):
        with suppress(OSError), open_folder(root, *_parts(folder)) as opened:
            leaves = opened.names()
            sidecars += (
                Sidecar(folder=folder, leaf=leaf, of=of) for leaf in leaves if (of := original_of(folder, leaf))
            )
    return tuple(sorted(sidecars, key=lambda each: each.path))


def read_sidecar(root: Path, copy: Sidecar) -> bytes:
    """Return the copy's bytes; empty if it can't be read."""
    with suppress(OSError), open_folder(root, *_parts(copy.folder)) as folder:
        raw = folder.read(copy.leaf, _LIMIT)
        return raw.data if isinstance(raw, Contents) else b""
    return b""


def original_of(folder: str, leaf: str) -> str | None:
    """Return the gated file that a sync program or an editor copied to this name, or None."""
    prefix = f"{folder}/" if folder else ""

    def is_gated(name: str) -> bool:
        return _is_log(f"{prefix}{name}") if folder else name in _GATED_CORE

    backup = _BACKUP.fullmatch(leaf)
    name = (backup["of"] or backup["unsaved"]) if backup else ""
    copy = read_copy_name(leaf, is_gated)
    of = copy.of if copy else name if is_gated(name) else None
    return f"{prefix}{of}" if of else None


def erase_sidecar(root: Path, locks: Path, copy: Sidecar, cut: Cut) -> bool:
    """Erase from a copy; return whether it changed. Raises WriteFailed."""
    with (
        as_write_errors(HISTORY_FOLDER),
        locked(lock_file(locks, root, copy.of)),
        open_folder(root, *_parts(copy.folder)) as folder,
    ):
        raw = folder.read(copy.leaf, _LIMIT)
        if isinstance(raw, Unusable) and raw.problem == "unreadable":
            raise OSError(raw.problem)
        data = cut(copy.of, raw.data) if isinstance(raw, Contents) else None
        if not isinstance(raw, Contents) or data is None or data == raw.data:
            return False
        remove_leftovers(folder, copy.leaf)
        write_atomically(folder, copy.leaf, data, mode=raw.mode, temp=temp_beside(copy.leaf))
        return True


def _parts(folder: str) -> tuple[str, ...]:
    return (folder,) if folder else ()


def _is_log(name: str) -> bool:
    return name.startswith(f"{LOG_FOLDER}/") and is_name(name)

"""The folders of a pet's notes, ``memory`` and those below it, and what in them is no note. Reads names only.

No link is followed. Hidden folders, and names that ``is_plain_part`` refuses, are left alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Literal

from pet.fs.directory import is_link, open_folder
from pet.workspace.file_names import (
    CORE_NAMES,
    LOG_FOLDER,
    fits_as_note,
    is_name,
    is_note,
    is_plain_part,
    read_copy_name,
    read_note_copy,
)

WhyLeft = Literal["hidden", "link", "name", "spelling", "beside"]
"""Why a file or folder is not read. ``spelling``: that of a memory file in other letters, as ``Memory.md``;
``beside``: it is in the folder of ``memory``, as other programs' ``DREAMS.md`` does."""


def note_folders(root: Path) -> list[str]:
    """Return ``memory`` and the folders below it that may hold notes, by their path; none if it is missing."""
    return [path for path, entry in _entries(root) if entry is None]


def note_names(root: Path) -> list[str]:
    """Return the notes, sorted; also those that can't be read, as they are too large."""
    names: list[str] = []
    for prefix in note_folders(root):
        with suppress(OSError), open_folder(root, *prefix.split("/")) as folder:
            names += filter(is_note, (f"{prefix}/{leaf}" for leaf in folder.names()))
    return sorted(names)


def is_spelled(root: Path, name: str) -> bool:
    """Whether a file's name and its folders' are in their folders' lists as they are written; true if it is missing.

    File systems that ignore case or the composition of letters open a file by other names too.
    """
    *folders, leaf = name.split("/")
    with suppress(OSError), ExitStack() as opened:
        folder = opened.enter_context(open_folder(root))
        for part in folders:
            inner = opened.enter_context(folder.sub(part, create=False))
            if part not in folder.names():
                return False
            folder = inner
        return folder.signature(leaf) is None or leaf in folder.names()
    return True


def left_alone(root: Path) -> Iterator[tuple[str, WhyLeft]]:
    """Yield folders and texts below ``memory`` that are no notes, and texts beside it that are not read, with why."""
    known = {name.casefold(): name for name in (*CORE_NAMES, LOG_FOLDER)}
    with suppress(OSError):
        for leaf in sorted(path.name for path in root.iterdir()):
            if known.get(leaf.casefold(), leaf) != leaf:
                yield leaf, "spelling"
            elif (
                leaf.endswith(".md")
                and not leaf.startswith(".")
                and not (is_name(leaf) or read_copy_name(leaf, is_name))
            ):
                yield leaf, "beside"
    if (root / LOG_FOLDER).is_symlink():
        yield LOG_FOLDER, "link"
    for path, entry in sorted(_entries(root), key=lambda each: each[0]):
        if entry is None:
            continue
        if _is_link(entry):
            if not entry.is_file():  # a linked file is one that can't be read
                yield path, "link"
        elif entry.is_dir(follow_symlinks=False) or path.lower().endswith(".md"):
            if entry.name.startswith("."):
                yield path, "hidden"
            elif not is_name(path) and read_note_copy(path) is None:
                yield path, "name"


def _entries(root: Path) -> Iterator[tuple[str, os.DirEntry[str] | None]]:
    """Yield each folder of notes with None, and every other entry in them, by path."""
    waiting = [LOG_FOLDER] if not (root / LOG_FOLDER).is_symlink() else []
    while waiting:
        prefix = waiting.pop()
        with suppress(OSError), os.scandir(root / prefix) as entries:  # it may have gone
            yield prefix, None
            for entry in entries:
                path = f"{prefix}/{entry.name}"
                if not entry.is_dir(follow_symlinks=False) or not may_hold_notes(path) or _is_link(entry):
                    yield path, entry
                else:
                    waiting.append(path)


def may_hold_notes(path: str) -> bool:
    """Whether a folder of this path below ``memory`` is searched for notes."""
    return is_plain_part(path.rpartition("/")[2]) and fits_as_note(f"{path}/x.md")


def _is_link(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_symlink() or is_link(entry.stat(follow_symlinks=False))
    except OSError:  # gone since it was listed
        return False

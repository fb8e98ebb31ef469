"""Where an import comes from: a folder, a zip or one file, seen as a list of named files. Reads only.

Follows no link, looks three folders deep, and reads no more of a file than the limit.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from pet.errors import ImportRefused
from pet.regular_files import NotRegular, open_regular
from pet.workspace.fs.zip_reading import MAX_ENTRIES, is_zip, open_zip

MAX_TEXT = 1 << 20
"""Bytes of one text file: more than that the pet's own files do not hold."""
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Source:
    """``names``: relative, with slashes, without the one folder that all of them may be in."""

    name: str
    names: tuple[str, ...]
    _paths: dict[str, Path] = field(default_factory=dict)
    _archive: zipfile.ZipFile | None = None
    _top: str = ""

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Raises ImportRefused."""
        try:
            if self._archive is None:
                with open_regular(self._paths[name]) as opened:
                    yield opened
            else:
                with self._archive.open(self._top + name) as inside:
                    yield cast(BinaryIO, inside)
        except (NotRegular, FileNotFoundError, PermissionError):
            raise ImportRefused(problem="unreadable", file=name) from None

    def read(self, name: str, most: int = MAX_TEXT) -> bytes | None:
        """The bytes; None where there are more than ``most``."""
        with self.open(name) as opened:
            data = opened.read(most + 1)
        return data if len(data) <= most else None

    def text(self, name: str) -> str | None:
        """None where it is no text. Raises ImportRefused ``too_large``."""
        data = self.read(name)
        if data is None:
            raise ImportRefused(problem="too_large", limit=1)
        return to_text(data)


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Raises ImportRefused."""
    if path.is_dir():
        paths = dict(_walk(path))
        yield Source(path.name, tuple(sorted(paths)), paths)
        return
    try:
        zipped = is_zip(path)
    except OSError:
        raise ImportRefused(problem="unreadable", file=path.name) from None
    if not zipped:
        yield Source(path.name, (path.name,), {path.name: path})
        return
    with open_zip(path) as packed:
        tops = {name.partition("/")[0] for name in packed.entries}
        one = len(tops) == 1 and all("/" in name for name in packed.entries)
        top = f"{min(tops)}/" if one else ""
        names = sorted(name.removeprefix(top) for name in packed.entries)
        yield Source(path.name, tuple(names), {}, packed.archive, top)


def to_text(data: bytes) -> str | None:
    """UTF-8 with or without a mark, or UTF-16 with one; None for anything else."""
    try:
        utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        text = data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def clean(text: str) -> str:
    """A text out of JSON that can be written down: no NUL, no half characters."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _walk(root: Path, under: str = "", depth: int = 1) -> Iterator[tuple[str, Path]]:
    try:
        with os.scandir(root) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    if len(entries) > MAX_ENTRIES:
        raise ImportRefused(problem="too_large", limit=8)
    for entry in entries:
        if entry.is_symlink():
            continue
        if entry.is_file(follow_symlinks=False):
            yield under + entry.name, Path(entry.path)
        elif depth < _DEPTH and entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            yield from _walk(Path(entry.path), f"{under}{entry.name}/", depth + 1)

"""Where an import comes from: a folder, a zip, one file or a pasted text, seen as a list of named files. Reads only.

Follows no link, looks six folders deep, and reads no more of a file than the limit.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

from pet.errors import ImportRefused
from pet.untrusted.regular_files import NotRegular, open_regular
from pet.workspace.fs.zip_reading import MAX_ENTRIES, is_zip, open_zip

MAX_TEXT = 1 << 20
"""Bytes of one text file: more than that the pet's own files do not hold."""
_DEPTH = 6
_OF_FINDER = "__MACOSX/"  # what macOS adds to the zips that it makes

Step = Callable[[int], None]
"""Hears how many bytes were read since the last call; raises to stop the reading."""


def no_step(_count: int) -> None:
    return


class _Watched:
    """A file that tells of each read."""

    def __init__(self, file: BinaryIO, step: Step) -> None:
        self._file = file
        self._step = step

    def read(self, size: int = -1) -> bytes:
        return self._told(self._file.read(size))

    def readline(self, size: int = -1) -> bytes:
        return self._told(self._file.readline(size))

    def _told(self, data: bytes) -> bytes:
        self._step(len(data))
        return data


@dataclass(frozen=True, slots=True)
class Pasted:
    """A text that is in no file."""

    data: bytes

    @property
    def name(self) -> str:
        return "memories.txt"


Origin = Path | Pasted


@dataclass(frozen=True, slots=True)
class ImportSource:
    """``names``: relative, with slashes, without the one folder that all of them may be in. ``links``: those of
    links, which are not followed."""

    name: str
    names: tuple[str, ...]
    links: tuple[str, ...] = ()
    _paths: dict[str, Path] = field(default_factory=dict)
    _archive: zipfile.ZipFile | None = None
    _top: str = ""
    _step: Step = no_step
    _pasted: bytes | None = None

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Raises ImportRefused."""
        try:
            if self._pasted is not None:
                yield io.BytesIO(self._pasted)
            elif self._archive is None:
                with open_regular(self._paths[name]) as opened:
                    yield cast(BinaryIO, _Watched(opened, self._step))
            else:
                with self._archive.open(self._top + name) as inside:
                    yield cast(BinaryIO, _Watched(cast(BinaryIO, inside), self._step))
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
            raise ImportRefused(problem="long_text", limit=MAX_TEXT >> 20)
        return to_text(data)


@contextmanager
def open_source(path: Origin, step: Step = no_step) -> Iterator[ImportSource]:
    """Raises ImportRefused, and what ``step`` raises."""
    if isinstance(path, Pasted):
        yield ImportSource(path.name, (path.name,), _pasted=path.data)
        return
    if path.is_dir():
        paths: dict[str, Path] = {}
        links: list[str] = []
        _walk(path, paths, links, step)
        yield ImportSource(path.name, tuple(sorted(paths)), tuple(links), paths, _step=step)
        return
    try:
        zipped = is_zip(path)
    except OSError:
        raise ImportRefused(problem="unreadable", file=path.name) from None
    if not zipped:
        yield ImportSource(path.name, (path.name,), (), {path.name: path}, _step=step)
        return
    with open_zip(path) as packed:
        inside = [name for name in packed.entries if not name.startswith(_OF_FINDER)]
        tops = {name.partition("/")[0] for name in inside}
        one = len(tops) == 1 and all("/" in name for name in inside)
        top = f"{min(tops)}/" if one else ""
        names = sorted(name.removeprefix(top) for name in inside)
        yield ImportSource(path.name, tuple(names), (), {}, packed.archive, top, step)


def to_text(data: bytes) -> str | None:
    """UTF-8 with or without a mark, or UTF-16 with one; None for anything else."""
    try:
        utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        text = data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def storable_text(text: str) -> str:
    """A text out of JSON that can be written down: no NUL, no half characters."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _walk(root: Path, found: dict[str, Path], links: list[str], step: Step, under: str = "", depth: int = 1) -> None:
    step(0)
    try:
        with os.scandir(root) as listed:
            entries = sorted(listed, key=lambda entry: entry.name)
    except OSError:
        return
    if len(entries) + len(found) + len(links) > MAX_ENTRIES:
        raise ImportRefused(problem="too_many", limit=MAX_ENTRIES)
    for entry in entries:
        if entry.is_symlink():
            links.append(under + entry.name)
        elif entry.is_file(follow_symlinks=False):
            found[under + entry.name] = Path(entry.path)
        elif depth < _DEPTH and entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
            _walk(Path(entry.path), found, links, step, f"{under}{entry.name}/", depth + 1)

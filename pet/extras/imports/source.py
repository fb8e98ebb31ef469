"""Import sources: a folder, a zip, a file or a pasted text, as a list of named files. Reads only.

Links are not followed; folders are scanned six levels deep; reads are bounded.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO, Literal, cast

from pet.errors import ImportRefused
from pet.fs.zip_reading import MAX_ENTRIES, is_zip, open_zip
from pet.untrusted.regular_files import NotRegular, open_regular

MAX_TEXT = 1 << 20
"""Bytes of one text file, the limit of the pet's own files."""
_DEPTH = 6
_MACOS_FOLDER = "__MACOSX/"  # added to zips by macOS

WhyClosed = Literal["other", "deep", "unreadable"]
VAULT_SETTINGS = (
    ".obsidian/daily-notes.json",
    ".obsidian/plugins/periodic-notes/data.json",
    ".obsidian/templates.json",
)
"""The only files of hidden folders that are read."""
Step = Callable[[int], None]
"""Called with the bytes read since the last call; raises to cancel."""


def no_step(_count: int) -> None:
    return


class _Watched:
    """A file that reports each read."""

    def __init__(self, file: BinaryIO, step: Step) -> None:
        self._file = file
        self._step = step

    def read(self, size: int = -1) -> bytes:
        return self._counted(self._file.read(size))

    def readline(self, size: int = -1) -> bytes:
        return self._counted(self._file.readline(size))

    def _counted(self, data: bytes) -> bytes:
        self._step(len(data))
        return data


@dataclass(frozen=True, slots=True)
class Pasted:
    """A pasted text."""

    data: bytes

    @property
    def name(self) -> str:
        return "memories.txt"


Origin = Path | Pasted


@dataclass(frozen=True, slots=True)
class ImportSource:
    """``names``: relative paths with slashes, without a common top folder; ``links``: of links, which are not
    followed; ``closed``: folders that were not looked into, with why."""

    name: str
    names: tuple[str, ...]
    links: tuple[str, ...] = ()
    closed: tuple[tuple[str, WhyClosed], ...] = ()
    _paths: dict[str, Path] = field(default_factory=dict)
    _zip_file: zipfile.ZipFile | None = None
    _top: str = ""
    _step: Step = no_step
    _pasted: bytes | None = None

    def below(self, folder: str) -> ImportSource:
        """Return what lies in this folder, which ends with a slash, as a separate source."""
        paths = {name.removeprefix(folder): path for name, path in self._paths.items() if name.startswith(folder)}
        return replace(
            self,
            name=folder.rstrip("/").rpartition("/")[2],
            names=tuple(name.removeprefix(folder) for name in self.names if name.startswith(folder)),
            links=tuple(name.removeprefix(folder) for name in self.links if name.startswith(folder)),
            closed=tuple((name.removeprefix(folder), why) for name, why in self.closed if name.startswith(folder)),
            _paths=paths,
            _top=self._top + folder,
        )

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Raises ImportRefused."""
        try:
            if self._pasted is not None:
                yield io.BytesIO(self._pasted)
            elif self._zip_file is None:
                with open_regular(self._paths[name]) as opened:
                    yield cast(BinaryIO, _Watched(opened, self._step))
            else:
                with self._zip_file.open(self._top + name) as inside:
                    yield cast(BinaryIO, _Watched(cast(BinaryIO, inside), self._step))
        except (NotRegular, FileNotFoundError, PermissionError):
            raise ImportRefused(problem="unreadable", file=name) from None

    def read(self, name: str, most: int = MAX_TEXT) -> bytes | None:
        """Return the bytes, or None if there are more than ``most``."""
        with self.open(name) as opened:
            data = opened.read(most + 1)
        return data if len(data) <= most else None

    def text(self, name: str) -> str | None:
        """Return the text, or None if it is not text. Raises ImportRefused ``long_text``."""
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
        walk = _Walk(step)
        walk.into(path)
        for name in VAULT_SETTINGS:
            if not any((path / part).is_symlink() for part in accumulate(name.split("/"), "{}/{}".format)):
                walk.paths |= {name: path / name} if (path / name).is_file() else {}
        files = tuple(sorted(walk.paths))
        yield ImportSource(path.name, files, tuple(walk.links), tuple(walk.closed), walk.paths, _step=step)
        return
    try:
        zipped = is_zip(path)
    except OSError:
        raise ImportRefused(problem="unreadable", file=path.name) from None
    if not zipped:
        yield ImportSource(path.name, (path.name,), _paths={path.name: path}, _step=step)
        return
    with open_zip(path) as packed:
        inside = [name for name in packed.entries if not name.startswith(_MACOS_FOLDER)]
        tops = {name.partition("/")[0] for name in inside}
        one = len(tops) == 1 and all("/" in name for name in inside)
        top = f"{min(tops)}/" if one else ""
        names = sorted(name.removeprefix(top) for name in inside)
        yield ImportSource(path.name, tuple(names), _zip_file=packed.zip_file, _top=top, _step=step)


def to_text(data: bytes) -> str | None:
    """Decode UTF-8 with or without a BOM, or UTF-16 with one; None for anything else."""
    try:
        utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        text = data.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def storable_text(text: str) -> str:
    """Return a JSON text without NUL and lone surrogates."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


@dataclass(slots=True)
class _Walk:
    """The files of a folder, without hidden folders and those that lie too deep."""

    step: Step
    paths: dict[str, Path] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    closed: list[tuple[str, WhyClosed]] = field(default_factory=list)

    def into(self, root: Path, under: str = "", depth: int = 1) -> None:
        """Raises ImportRefused, and what ``step`` raises."""
        self.step(0)
        try:
            with os.scandir(root) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError:
            self.closed.append((under or root.name, "unreadable"))
            return
        if len(entries) + len(self.paths) + len(self.links) > MAX_ENTRIES:
            raise ImportRefused(problem="too_many", limit=MAX_ENTRIES)
        for entry in entries:
            name = under + entry.name
            if entry.is_symlink():
                self.links.append(name)
            elif entry.is_file(follow_symlinks=False):
                self.paths[name] = Path(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                if entry.name.startswith(".") or depth == _DEPTH:
                    self.closed.append((f"{name}/", "other" if entry.name.startswith(".") else "deep"))
                else:
                    self.into(Path(entry.path), f"{name}/", depth + 1)

"""Files as another program leaves them, folders included, and what can be asked of one on every system."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pet.workspace.fs.directory import Raw, Unusable
from pet.workspace.fs.open_folder import open_folder


def write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Text is written as UTF-8, its line ends unchanged."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def has_mode(file: Path, mode: int) -> bool:
    """Windows has no such modes: there a file is private by the folder that it lies in."""
    return sys.platform == "win32" or stat.S_IMODE(file.stat().st_mode) == mode


def make_pipe(path: Path) -> list[str]:
    """A named pipe where folders can hold one; returns the names that it made."""
    if sys.platform == "win32":
        return []
    os.mkfifo(path)
    return [path.name]


@contextmanager
def unreadable(monkeypatch: pytest.MonkeyPatch, *leaves: str) -> Iterator[None]:
    """Of a pet's folder, while another program holds them or no more files can be opened."""
    kind = type(open_folder(Path().resolve()))
    read = kind.read

    def held(folder: Any, name: str, limit: int) -> Raw:
        return Unusable("unreadable") if name in leaves else read(folder, name, limit)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(kind, "read", held)
        yield

"""Files and folders as other programs leave them, and portable checks of files."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pet.fs.directory import Raw, Unusable, open_folder


def write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write the files; text as UTF-8 with its line ends unchanged."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def has_mode(file: Path, mode: int) -> bool:
    """Whether the file has this mode; always true on Windows, where the folder keeps it private."""
    return sys.platform == "win32" or stat.S_IMODE(file.stat().st_mode) == mode


def make_pipe(path: Path) -> list[str]:
    """Make a named pipe if the system allows it; return the names that were made."""
    if sys.platform == "win32":
        return []
    os.mkfifo(path)
    return [path.name]


@contextmanager
def unreadable(monkeypatch: pytest.MonkeyPatch, *leaves: str) -> Iterator[None]:
    """Make a pet's files unreadable, as if another program held them or file handles ran out."""
    kind = type(open_folder(Path().resolve()))
    read = kind.read

    def held(folder: Any, name: str, limit: int) -> Raw:
        return Unusable("unreadable") if name in leaves else read(folder, name, limit)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(kind, "read", held)
        yield

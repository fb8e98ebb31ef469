"""Open a folder by what this system has.

``PosixFolder`` works relative to an open descriptor and never follows a link, so replacing the folder with a link
between check and open has no effect. ``PathFolder`` does the same by path, for systems without directory descriptors
(Windows): it refuses links and junctions before each step.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pet.workspace.fs.by_path import PathFolder
from pet.workspace.fs.directory import Folder


def open_folder(path: Path, *below: str, create: bool = False) -> Folder:
    """Open a folder, or the one ``below`` it, which is made if missing with ``create``.

    The path must be resolved. Raises FolderIsLink if its last component or a folder below is a link, OSError.
    """
    folder: Folder
    if sys.platform == "win32":
        folder = PathFolder(path)
    else:
        from pet.workspace.fs.posix import PosixFolder

        folder = PosixFolder.at(path)
    for name in below:
        with folder as parent:
            folder = parent.sub(name, create=create)
    return folder

"""The format check of a pet's folder, by the number in pet.toml.

A newer program may take the folder over while this one runs, here or through a sync program: every change checks it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pet.format_version import require_known
from pet.untrusted.parsers import read_toml
from pet.workspace.fs.directory import Contents, Folder
from pet.workspace.fs.open_folder import open_folder

PET_FILE = "pet.toml"
LIMIT = 1 << 20
"""Maximum size of a text file of a workspace, in bytes."""


def require_known_pet(workspace: Path) -> None:
    """Raises NewerFormat if a newer program wrote this pet's folder. An unreadable pet.toml is accepted."""
    with suppress(OSError), open_folder(workspace.resolve()) as folder:
        require_known_folder(folder)


def require_known_folder(folder: Folder) -> None:
    """As ``require_known_pet``, for an open folder. Raises NewerFormat, OSError."""
    raw = folder.read(PET_FILE, LIMIT)
    if isinstance(raw, Contents):
        with suppress(ValueError):
            require_known(read_toml(raw.data), PET_FILE)

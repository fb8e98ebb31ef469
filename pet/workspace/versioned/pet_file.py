"""pet.toml, whose format number stands for the pet's whole folder.

A newer program may have taken the folder over while this one runs, on this computer or, through a synced folder, on
another: every change asks here first.
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
    """Raises NewerFormat if a newer program wrote this pet's folder. A pet.toml that can't be read says nothing."""
    with suppress(OSError), open_folder(workspace.resolve()) as folder:
        require_known_folder(folder)


def require_known_folder(folder: Folder) -> None:
    """The same for an open folder. Raises NewerFormat, OSError."""
    found = folder.read(PET_FILE, LIMIT)
    if isinstance(found, Contents):
        with suppress(ValueError):
            require_known(read_toml(found.data), PET_FILE)

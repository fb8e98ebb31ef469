"""Whether files that instruct a model go into prompts. The owner is asked once, in a workspace of another program.

The answer is in pet.toml, so that it goes with the pet to other machines; without one the files are used.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pet.fs.directory import Absent, Contents
from pet.model import INSTRUCTION_FILES
from pet.untrusted.parsers import read_toml
from pet.workspace.locked_file import OwnerFiles, read_raw
from pet.workspace.pet_registry import LIMIT, PET_FILE
from pet.workspace.pet_toml import write_value

_KEY = "instructions"  # "ask" at first, in ``templates.create_workspace``

Answer = Literal["use", "ask", "ignore"]


def instructions_answer(root: Path) -> Answer:
    """Return the owner's answer. While pet.toml can't be read, the files are not used."""
    raw = read_raw(root, PET_FILE, LIMIT)
    if isinstance(raw, Absent):
        return "use"
    try:
        value = read_toml(raw.data).get(_KEY, "use") if isinstance(raw, Contents) else "ignore"
    except ValueError:
        return "ignore"
    return "use" if value == "use" else "ignore" if value == "ignore" else "ask"


def held_back(root: Path) -> tuple[str, ...]:
    """Return the files that are there and not used."""
    names = [name for name in INSTRUCTION_FILES if not isinstance(read_raw(root, name, LIMIT), Absent)]
    return tuple(names) if names and instructions_answer(root) != "use" else ()


def answer_instructions(owned: OwnerFiles, *, use: bool) -> None:
    """Record the owner's answer. Raises FileBroken, NewerFormat, WriteFailed, OSError."""
    write_value(owned, _KEY, "use" if use else "ignore")

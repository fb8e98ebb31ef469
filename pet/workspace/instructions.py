"""Whether texts that instruct a model go into prompts: instruction files, and the pet's own skills.

The owner decides once, where they came with a folder that was made elsewhere.
The answer is in pet.toml, so that it goes with the pet to other machines; without one they are used.
"""

from __future__ import annotations

from pathlib import Path

from pet.errors import FileBroken
from pet.fs.directory import Absent, Contents, Raw, Unusable
from pet.model import INSTRUCTION_FILES
from pet.workspace.locked_file import OwnerFiles, read_raw
from pet.workspace.pet_registry import LIMIT, PET_FILE
from pet.workspace.pet_toml import FIRST, INSTRUCTIONS, instructions_answer, with_value, write_value
from pet.workspace.skills import FOLDER, Skills


def brought_along(root: Path) -> tuple[str, ...]:
    """Return the names of the files that instruct a model, skills included."""
    files = [name for name in INSTRUCTION_FILES if not isinstance(read_raw(root, name, LIMIT), Absent)]
    return (*files, *(skill.file.relative_to(root).as_posix() for skill in Skills(root, root / FOLDER).own()))


def held_back(root: Path) -> tuple[str, ...]:
    """Return the files that are there and not used."""
    return brought_along(root) if instructions_answer(root) != "use" else ()


def asking(raw: Raw) -> bytes | None:
    """Return pet.toml with the answer taken back; None where it can't be used, and so nothing is. Raises NewerFormat.

    One that is no TOML gets a line before everything else, so that the owner is still asked once it is repaired.
    """
    match raw:
        case Unusable():
            return None
        case Absent():
            return with_value(FIRST, INSTRUCTIONS, "ask")
        case Contents(data=data):
            try:
                return with_value(data, INSTRUCTIONS, "ask")
            except FileBroken:
                return f'{INSTRUCTIONS} = "ask"\n'.encode() + data


def ask_again(root: Path) -> None:
    """Take the answer back in a pet's folder that is not in place yet, if it brought anything. Raises NewerFormat,
    OSError."""
    data = asking(read_raw(root, PET_FILE, LIMIT)) if brought_along(root) else None
    if data is not None:
        (root / PET_FILE).write_bytes(data)


def answer_instructions(owned: OwnerFiles, *, use: bool) -> None:
    """Record the owner's answer. Raises FileBroken, NewerFormat, WriteFailed, OSError."""
    write_value(owned, INSTRUCTIONS, "use" if use else "ignore")

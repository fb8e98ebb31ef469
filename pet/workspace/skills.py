"""Skills: the owner's instruction files (``SKILL.md``), loaded by the pet on demand; and whether a pet's texts that
instruct a model, its skills included, go into prompts.

A skill needs YAML front matter with a name and a description. Links, YAML aliases and large files are refused, and
nothing is executed: YAML values are read as strings only.

Of texts that came with a folder made elsewhere the owner decides once. The answer is in pet.toml, so that it goes
with the pet to other machines; without one they are used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pet.errors import FileBroken, FileMissing
from pet.fs.directory import Absent, Contents, Folder, FolderIsLink, Raw, Signature, Unusable, open_folder
from pet.model import INSTRUCTION_FILES
from pet.untrusted.parsers import read_yaml_texts
from pet.workspace.locked_file import OwnerFiles, read_raw
from pet.workspace.pet_registry import LIMIT, PET_FILE
from pet.workspace.pet_toml import FIRST, INSTRUCTIONS, instructions_answer, with_value, write_value
from pet.workspace.text_encoding import NotText, decode_text, normalize_newlines

FILE = "SKILL.md"
FOLDER = "skills"
MAX_BYTES = 64 * 1024
_MAX_FRONT = 8 * 1024
_MAX_DESCRIPTION = 1024
_MAX_FOLDERS = 500  # further folders, in name order, are ignored
_NAME = re.compile(r"[a-z0-9-]{1,64}")
_FRONT = re.compile(r"---[ \t]*\n(?P<front>(?:.*\n)*?)---[ \t]*(?:\n|\Z)")

Origin = Literal["pet", "shared"]
Problem = Literal[
    "",
    "link",
    "not_a_file",
    "unreadable",
    "too_large",
    "not_utf8",
    "no_front_matter",
    "bad_front_matter",
    "bad_name",
    "no_description",
    "same_name",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill file. ``problem``: "", or why it is listed for the owner but not offered to the pet."""

    name: str
    description: str
    origin: Origin
    problem: Problem
    file: Path


_Known = dict[Path, tuple[Signature, Skill]]


class Skills:
    """The skills of one pet. Lists the folders on each call and re-reads only changed files."""

    def __init__(self, workspace: Path, shared: Path) -> None:
        self._workspace = workspace
        self._folders: tuple[tuple[Origin, Path], ...] = (("pet", workspace / FOLDER), ("shared", shared))
        self._known: _Known = {}

    def list_all(self) -> tuple[Skill, ...]:
        """Return all skills by name, including those with a problem; on duplicate names the pet's own wins."""
        return self._listed(self._folders)

    def _listed(self, folders: tuple[tuple[Origin, Path], ...]) -> tuple[Skill, ...]:
        known, self._known = self._known, {}
        kept: dict[str, Skill] = {}
        broken: list[Skill] = []
        for origin, folder in folders:
            for skill in self._scan(origin, folder, known):
                other = kept.get(skill.name)
                if skill.problem:
                    broken.append(skill)
                elif other is None:
                    kept[skill.name] = skill
                elif other.origin == origin:
                    broken.append(replace(skill, problem="same_name"))
        return tuple(
            sorted((*kept.values(), *broken), key=lambda skill: (skill.name, bool(skill.problem), skill.file))
        )

    def offered(self) -> tuple[Skill, ...]:
        """Return the skills the pet can load. Its own that came with the folder wait for the owner's word."""
        usable = [skill for skill in self._listed(self._folders) if not skill.problem]
        if any(skill.origin == "pet" for skill in usable) and instructions_answer(self._workspace) != "use":
            usable = [skill for skill in self._listed(self._folders[1:]) if not skill.problem]
        return tuple(usable)

    def own(self) -> tuple[Skill, ...]:
        """Return the usable skills in the pet's own folder."""
        return tuple(skill for skill in self._listed(self._folders[:1]) if not skill.problem)

    def _scan(self, origin: Origin, path: Path, known: _Known) -> list[Skill]:
        if not path.is_dir():  # as of most pets
            return []
        try:
            with open_folder(path.parent.resolve(), path.name) as folder:
                names = sorted(name for name in folder.names() if not name.startswith("."))[:_MAX_FOLDERS]
                skills = [self._one(origin, path / name / FILE, folder, known) for name in names]
        except OSError:  # missing or unreadable folder: no skills
            return []
        return [skill for skill in skills if skill is not None]

    def _one(self, origin: Origin, file: Path, skills: Folder, known: _Known) -> Skill | None:
        try:
            with skills.sub(file.parent.name, create=False) as folder:
                signature = folder.signature(FILE)
                if signature is None:
                    return None
                if file not in known or known[file][0] != signature:
                    known[file] = signature, _read(origin, file, folder)
                self._known[file] = known[file]
                return known[file][1]
        except (NotADirectoryError, _Missing):  # the first: a file among the folders
            return None
        except FolderIsLink:
            return None if (file.parent.is_file() and not file.parent.is_symlink()) else _broken(origin, file, "link")
        except OSError:
            return _broken(origin, file, "unreadable")


def load_skill(skill: Skill) -> str:
    """Return the text below the front matter. Raises FileMissing, FileBroken."""
    home = skill.file.parent
    shown = f"{FOLDER}/{home.name}/{FILE}"
    try:
        with open_folder(home.parents[1].resolve(), home.parent.name, home.name) as folder:
            text = _text(folder)
    except (FileNotFoundError, _Missing):
        raise FileMissing(file=shown) from None
    except FolderIsLink:
        raise FileBroken(file=shown, problem="link") from None
    except OSError:
        raise FileBroken(file=shown, problem="unreadable") from None
    except _Wrong as wrong:
        raise FileBroken(file=shown, problem=wrong.problem) from None
    front = _FRONT.match(text)
    return text[front.end() :].strip() if front else text.strip()


class _Missing(Exception):
    """There is no SKILL.md."""


class _Wrong(Exception):
    """The skill can't be used."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem


def _read(origin: Origin, file: Path, folder: Folder) -> Skill:
    try:
        return parse_skill(_text(folder), origin, file)
    except _Wrong as wrong:
        return _broken(origin, file, wrong.problem)


def parse_skill(text: str, origin: Origin, file: Path) -> Skill:
    """Return the skill that a SKILL.md of this text is, with its problem if it has one."""
    try:
        fields = _fields(text)
    except _Wrong as wrong:
        return _broken(origin, file, wrong.problem)
    name, description = fields.get("name"), fields.get("description")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return _broken(origin, file, "bad_name")
    if not isinstance(description, str) or not description.strip():
        return replace(_broken(origin, file, "no_description"), name=name)
    return Skill(
        name=name,
        description=" ".join(description.split())[:_MAX_DESCRIPTION],
        origin=origin,
        problem="",
        file=file,
    )


def is_skill_name(name: str) -> bool:
    """Whether this is the workspace name of a pet's own SKILL.md."""
    folder, _, rest = name.partition("/")
    home, _, leaf = rest.partition("/")
    return folder == FOLDER and leaf == FILE and _NAME.fullmatch(home) is not None


def _text(folder: Folder) -> str:
    match folder.read(FILE, MAX_BYTES):
        case Absent():
            raise _Missing
        case Unusable(problem=problem):
            raise _Wrong(problem)
        case Contents(data=data):
            try:
                return normalize_newlines(decode_text(data).text)
            except NotText:
                raise _Wrong("not_utf8") from None


def _fields(text: str) -> dict[object, object]:
    front = _FRONT.match(text)
    if front is None:
        raise _Wrong("no_front_matter")
    try:
        fields = read_yaml_texts(front["front"]) if len(front["front"]) <= _MAX_FRONT else None
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise _Wrong("bad_front_matter")
    return fields


def _broken(origin: Origin, file: Path, problem: Problem) -> Skill:
    return Skill(name=file.parent.name[:64], description="", origin=origin, problem=problem, file=file)


# --- instructions that came with a folder


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

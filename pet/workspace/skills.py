"""Skills: the owner's instruction files, loaded by the pet on demand.

Validates ``SKILL.md``: plain folders and files, YAML front matter with a name and a description. Refuses links, YAML
aliases and large files, and never executes anything: YAML values are read as strings only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pet.errors import FileBroken, FileMissing
from pet.untrusted.parsers import read_yaml_texts
from pet.workspace.fs.directory import Absent, Contents, Folder, FolderIsLink, Signature, Unusable
from pet.workspace.fs.open_folder import open_folder
from pet.workspace.text.encoded_text import NotText, decode_text, normalize_newlines

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
    """``problem`` is "" or the reason it is listed for the owner but not offered to the pet."""

    name: str
    description: str
    origin: Origin
    problem: Problem
    file: Path


class Skills:
    """The skills of one pet. Lists the folders on each call and re-reads only changed files."""

    def __init__(self, workspace: Path, shared: Path) -> None:
        self._folders: tuple[tuple[Origin, Path], ...] = (("pet", workspace / FOLDER), ("shared", shared))
        self._known: dict[Path, tuple[Signature, Skill]] = {}

    def found(self) -> tuple[Skill, ...]:
        """Return all skills by name, including those with a problem; on duplicate names the pet's own wins."""
        known = self._known
        self._known = {}
        kept: dict[str, Skill] = {}
        broken: list[Skill] = []
        for origin, folder in self._folders:
            for skill in _look(origin, folder, known, self._known):
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
        """Return the skills the pet can load."""
        return tuple(skill for skill in self.found() if not skill.problem)


def load_skill(skill: Skill) -> str:
    """Read and return the text below the front matter. Raises FileMissing or FileBroken."""
    home = skill.file.parent
    try:
        with open_folder(home.parents[1].resolve(), home.parent.name, home.name) as folder:
            text = _text(folder)
    except FileNotFoundError:
        raise FileMissing(file=_shown(home)) from None
    except FolderIsLink:
        raise FileBroken(file=_shown(home), problem="link") from None
    except OSError:
        raise FileBroken(file=_shown(home), problem="unreadable") from None
    if text is None:
        raise FileMissing(file=_shown(home))
    if isinstance(text, _Wrong):
        raise FileBroken(file=_shown(home), problem=text.problem)
    front = _FRONT.match(text)
    return text[front.end() :].strip() if front else text.strip()


def _shown(home: Path) -> str:
    return f"{FOLDER}/{home.name}/{FILE}"


# --- looking ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Wrong:
    problem: Problem


def _look(
    origin: Origin,
    path: Path,
    known: dict[Path, tuple[Signature, Skill]],
    seen: dict[Path, tuple[Signature, Skill]],
) -> list[Skill]:
    try:
        with open_folder(path.parent.resolve(), path.name) as folder:
            names = sorted(name for name in folder.names() if not name.startswith("."))[:_MAX_FOLDERS]
            found = [_one(origin, path / name / FILE, folder, known, seen) for name in names]
    except OSError:  # missing or unreadable folder: no skills
        return []
    return [skill for skill in found if skill is not None]


def _one(
    origin: Origin,
    file: Path,
    skills: Folder,
    known: dict[Path, tuple[Signature, Skill]],
    seen: dict[Path, tuple[Signature, Skill]],
) -> Skill | None:
    name = file.parent.name
    try:
        with skills.sub(name, create=False) as folder:
            signature = folder.signature(FILE)
            if signature is None:
                return None
            if file in known and known[file][0] == signature:
                seen[file] = known[file]
                return known[file][1]
            skill = _read(origin, file, folder)
            if skill is not None:
                seen[file] = (signature, skill)
            return skill
    except NotADirectoryError:  # a file among the folders
        return None
    except FolderIsLink:
        return None if (file.parent.is_file() and not file.parent.is_symlink()) else _broken(origin, file, "link")
    except OSError:
        return _broken(origin, file, "unreadable")


def _read(origin: Origin, file: Path, folder: Folder) -> Skill | None:
    text = _text(folder)
    if text is None:
        return None
    if isinstance(text, _Wrong):
        return _broken(origin, file, text.problem)
    front = _FRONT.match(text)
    if front is None:
        return _broken(origin, file, "no_front_matter")
    fields = _fields(front["front"])
    if isinstance(fields, _Wrong):
        return _broken(origin, file, fields.problem)
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


def _text(folder: Folder) -> str | _Wrong | None:
    match folder.read(FILE, MAX_BYTES):
        case Absent():
            return None
        case Unusable(problem=problem):
            return _Wrong(problem)
        case Contents(data=data):
            try:
                return normalize_newlines(decode_text(data).text)
            except NotText:
                return _Wrong("not_utf8")


def _broken(origin: Origin, file: Path, problem: Problem) -> Skill:
    return Skill(name=file.parent.name[:64], description="", origin=origin, problem=problem, file=file)


# --- front matter -------------------------------------------------------------------------------


def _fields(front: str) -> dict[object, object] | _Wrong:
    if len(front) > _MAX_FRONT:
        return _Wrong("bad_front_matter")
    try:
        fields = read_yaml_texts(front)
    except ValueError:
        return _Wrong("bad_front_matter")
    return fields if isinstance(fields, dict) else _Wrong("bad_front_matter")

"""A file's state from its raw content. Pure."""

from __future__ import annotations

from pet.errors import FileBroken
from pet.model import Broken, FileState, Missing, Present
from pet.workspace.fs.directory import Absent, Contents, Raw, Unusable, version_of
from pet.workspace.text.encoded_text import NotText, decode_text


def file_state(name: str, raw: Raw) -> FileState:
    """Return the content as text, as missing, or as broken if it can't be used."""
    match raw:
        case Absent():
            return Missing(name=name)
        case Unusable(problem=problem):
            return Broken(name=name, problem=problem, version="")
        case Contents(data=data):
            try:
                return Present(name=name, text=decode_text(data).text, version=version_of(data))
            except NotText:
                return Broken(name=name, problem="not_utf8", version=version_of(data))


def contents_of(name: str, raw: Raw) -> Contents | None:
    """Return the file's bytes and mode, None without a file. Raises FileBroken if it can't be used."""
    match raw:
        case Unusable(problem=problem):
            raise FileBroken(file=name, problem=problem)
        case Contents():
            return raw
        case Absent():
            return None

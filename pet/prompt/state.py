"""What state a file is in, as far as the guidance after its section depends on it."""

from __future__ import annotations

from typing import Literal

from pet.access.policy import FileKind
from pet.model import OPTIONAL_FILES, CoreFile, FileState, Missing, Present
from pet.text.comments import replace_comments
from pet.text.lazy_pattern import lazy_pattern

_THIN, _RICH = 80, 1_200  # weight of what is filled in; a wide character weighs 2
_NEARLY_FULL = 0.8  # of the file's limit

_MARKS = lazy_pattern(r"^[\s>#*+\-\d.)_]+|[\s*_]+$")
_PLACEHOLDER = lazy_pattern(r"^[(（\[【<＜].*[)）\]】>＞]$|^[_.…?？—-]*$")

KINDS = {
    CoreFile.SOUL.value: FileKind.SOUL,
    CoreFile.USER.value: FileKind.USER,
    CoreFile.MEMORY.value: FileKind.MEMORY,
    **dict.fromkeys(OPTIONAL_FILES, FileKind.OPTIONAL),
}
"""The files a prompt may hold, with what the gate calls them. No other name gets into it."""


def text_of(state: FileState) -> str:
    """The file's text with ``\\n`` line ends; "" where there is none to read."""
    if not isinstance(state, Present):
        return ""
    return state.text.replace("\r\n", "\n").replace("\r", "\n")


def user_state(state: FileState, limit: int) -> Literal["none", "thin", "some", "rich", "full"]:
    if isinstance(state, Missing):
        return "none"
    text = text_of(state)
    if len(text) >= limit * _NEARLY_FULL:
        return "full"
    weight = filled_in(text)
    if weight < _THIN:
        return "thin"
    return "rich" if weight >= _RICH else "some"


def memory_state(state: FileState, limit: int) -> Literal["none", "some", "full"]:
    text = text_of(state)
    if not text.strip():
        return "none"
    return "full" if len(text) >= limit * _NEARLY_FULL else "some"


def filled_in(text: str) -> int:
    """How much a profile says beyond headings, labels and placeholders. Stops counting where it is much."""
    weight = 0
    for line in replace_comments(text).split("\n"):
        if line.lstrip().startswith("#"):
            continue
        said = _MARKS.sub("", line)
        label, colon, value = said.partition("：") if "：" in said else said.partition(":")
        if colon and len(label) <= 40:
            said = value.strip(" *_")
        if not _PLACEHOLDER.match(said):
            weight += len(said) + sum(1 for char in said if char > "\u2e7f")
        if weight >= _RICH:
            break
    return weight

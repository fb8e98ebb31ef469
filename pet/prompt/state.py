"""States of the profile and memory files that decide the guide after their section."""

from __future__ import annotations

from typing import Literal

from pet.model import FileState, Missing, Present
from pet.text.comments import replace_comments
from pet.text.lazy_pattern import lazy_pattern

_THIN, _RICH = 80, 1_200  # weight of the filled-in text; a wide character weighs 2
_NEARLY_FULL = 0.8  # of the file's limit

_MARKS = lazy_pattern(r"^[\s>#*+\-\d.)_]+|[\s*_]+$")
_PLACEHOLDER = lazy_pattern(r"^[(（\[【<＜].*[)）\]】>＞]$|^[_.…?？—-]*$")


def text_of(state: FileState) -> str:
    """Return the file's text with ``\n`` line ends; "" if it can't be read."""
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
    """Return the weight of a profile's text beyond headings, labels and placeholders; stops counting at _RICH."""
    weight = 0
    for line in replace_comments(text).split("\n"):
        if line.lstrip().startswith("#"):
            continue
        text_part = _MARKS.sub("", line)
        label, colon, value = text_part.partition("：") if "：" in text_part else text_part.partition(":")
        if colon and len(label) <= 40:
            text_part = value.strip(" *_")
        if not _PLACEHOLDER.match(text_part):
            weight += len(text_part) + sum(1 for char in text_part if char > "\u2e7f")
        if weight >= _RICH:
            break
    return weight

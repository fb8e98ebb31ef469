"""New texts of files from decisions: a line more, or exactly one line replaced. Pure.

No other line changes: every function returns the file's other lines as they were, byte for byte.
"""

from __future__ import annotations

import re
from datetime import date

from pet.engine.notebook_corrections import bare, naming_words
from pet.engine.notebook_decisions import SoulChange, new_name
from pet.memory.daily_log import add_speaker
from pet.prompt.small_model_prompts import Line, is_shown_whole

_LONGEST_NOTE = 400
_MARK = re.compile(r"^(\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+)?((?:owner|主人)\s?[:：]\s*)?", re.I)
_STATED_NAME = re.compile(
    r"\b(?:my name is|i(?:'m| am)(?: called| named)?|call me|me llamo|soy|mi nombre es)\s+\**"
    r"((?-i:[^\W\d_a-z])[\w'\u2019-]{0,30})"
    r"|我(?:的名字)?(?:叫做|叫|是)\s*\**([^\s\W\d_]{1,6}?)(?=[\s\W]|$)",
    re.I,
)
"""Where a soul says what the pet is called."""
_LABEL = re.compile(r"^[^:：()（）]{1,40}[:：]\s*")


def with_note(text: str, message: str, today: date) -> str | None:
    """MEMORY.md with the owner's sentence at its end; None if it says so already."""
    said = " ".join(message.split())
    if len(said) > _LONGEST_NOTE:
        said = said[: _LONGEST_NOTE - 1].rstrip() + "…"
    if any(bare(line).casefold() == bare(said).casefold() for line in text.split("\n")):
        return None
    before = text.rstrip("\n")
    entry = f"- {add_speaker(said, 'owner')} ({today.isoformat()})\n"
    return f"{before}\n{entry}" if before.strip() else entry


def with_line(text: str, line: Line, new: str, today: date) -> str | None:
    """The file with exactly this line replaced; None if the line is not there any more, or would stay the same.

    List mark and label ("Name:") of the old line stay where the new words don't have them."""
    lines = text.split("\n")
    if line.index >= len(lines) or lines[line.index].strip() != line.text:
        return None
    old = lines[line.index]
    mark = _MARK.match(old)
    front = mark[0] if mark else ""
    said = bare(new)
    label = _LABEL.match(old[len(front) :])
    if label and not _LABEL.match(said) and not naming_words(label[0]) & naming_words(said):
        front += label[0]
    ending = "\r" if old.endswith("\r") else ""
    made = f"{front}{said} ({today.isoformat()}){ending}"
    if bare(made) == bare(old):
        return None
    lines[line.index] = made
    return "\n".join(lines)


def with_soul(text: str, line: Line, change: SoulChange) -> str | None:
    """SOUL.md with one line replaced, or one line more after it; None if the line is not there any more.

    A line that the model was shown cut is never replaced: the new one is added after it.
    """
    lines = text.split("\n")
    if line.index >= len(lines) or lines[line.index].strip() != line.text:
        return None
    old = lines[line.index]
    mark = re.match(r"\s*(?:[-*+\u2022]\s+)?", old)
    front = mark[0] if mark else ""
    new = front + re.sub(r"^[-*+\u2022]\s+", "", change.new)
    if new.strip() == old.strip():
        return None
    if change.how == "replace" and is_shown_whole(line):
        lines[line.index] = new
    else:
        lines.insert(line.index + 1, new)
    return "\n".join(lines)


def with_name(text: str, message: str) -> str | None:
    """SOUL.md with the pet's name replaced, wherever it occurs, by the one the message gives it.

    None if the message gives none, or SOUL.md doesn't say what the pet is called.
    """
    new, stated = new_name(message), _STATED_NAME.search(text)
    if new is None or stated is None:
        return None
    old = next(group for group in stated.groups() if group)
    if old == new:
        return None
    bounds = (r"\b", r"\b") if old.isascii() else ("", "")
    return re.sub(re.escape(old).join(bounds), lambda _: new, text)

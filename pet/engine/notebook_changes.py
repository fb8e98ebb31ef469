"""File texts after a decision: one line added, or exactly one replaced. Pure.

Every function returns the file's other lines unchanged, byte for byte.
"""

from __future__ import annotations

import re
from datetime import date

from pet.engine.notebook_corrections import bare, naming_words
from pet.engine.notebook_decisions import SoulChange
from pet.engine.notebook_wishes import new_name
from pet.memory.daily_log import add_speaker
from pet.prompt.small_model_prompts import Line

_LONGEST_NOTE = 400
_MARK = re.compile(r"^(\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+)?((?:owner|主人)\s?[:：]\s*)?", re.I)
_STATED_NAME = re.compile(
    r"\b(?:my name is|i(?:'m| am)(?: called| named)?|call me|me llamo|soy|mi nombre es)\s+\**"
    r"((?-i:[^\W\d_a-z])[\w'\u2019-]{0,30})"
    r"|我(?:的名字)?(?:叫做|叫|是)\s*\**([^\s\W\d_]{1,6}?)(?=[\s\W]|$)",
    re.I,
)
"""A statement of the pet's name in SOUL.md."""
_LABEL = re.compile(r"^[^:：()（）]{1,40}[:：]\s*")


def with_note(text: str, message: str, today: date, profile: str = "") -> str | None:
    """Return MEMORY.md with the owner's sentence appended; None if it or USER.md, the ``profile``, has it already."""
    sentence = " ".join(message.split())
    if len(sentence) > _LONGEST_NOTE:
        sentence = sentence[: _LONGEST_NOTE - 1].rstrip() + "…"
    if any(bare(line).casefold() == bare(sentence).casefold() for line in f"{text}\n{profile}".split("\n")):
        return None
    before = text.rstrip("\n")
    entry = f"- {add_speaker(sentence, 'owner')} ({today.isoformat()})\n"
    return f"{before}\n{entry}" if before.strip() else entry


def with_line(text: str, line: Line, new: str, today: date) -> str | None:
    """Return the file with exactly this line replaced; None if the line is gone or would not change.

    The old line's list mark and label ("Name:") stay unless the new words have their own."""
    lines = text.split("\n")
    if line.index >= len(lines) or lines[line.index].strip() != line.text:
        return None
    old = lines[line.index]
    mark = _MARK.match(old)
    front = mark[0] if mark else ""
    words = bare(new)
    label = _LABEL.match(old[len(front) :])
    if label and not _LABEL.match(words) and not naming_words(label[0]) & naming_words(words):
        front += label[0]
    ending = "\r" if old.endswith("\r") else ""
    changed = f"{front}{words} ({today.isoformat()}){ending}"
    if bare(changed) == bare(old):
        return None
    lines[line.index] = changed
    return "\n".join(lines)


def with_soul(text: str, line: Line, change: SoulChange) -> str | None:
    """Return SOUL.md with one line added after ``line``; None if that is gone. No line is ever replaced: the owner
    sees the old and the new one, and decides."""
    lines = text.split("\n")
    if line.index >= len(lines) or lines[line.index].strip() != line.text:
        return None
    old = lines[line.index]
    mark = re.match(r"\s*(?:[-*+\u2022]\s+)?", old)
    front = mark[0] if mark else ""
    new = front + re.sub(r"^[-*+\u2022]\s+", "", change.new)
    if new.strip() == old.strip():
        return None
    lines.insert(line.index + 1, new)
    return "\n".join(lines)


def with_name(text: str, message: str) -> str | None:
    """Return SOUL.md with every occurrence of the pet's name replaced by the one in the message.

    None if the message gives no name, or SOUL.md states none.
    """
    new, stated = new_name(message), _STATED_NAME.search(text)
    if new is None or stated is None:
        return None
    old = next(group for group in stated.groups() if group)
    if old == new:
        return None
    bounds = (r"\b", r"\b") if old.isascii() else ("", "")
    return re.sub(re.escape(old).join(bounds), lambda _: new, text)

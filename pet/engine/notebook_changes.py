"""SOUL.md after a wish about the pet: one line added, or its name replaced. Pure."""

from __future__ import annotations

import re

from pet.engine.notebook_decisions import SoulChange
from pet.engine.notebook_wishes import new_name
from pet.prompt.small_model_prompts import Line

_STATED_NAME = re.compile(
    r"\b(?:my name is|i(?:'m| am)(?: called| named)?|call me|me llamo|soy|mi nombre es)\s+\**"
    r"((?-i:[^\W\d_a-z])[\w'\u2019-]{0,30})"
    r"|我(?:的名字)?(?:叫做|叫|是)\s*\**([^\s\W\d_]{1,6}?)(?=[\s\W]|$)",
    re.I,
)
"""A statement of the pet's name in SOUL.md."""


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

"""Marks of git and other merging programs around two versions of a text. Pure."""

from __future__ import annotations

_MARKS = ("<<<<<<<", "=======", ">>>>>>>")


def holds_two_versions(text: str) -> bool:
    """Return whether the text contains all three kinds of marked lines, in order."""
    count = 0
    for line in text.splitlines() if _MARKS[0] in text else ():
        if _mark(line) == _MARKS[count]:
            count += 1
            if count == len(_MARKS):
                return True
    return False


def split_versions(text: str) -> tuple[str, str, str | None]:
    """Return ours, theirs and, if git recorded it, the common base."""
    parts: dict[str, list[str]] = {"ours": [], "base": [], "theirs": []}
    at, with_base = "", False
    for line in text.splitlines(keepends=True):
        mark = _mark(line)
        if mark == "<<<<<<<" and not at:
            at = "ours"
        elif mark == "|||||||" and at == "ours":
            at, with_base = "base", True
        elif mark == "=======" and at in ("ours", "base"):
            at = "theirs"
        elif mark == ">>>>>>>" and at == "theirs":
            at = ""
        else:
            for side in (at,) if at else parts:
                parts[side].append(line)
    ours, base, theirs = ("".join(lines) for lines in parts.values())
    return ours, theirs, base if with_base else None


def _mark(line: str) -> str:
    return line[:7] if line[7:8] in ("", " ", "\n", "\r") else ""

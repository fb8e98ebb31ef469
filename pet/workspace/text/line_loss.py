"""Share of a file's lines that a change removes. Pure; above a quarter the tools ask for confirmation.

A line is kept if its text, without white space and list markers, occurs anywhere in the new file.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"^(?:[-*+•·>#]+|\d{1,3}[.)\u3001\uff0e]|\[[ xX]?\])")
_SPACE = re.compile(r"\s+")


def removed_line_ratio(start: str, after: str) -> float:
    """Return the share of non-empty lines of ``start`` missing from ``after``: 0.0 to 1.0."""
    lines = [text for text in map(_bare, start.splitlines()) if text]
    if not lines:
        return 0.0
    kept_in = "\n".join(map(_bare, after.splitlines()))
    return sum(line not in kept_in for line in lines) / len(lines)


def _bare(line: str) -> str:
    """Strip white space (U+3000 and NBSP too) and list, quote and heading markers."""
    text = _SPACE.sub("", line)
    while (shorter := _MARK.sub("", text)) != text:
        text = shorter
    return text

"""Lines of a file that a change drops without a replacement. Pure.

A line is kept if its text, without white space and list markers, occurs anywhere in the new file. A line that is
replaced by a new one is corrected, not lost.
"""

from __future__ import annotations

import re

from pet.workspace.text.merge import changes

_MARK = re.compile(r"^(?:[-*+•·>#]+|\d{1,3}[.)\u3001\uff0e]|\[[ xX]?\])")
_SPACE = re.compile(r"\s+")


def dropped_line_count(start: str, after: str) -> int:
    """Return how many non-empty lines of ``start`` are neither in ``after`` nor replaced by a new line.

    If a block of lines is replaced by fewer new ones, the difference counts as dropped.
    """
    old, new = _bare_lines(start), _bare_lines(after)
    new_text, old_set = "\n".join(new), set(old)
    dropped = 0
    for first, last, new_first, new_last in changes(old, new):
        missing = sum(line not in new_text for line in old[first:last])
        added = sum(line not in old_set for line in new[new_first:new_last])
        dropped += max(0, missing - added)
    return dropped


def dropped_line_ratio(start: str, after: str) -> float:
    """Return ``dropped_line_count`` as a share of the non-empty lines of ``start``: 0.0 to 1.0."""
    lines = len(_bare_lines(start))
    return dropped_line_count(start, after) / lines if lines else 0.0


def _bare_lines(text: str) -> list[str]:
    return [bare for bare in map(_bare, text.splitlines()) if bare]


def _bare(line: str) -> str:
    """Strip white space (U+3000 and NBSP too) and list, quote and heading markers."""
    text = _SPACE.sub("", line)
    while (shorter := _MARK.sub("", text)) != text:
        text = shorter
    return text

"""A list of memories as ChatGPT and Claude show it or write it out when asked: one in each line, bulleted, numbered
or plain, some with the day it was saved in brackets. Pure."""

from __future__ import annotations

import re

_FENCE = re.compile(r"\s*(?:```|~~~).*")
_MARK = re.compile(r"\s*(?:[-*+\u2022\u00b7]|\d{1,4}[.)])\s+")
_DATED = re.compile(r"\[(\d{4}-\d{2}-\d{2})[^\]\n]{0,20}\]\s*(?:[-\u2013\u2014:]\s*)?")
_UNDATED = re.compile(
    r"\[(?:unknown|no date|date unknown|n/a|date saved[^\]]{0,20})\]\s*(?:[-\u2013\u2014:]\s*)?", re.IGNORECASE
)


def read_memory_list(text: str) -> str:
    """The list as Markdown bullets, each once under its heading with what is indented below it, the day after it."""
    found: list[str] = []
    bullets: list[str] = []
    indent = 0
    for line in text.split("\n"):
        if not line.strip() or _FENCE.fullmatch(line):
            continue
        if line.startswith("#"):
            found += [*dict.fromkeys(bullets), f"\n{line.strip()}\n"]
            bullets = []
            continue
        said = _MARK.sub("", line, count=1).strip()
        dated = _DATED.match(said)
        said = _UNDATED.sub("", said[dated.end() :] if dated else said, count=1).strip()
        if not said:
            continue
        bullet = f"- {said}" + (f" ({dated[1]})" if dated else "")
        depth = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
        if bullets and depth > indent + 1:
            bullets[-1] += f"\n  {bullet}"
        else:
            bullets.append(bullet)
            indent = depth
    return "\n".join([*found, *dict.fromkeys(bullets)]).strip()

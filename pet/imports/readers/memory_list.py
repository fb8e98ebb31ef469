"""Parse a memory list as ChatGPT and Claude print it: one per line, bulleted, numbered or plain, some dated. Pure."""

from __future__ import annotations

import re

_FENCE = re.compile(r"\s*(?:```|~~~).*")
_MARK = re.compile(r"\s*(?:[-*+\u2022\u00b7]|\d{1,4}[.)])\s+")
_DATED = re.compile(r"\[(\d{4}-\d{2}-\d{2})[^\]\n]{0,20}\]\s*(?:[-\u2013\u2014:]\s*)?")
_UNDATED = re.compile(
    r"\[(?:unknown|no date|date unknown|n/a|date saved[^\]]{0,20})\]\s*(?:[-\u2013\u2014:]\s*)?", re.IGNORECASE
)


def read_memory_list(text: str) -> str:
    """Return Markdown bullets, de-duplicated per heading, with nested lines, the date at the end."""
    blocks: list[str] = []
    bullets: list[str] = []
    indent = 0
    for line in text.split("\n"):
        if not line.strip() or _FENCE.fullmatch(line):
            continue
        if line.startswith("#"):
            blocks += [*dict.fromkeys(bullets), f"\n{line.strip()}\n"]
            bullets = []
            continue
        memory = _MARK.sub("", line, count=1).strip()
        dated = _DATED.match(memory)
        memory = _UNDATED.sub("", memory[dated.end() :] if dated else memory, count=1).strip()
        if not memory:
            continue
        bullet = f"- {memory}" + (f" ({dated[1]})" if dated else "")
        depth = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
        if bullets and depth > indent + 1:
            bullets[-1] += f"\n  {bullet}"
        else:
            bullets.append(bullet)
            indent = depth
    return "\n".join([*blocks, *dict.fromkeys(bullets)]).strip()

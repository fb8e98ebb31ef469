"""Front matter and embeds of Markdown notes, which say nothing themselves. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from pet.text.lazy_pattern import lazy_pattern

FRONT_MATTER = lazy_pattern(
    r"\A---[ \t]*\n(?P<fields>(?:[ \t#-].*\n|[^\s:#-][^:\n]*:.*\n|\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
)
"""Fields in YAML at the start of a note, between lines of dashes; a text between two rules is not one."""
EMBED = lazy_pattern(r"!\[\[[^\]\n]{0,300}+\]\]|!\[[^\]\n]{0,300}+\]\([^)\n]{0,2000}+\)")
_LIST_MARK = lazy_pattern(r"[ \t]*(?:[-*+>][ \t]*)*")


def without_embeds(line: str) -> str | None:
    """Return the line without its embeds; None if they are all that it holds."""
    kept = EMBED.sub("", line) if "![" in line else line
    if kept == line:
        return line
    mark = _LIST_MARK.match(kept)
    return kept.rstrip() if kept[mark.end() if mark else 0 :].strip() else None


def blank_unsaid(lines: Sequence[str]) -> list[str]:
    """Return the lines of a whole text with empty ones for its front matter and for embeds alone."""
    front = FRONT_MATTER.match("\n".join(lines[:200])) if lines and lines[0].startswith("---") else None
    hidden = front[0].count("\n") if front else 0
    return ["" if at < hidden or without_embeds(line) is None else line for at, line in enumerate(lines)]

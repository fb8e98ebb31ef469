"""What a text holds besides its words: HTML comments, front matter and embeds of notes, marks of merging programs
around two versions, and the ``<pet-…>`` sections of a request that hold data. Pure.

A section is enclosed by ``<pet-… >`` and ``</pet-…>``, each on a line alone. Texts that go in must have been through
``pet.prompt.fence.escape``, so that none can end its section.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pet.text.lazy_pattern import lazy_pattern
from pet.text.unseen import without_tag_characters

_COMMENT = lazy_pattern(r"<!--.*?-->", re.DOTALL)


def replace_comments(text: str, put: str | Callable[[re.Match[str]], str] = "") -> str:
    """Return the text with each HTML comment replaced by ``put``."""
    # Bounded by the last end: each comment without an end would otherwise scan the whole rest.
    end = text.rfind("-->") + len("-->")
    return _COMMENT.sub(put, text[:end]) + text[end:]


FILE = "pet-file"
SUMMARY = "pet-summary"
TALK = "pet-talk"
SENT = "pet-sent"
TAGS = (FILE, SUMMARY, TALK, SENT)

_SECTION = re.compile(r"^<(?P<tag>pet-[a-z]+)[^\n]*>\n(?P<text>.*?)\n</(?P=tag)>$", re.MULTILINE | re.DOTALL)


def fenced(name: str, text: str, state: str = "") -> str:
    """Return the section of one of the pet's files."""
    about = f' state="{state}"' if state else ""
    return f'<{FILE} name="{name}"{about}>\n{text}\n</{FILE}>'


def sent_file(name: str, text: str) -> str:
    """Return the section of a file that came with a message, or of a web page; ``name`` is one line."""
    shown = name.replace('"', "'")
    return f'<{SENT} name="{without_tag_characters(shown)}">\n{without_tag_characters(text)}\n</{SENT}>'


def wrap(tag: str, text: str) -> str:
    """Return the section of a summary, or of messages to be summarised."""
    return f"<{tag}>\n{text}\n</{tag}>"


def unwrap(text: str) -> str:
    """Return the text inside the sections, without tags and the headings between; ``text`` without any section."""
    return "\n".join(section["text"] for section in _SECTION.finditer(text)) or text


def has_instructions(text: str) -> bool:
    """Whether a file of instructions has text besides headings, quotes and comments."""
    lines = replace_comments(text).splitlines()
    return any(line.strip().strip("-*+ ") and not line.lstrip().startswith(("#", ">")) for line in lines)


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

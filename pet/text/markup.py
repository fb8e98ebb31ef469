"""HTML comments, and the ``<pet-…>`` sections of a request that hold data. Pure.

A section is enclosed by ``<pet-… >`` and ``</pet-…>``, each on a line alone. Texts that go in must have been through
``pet.prompt.fence.escape``, so that none can end its section.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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

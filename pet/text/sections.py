"""The sections of a request that hold data: a file, a summary, talk to be summarised, a file sent along; pure.

A section stands between ``<pet-… >`` and ``</pet-…>`` on lines of their own. Texts that go in must have been through
``pet.prompt.fence.escape``, so that none can end its section.
"""

from __future__ import annotations

import re

FILE = "pet-file"
SUMMARY = "pet-summary"
TALK = "pet-talk"
SENT = "pet-sent"
TAGS = (FILE, SUMMARY, TALK, SENT)

_SECTION = re.compile(r"^<(?P<tag>pet-[a-z]+)[^\n]*>\n(?P<text>.*?)\n</(?P=tag)>$", re.MULTILINE | re.DOTALL)


def fenced(name: str, text: str, state: str = "") -> str:
    """The section of a file."""
    about = f' state="{state}"' if state else ""
    return f'<{FILE} name="{name}"{about}>\n{text}\n</{FILE}>'


def sent_file(name: str, text: str) -> str:
    """A file of the owner's that came with a message and is none of the pet's; ``name`` is one line."""
    shown = name.replace('"', "'")
    return f'<{SENT} name="{shown}">\n{text}\n</{SENT}>'


def wrap(tag: str, text: str) -> str:
    """What is no file: a summary, or talk to be summarised."""
    return f"<{tag}>\n{text}\n</{tag}>"


def unwrap(text: str) -> str:
    """What stands in the sections, without their tags and the headings for the model; ``text`` if there are none."""
    return "\n".join(section["text"] for section in _SECTION.finditer(text)) or text

"""Kinds of entries that a question names: "what do I like?", "which of my friends …"; pure.

A note's kind is its category in a log, or the heading above it in a core file. An utterance is a ``QUESTION`` of the
owner's, a ``REPLY`` of the pet's, or of no kind: a statement of the owner's.
"""

from __future__ import annotations

import json
import re
from functools import cache

from pet.language import read_table

TASK = "todo"
CATEGORIES = ("preference", "fact", "decision", TASK, "person", "event", "general")
"""Categories offered to the pet. Others, written by hand or by older versions, are kept."""
TOLD = ("event", "person", "decision", "preference")
"""Categories that the pet brings up again, after a year or as a first time; the most telling first."""
QUESTION, REPLY = "question", "reply"
STATEMENTS_PER_REPLY = 3
"""Statements of the owner that are considered for a message, for one of the pet's replies."""


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    rows = json.loads(read_table("categories.json"))
    return {name: (re.compile(row["asked"]), re.compile(row["listed"])) for name, row in rows.items()}


def asked_category(question: str) -> str:
    """Return the category that a question (in small letters) names; "" for others."""
    return next((name for name, (asked, _) in _patterns().items() if asked.search(question)), "")


def lists_category(question: str) -> bool:
    """Return whether a question asks for a category as a whole.

    >>> lists_category("my preferences?"), lists_category("my preferences for tea")
    (True, False)
    """
    return any(listed.search(question) for _, listed in _patterns().values())


def category_of(heading: str) -> str:
    """Return the category of entries under a heading; "" for one that names none.

    >>> category_of("preference"), category_of("Likes and dislikes"), category_of("Trip to Rome")
    ('preference', 'preference', '')
    """
    return asked_category(heading.casefold())

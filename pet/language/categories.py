"""Kinds of entries that a question names: "what do I like?", "which of my friends …"; pure.

A note's kind is its category in a log, or the heading above it in a core file. An utterance is a ``QUESTION`` of the
owner's, a ``REPLY`` of the pet's, or of no kind: a statement of the owner's.
"""

from __future__ import annotations

from pet.language import pattern_of, read_rows

TASK = "todo"
CATEGORIES = ("preference", "fact", "decision", TASK, "person", "event", "general")
"""Categories offered to the pet. Others, written by hand or by older versions, are kept."""
TOLD = ("event", "person", "decision", "preference")
"""Categories that the pet brings up again, after a year or as a first time; the most telling first."""
QUESTION, REPLY = "question", "reply"
STATEMENTS_PER_REPLY = 3
"""Statements of the owner that are considered for a message, for one of the pet's replies."""


_ROWS = "categories.json"
_ALL = "all: "  # before a kind of patterns that ask for a category as a whole


def asked_category(question: str) -> str:
    """Return the category that a question (in small letters) names; "" for others."""
    names = (kind for kind in read_rows(_ROWS) if not kind.startswith(_ALL))
    return next((name for name in names if pattern_of(_ROWS, name).search(question)), "")


def lists_category(question: str) -> bool:
    """Return whether a question asks for a category as a whole.

    >>> lists_category("my preferences?"), lists_category("my preferences for tea")
    (True, False)
    """
    return any(pattern_of(_ROWS, kind).search(question) for kind in read_rows(_ROWS) if kind.startswith(_ALL))


def category_of(heading: str) -> str:
    """Return the category of entries under a heading; "" for one that names none.

    >>> category_of("preference"), category_of("Likes and dislikes"), category_of("Trip to Rome")
    ('preference', 'preference', '')
    """
    return asked_category(heading.casefold())

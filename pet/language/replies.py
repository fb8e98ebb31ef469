"""Recognise what a reply says of itself: silence, and the mood tag. Pure; patterns in ``data/replies.json``."""

from __future__ import annotations

import re

from pet.language import match_row

_ROWS = "replies.json"


def means_silence(reply: str) -> bool:
    """Whether a reply is a word for silence. "Nothing is due today, but …" is a message: everyday words count only as
    the whole reply.

    >>> means_silence("silence"), means_silence("Nothing today."), means_silence("Silent, deadly, and late again?")
    (True, True, False)
    """
    return match_row(_ROWS, "silence", reply) is not None


def mood_tag(text: str) -> re.Match[str] | None:
    """Return the mood tag with which a text begins; its first group is the mood's name."""
    return match_row(_ROWS, "mood_tag", text)


def may_become_mood_tag(text: str) -> bool:
    """Whether a text is the beginning of a mood tag."""
    return match_row(_ROWS, "mood_tag_begun", text) is not None

"""Matters of a message that the body allows or not: a steak and a tooth that was pulled, a run and a knee. Pure.

Rows of ``data/touching.json``: a pattern for the message, one for what is noted, a pair that both match, and one of
which at most one matches.
"""

from __future__ import annotations

import json
import re
from functools import cache

from pet.language import read_table
from pet.language.normalization import to_simplified


def touched_facts(message: str) -> tuple[re.Pattern[str], ...]:
    """Return patterns of the facts that a message touches.

    >>> [fact] = touched_facts("Steak house tonight")
    >>> bool(fact.search("I had a wisdom tooth out")), bool(fact.search("I had a haircut"))
    (True, False)
    """
    plain = to_simplified(message).casefold().replace("\u2019", "'")
    return tuple(fact for pattern, fact in _rows() if pattern.search(plain))


@cache
def _rows() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    rows = json.loads(read_table("touching.json"))
    return tuple((re.compile(row["message"], re.I), re.compile(row["fact"], re.I)) for row in rows)

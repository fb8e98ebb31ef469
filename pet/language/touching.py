"""Matters of a message that other words note: a steak and a tooth that was pulled, debts and what was lent. Pure.

Rows of ``data/touching.json``: a pattern for the message (``asked``: for a question), one for what is noted, a pair
that both match, and one of which at most one matches.
"""

from __future__ import annotations

import json
import re
from functools import cache

from pet.language import read_table
from pet.language.normalization import to_simplified


def touched_facts(message: str, *, asked: bool = False) -> tuple[re.Pattern[str], ...]:
    """Return patterns of the facts that a message touches, or a question (``asked``).

    >>> [fact] = touched_facts("Steak house tonight")
    >>> bool(fact.search("I had a wisdom tooth out")), bool(fact.search("I had a haircut"))
    (True, False)
    """
    plain = to_simplified(message).casefold().replace("\u2019", "'")
    return tuple(fact for pattern, fact in _rows("asked" if asked else "message") if pattern.search(plain))


@cache
def _rows(of: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    rows = json.loads(read_table("touching.json"))
    return tuple((re.compile(row[of], re.I), re.compile(row["fact"], re.I)) for row in rows if of in row)

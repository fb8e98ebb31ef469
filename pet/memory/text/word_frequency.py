"""Usual frequency of words in short notes, a prior for memories too small to count by themselves; pure.

In ten notes nearly every word occurs once and looks rare. A memory of fewer than ``FEW`` notes is therefore counted
as if the missing notes had words at their usual frequency. The lists of common characters and words follow the usual
frequency lists; exact ranks do not matter.
"""

from __future__ import annotations

from functools import cache

from pet.memory import read_data
from pet.memory.text.stem import stem
from pet.memory.text.tokenize import is_cjk

FEW = 300  # notes; in a memory of this size its own counts are enough
USUAL_WORD = 0.01  # share of notes from which a word counts as common

_CHARACTERS = frozenset("".join(read_data("common_characters.txt").split()))


def prior_frequency(token: str) -> float:
    """Return the approximate share of short notes that contain the token (0..1)."""
    if not is_cjk(token):
        return 0.03 if token in _common_stems() else 0.003
    if len(token) == 1:
        return 0.12 if token in _CHARACTERS else 0.01
    return 0.01 if all(character in _CHARACTERS for character in token) else 0.001


@cache
def _common_stems() -> frozenset[str]:
    return frozenset(map(stem, read_data("common_words.txt").split()))

"""How often words stand in notes of anybody, for memories too small to tell by themselves; pure.

In a memory of ten notes nearly every word occurs once and looks rare. So a small memory is counted as if it were one
of ``FEW`` notes, of which those that are missing hold words as often as people use them. Owns the lists: the
commonest Chinese characters and English words (those that name nothing at all are in ``stopwords``), from memory of
the usual frequency lists; nothing depends on the exact rank.
"""

from __future__ import annotations

from pet.memory.text.stem import stem
from pet.memory.text.tokenize import is_cjk
from pet.memory.text.word_list import word_list

FEW = 300  # notes: the size from which a memory's own counts are enough
USUAL_WORD = 0.01  # a word that at least so much of notes holds is one that everybody uses

_CHARACTERS = frozenset("".join(word_list("common_characters").split()))
_WORDS = frozenset(map(stem, word_list("common_words").split()))


def prior_frequency(token: str) -> float:
    """In what part of short notes the token stands, roughly (0..1)."""
    if not is_cjk(token):
        return 0.03 if token in _WORDS else 0.003
    if len(token) == 1:
        return 0.12 if token in _CHARACTERS else 0.01
    return 0.01 if all(character in _CHARACTERS for character in token) else 0.001

"""Detect claims of having remembered something. Pure.

Rule-based, sentence by sentence, without a model; linear time. A claim makes the engine check whether anything was
written.
"""

from __future__ import annotations

from pet.engine.claim_detection.chinese import CHINESE_HINT, claims_in_chinese
from pet.engine.claim_detection.english import ENGLISH_HINT, claims_in_english
from pet.engine.claim_detection.sentences import Clause, Sentence, clauses, sentences

_LONGEST_QUOTE = 400
_LANGUAGES = ((ENGLISH_HINT, claims_in_english), (CHINESE_HINT, claims_in_chinese))


def find_claim(reply: str) -> str | None:
    """Return the first sentence claiming that something was or will be remembered; None if there is none."""
    for sentence in sentences(reply):
        checks = [claims for hint, claims in _LANGUAGES if hint.search(sentence.said)]
        if not checks:
            continue
        for clause in clauses(sentence):
            if any(claims(clause) for claims in checks):
                return _quote(reply, sentence, clause)
    return None


def _quote(reply: str, sentence: Sentence, clause: Clause) -> str:
    """Return the sentence as written, or only the clause if the sentence is very long."""
    if sentence.end - sentence.start <= _LONGEST_QUOTE:
        return reply[sentence.start : sentence.end].strip()
    return reply[clause.start : clause.end].strip()

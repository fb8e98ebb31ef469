"""Detect claims of having remembered something, and requests to remember. Pure.

Rule-based, sentence by sentence, without a model; linear time. A claim makes the engine check whether anything was
written.
"""

from __future__ import annotations

from pet.engine.claim_detection import chinese, english
from pet.engine.claim_detection.remember_requests import asks_to_remember
from pet.engine.claim_detection.sentences import Clause, Sentence, clauses, sentences

__all__ = ["asks_to_remember", "find_claim"]

_LONGEST_QUOTE = 400
_LANGUAGES = (english, chinese)


def find_claim(reply: str) -> str | None:
    """Return the first sentence claiming that something was or will be remembered; None if there is none."""
    for sentence in sentences(reply):
        languages = [language for language in _LANGUAGES if language.HINT.search(sentence.said)]
        if not languages:
            continue
        for clause in clauses(sentence):
            if any(language.claims(clause) for language in languages):
                return _quote(reply, sentence, clause)
    return None


def _quote(reply: str, sentence: Sentence, clause: Clause) -> str:
    """Return the sentence as written, or only the clause if the sentence is very long."""
    if sentence.end - sentence.start <= _LONGEST_QUOTE:
        return reply[sentence.start : sentence.end].strip()
    return reply[clause.start : clause.end].strip()

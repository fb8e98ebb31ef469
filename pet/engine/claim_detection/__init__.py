"""What a reply says it did for the memory, and what a message asks of it; pure.

``find_claim`` tells the engine to look whether something really was written. Refuses to understand: rules over
sentences, no model, in time that grows with the length of the text and no faster.
"""

from __future__ import annotations

from pet.engine.claim_detection import chinese, english
from pet.engine.claim_detection.asking import asks_to_remember
from pet.engine.claim_detection.sentences import Clause, Sentence, clauses, sentences

__all__ = ["asks_to_remember", "find_claim"]

_LONGEST_QUOTE = 400
_LANGUAGES = (english, chinese)


def find_claim(reply: str) -> str | None:
    """The first sentence of a reply that says something was, or will be, remembered; None: there is none."""
    for sentence in sentences(reply):
        languages = [language for language in _LANGUAGES if language.HINT.search(sentence.said)]
        if not languages:
            continue
        for clause in clauses(sentence):
            if any(language.claims(clause) for language in languages):
                return _quote(reply, sentence, clause)
    return None


def _quote(reply: str, sentence: Sentence, clause: Clause) -> str:
    """As it was written; of an endless sentence the clause alone."""
    if sentence.end - sentence.start <= _LONGEST_QUOTE:
        return reply[sentence.start : sentence.end].strip()
    return reply[clause.start : clause.end].strip()

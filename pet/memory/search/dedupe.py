"""Find repetitions: echoes of the question, and one fact said or noted several times; pure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from pet.memory.search.ranking import Candidate
from pet.memory.text.tokenize import is_stopword_query, tokenize

_SAME = 0.9  # shared part of the content tokens of both texts
_HELD = 0.8  # part of the shorter text contained in the longer one
_TELLS = 3  # content tokens; texts with fewer would match too often


def is_repeat(tokens: Iterable[str], asked: frozenset[str]) -> bool:
    """Return whether a text (as tokens) says only what the message says. ``asked``: the message's content tokens."""
    ours = content_tokens(tokens)
    shared = len(ours & asked)
    return bool(ours) and shared >= _SAME * (len(ours) + len(asked) - shared)


def without_echoes(candidates: Iterable[Candidate], message: str) -> list[Candidate]:
    """Return the candidates without echoes of the message, which would take the likelihood of its answer."""
    message_tokens = content_tokens(tokenize(message))  # once: a message may be a pasted text
    return [candidate for candidate in candidates if not is_repeat(candidate.tokens, message_tokens)]


def is_same_fact(one: Iterable[str], other: Iterable[str]) -> bool:
    """Return whether the shorter of two texts (as tokens) is nearly contained in the other."""
    ours, theirs = content_tokens(one), content_tokens(other)
    shorter = min(len(ours), len(theirs))
    return shorter >= _TELLS and len(ours & theirs) >= _HELD * shorter


def content_tokens(tokens: Iterable[str]) -> frozenset[str]:
    """Return the content tokens, without speaker labels."""
    return frozenset(token for token in tokens if not is_stopword_query(token)) - _speakers()


@cache
def _speakers() -> frozenset[str]:
    return frozenset(tokenize("Owner: Pet: 主人：宠物：User Assistant"))

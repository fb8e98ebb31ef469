"""Search hits made from a ranked list, without duplicates; pure. A snippet is always a piece of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from pet.memory.search.ranking import Ranked
from pet.memory.text.spelling import is_one_edit
from pet.memory.text.tokenize import is_stopword_query, tokenize
from pet.memory.text.word_frequency import USUAL_WORD, prior_frequency
from pet.model import CoreFile
from pet.workspace.file_names import CONVERSATIONS

MAX_SNIPPET = 300
_NAME = re.compile(r"[A-Z][\w'’-]*|[A-Za-z][\w-]*\d[\w-]*", re.ASCII)  # "Zanzibar", "KX-4711", "router7"
_WORD = re.compile(r"[a-z][a-z'’-]+", re.ASCII)
_SURE_SCORE = 0.05  # scores are calibrated; below it a hit is likely wrong
_SURE_OF_A_WORD = 0.15  # for one rare word that the entry lacks: unknown words reach 0.14, known meanings 0.2


class HitSource(StrEnum):
    """Kind of file that a hit is from."""

    PROFILE = "profile"
    MEMORY = "memory"
    LOG = "log"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A search result: the file's lines (1-based, inclusive), its likelihood and text.

    Of a conversation, ``path`` is its transcript and ``turn`` the place in it.
    """

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    source: HitSource
    turn: str | None = None


def to_hits(ranked: Iterable[Ranked], k: int, *, min_score: float = 0.0) -> list[Hit]:
    """Return the first ``k`` hits without duplicates."""
    hits: list[Hit] = []
    kept: list[tuple[Ranked, frozenset[str]]] = []
    for item in ranked:
        if len(hits) >= k or item.score < min_score:
            break
        words = frozenset(item.candidate.tokens)
        if any(_says_the_same(item, words, other, others) for other, others in kept):
            continue
        kept.append((item, words))
        hits.append(to_hit(item))
    return hits


def to_hit(item: Ranked, longest: int = MAX_SNIPPET) -> Hit:
    """Return the entry as a hit, with at most ``longest`` characters of it."""
    candidate = item.candidate
    return Hit(
        path=candidate.path,
        start_line=candidate.start_line,
        end_line=candidate.end_line,
        score=round(item.score, 4),
        snippet=snippet(candidate.text, item.matched, longest),
        source=source_of(candidate.path),
        turn=candidate.turn,
    )


def is_sure(hit: Hit, query: str) -> bool:
    """Return whether the hit is likely what was meant.

    True if it contains every query word, however common. Otherwise its score must be high enough, higher for a query
    of one rare word that it lacks; and for a query of names and codes alone it must contain one of them.
    """
    words, text = query.lower().split(), hit.snippet.lower()
    if words and all(word in text for word in words):
        return True
    if hit.score < (_SURE_OF_A_WORD if _lacks_rare_word(hit, query) else _SURE_SCORE):
        return False
    return not _only_names(query) or not set(tokenize(query)).isdisjoint(tokenize(hit.snippet))


def _lacks_rare_word(hit: Hit, query: str) -> bool:
    """Return whether the query is one rare word that the hit lacks, misspellings included."""
    words = _bare_words(query)
    if len(words) != 1 or not _WORD.fullmatch(words[0]):
        return False
    (token,) = tokenize(words[0])[:1]
    if prior_frequency(token) >= USUAL_WORD or is_stopword_query(token):
        return False
    return not any(token == other or is_one_edit(token, other) for other in tokenize(hit.snippet))


def _bare_words(query: str) -> list[str]:
    return [word.strip(".,;:!?\"'“”()") for word in query.split()]


def _only_names(query: str) -> bool:
    words = _bare_words(query)
    return bool(words) and all(_NAME.fullmatch(word) for word in words)


def snippet(text: str, matched: frozenset[str], longest: int = MAX_SNIPPET) -> str:
    """Return the text, or the ``longest`` characters of it with the most ``matched`` tokens."""
    if len(text) <= longest:
        return text
    room = longest - 2
    step = room // 4
    starts = range(0, len(text) - room + step, step)
    best = max(starts, key=lambda start: (len(matched.intersection(tokenize(text[start : start + room]))), -start))
    best = min(best, len(text) - room)
    piece = text[best : best + room].strip()
    return ("…" if best else "") + piece + ("…" if best + room < len(text) else "")


def _says_the_same(item: Ranked, words: frozenset[str], other: Ranked, others: frozenset[str]) -> bool:
    a, b = item.candidate, other.candidate
    if a.path == b.path and a.start_line <= b.end_line and b.start_line <= a.end_line:
        return a.text == b.text  # pieces of one long line differ only in text
    if min(len(words), len(others)) < 5:
        return a.text.strip() == b.text.strip()
    return len(words & others) >= 0.9 * len(words | others)


def source_of(path: str) -> HitSource:
    """Return the kind of file at a path."""
    if path.startswith(f"{CONVERSATIONS}/"):
        return HitSource.CONVERSATION
    named = {CoreFile.USER.value: HitSource.PROFILE, CoreFile.MEMORY.value: HitSource.MEMORY}
    return named.get(path, HitSource.LOG)

"""What a search returns, and how a ranked list becomes that; pure.

Owns snippet, source and the removal of what says the same twice. Refuses to invent: a snippet is a piece of the file.
"""

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
_SURE_SCORE = 0.05  # below it a hit is as likely wrong: scores are calibrated
_SURE_OF_A_WORD = 0.15  # for one rare word that the entry lacks: words nobody noted reach 0.14, known meanings 0.2


class HitSource(StrEnum):
    """Where a hit comes from."""

    PROFILE = "profile"
    MEMORY = "memory"
    LOG = "log"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Something found: the file's lines (1-based, inclusive), how likely it is what was meant, and its words.

    Of a conversation, ``path`` is its transcript and ``turn`` says where in it.
    """

    path: str
    start_line: int
    end_line: int
    score: float
    snippet: str
    source: HitSource
    turn: str | None = None


def to_hits(ranked: Iterable[Ranked], k: int, *, min_score: float = 0.0) -> list[Hit]:
    """The first ``k`` that say something of their own."""
    hits: list[Hit] = []
    said: list[tuple[Ranked, frozenset[str]]] = []
    for item in ranked:
        if len(hits) >= k or item.score < min_score:
            break
        words = frozenset(item.candidate.tokens)
        if any(_says_the_same(item, words, other, others) for other, others in said):
            continue
        said.append((item, words))
        hits.append(to_hit(item))
    return hits


def to_hit(item: Ranked, longest: int = MAX_SNIPPET) -> Hit:
    """The entry as a search returns it, with at most ``longest`` characters of it."""
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
    """Whether the hit is likely what was meant: by its score, or since all words of the query stand in it as they
    are, however often they stand elsewhere. A query of nothing but names and codes means these very words: a hit
    without any of them is never sure. One rare word alone ("zorbing") says little of what is meant: a hit without it
    has to be likelier than others."""
    words, text = query.lower().split(), hit.snippet.lower()
    if words and all(word in text for word in words):
        return True
    if hit.score < (_SURE_OF_A_WORD if _lacks_rare_word(hit, query) else _SURE_SCORE):
        return False
    return not _only_names(query) or not set(tokenize(query)).isdisjoint(tokenize(hit.snippet))


def _lacks_rare_word(hit: Hit, query: str) -> bool:
    """Whether the query is one word that few people use, and the hit has neither it nor what it may be a slip of."""
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
    """The text, or the ``longest`` characters of it that hold the most of what was asked for."""
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
        return a.text == b.text  # pieces of one long line are told apart by what they say
    if min(len(words), len(others)) < 5:
        return a.text.strip() == b.text.strip()
    return len(words & others) >= 0.9 * len(words | others)


def source_of(path: str) -> HitSource:
    """Which kind of file a path names."""
    if path.startswith(f"{CONVERSATIONS}/"):
        return HitSource.CONVERSATION
    named = {CoreFile.USER.value: HitSource.PROFILE, CoreFile.MEMORY.value: HitSource.MEMORY}
    return named.get(path, HitSource.LOG)

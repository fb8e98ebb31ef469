"""Pages of a document that answer a question, by its words and its meaning.

Apart from the index of the memory, since a document is no memory: nothing of it is kept on disk. Its text is searched
as it is; only the passages with most words are embedded, which takes half a second instead of half a minute.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from pet.language.normalization import plain_letters
from pet.language.tokens import is_cjk, query_tokens

if TYPE_CHECKING:
    from pet.memory.search.embedders import Vectors

Embed = Callable[[Sequence[str]], "Vectors | None"]
"""Returns one unit vector per text; None without a loaded embedder."""

_GAPS = re.compile(r"[\W_]+")
_USUAL_LENGTH = 1_800  # characters of a page
_LENGTH_WEIGHT = 0.6
_SATURATION = 1.2
_MOST_WORDS = 40
_PASSAGE = 400  # characters
_MOST_PAGES = 60
_MOST_PASSAGES = 80
_MOST_KEPT = 2_000  # vectors: 4 MB
_WORDS_OF_PASSAGES = 0.5
"""Weight of the passages' order by words beside the pages' by words and by meaning."""
_RANK_OFFSET = 8


def rank_pages(pages: Sequence[str], question: str) -> list[tuple[float, int]]:
    """Return the pages with words of the question, the best first: the share of the words' weight that a page has,
    from 0 to 1, and the page, from 1. Words on few pages weigh more.

    A word is any that begins with a stem of the question: "allergic" with that of "allergies".
    """
    folded = [" " + _GAPS.sub(" ", plain_letters(page.casefold())) for page in pages]
    counts: dict[str, list[int]] = {}
    weights: dict[str, float] = {}
    for word in query_tokens(question)[:_MOST_WORDS]:
        sought = word if is_cjk(word) else f" {word}"
        each_page = [page.count(sought) for page in folded]
        if on := sum(map(bool, each_page)):
            counts[word] = each_page
            weights[word] = math.log(1 + (len(pages) - on + 0.5) / (on + 0.5))
    total = sum(weights.values())
    ranked: list[tuple[float, float, int]] = []
    for place, page in enumerate(folded):
        shares = {word: weights[word] for word, count in counts.items() if count[place]}
        if shares:
            length = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * len(page) / _USUAL_LENGTH
            often = (
                w * counts[word][place] / (counts[word][place] + _SATURATION * length) for word, w in shares.items()
            )
            ranked.append((sum(often), sum(shares.values()) / total, place + 1))
    ranked.sort(key=lambda each: (-each[0], each[2]))
    return [(share, page) for _, share, page in ranked]


class PassageSearch:
    """Ranks pages. Keeps the vectors of passages in memory, for later questions. Not thread-safe."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._kept: OrderedDict[bytes, Vectors] = OrderedDict()

    def rank(self, pages: Sequence[str], question: str) -> list[tuple[float, int]]:
        """Return what ``rank_pages`` does, the first 60 pages in an order by words and meaning."""
        by_words = rank_pages(pages, question)
        first = [page for _, page in by_words[:_MOST_PAGES]]
        passages = [(page, each) for page in first for each in split_passages(pages[page - 1])]
        ranked = [passages[place - 1] for _, place in rank_pages([each for _, each in passages], question)]
        ranked = ranked[:_MOST_PASSAGES]
        nearness = self._nearness(question, [each for _, each in ranked]) if len(first) > 1 else None
        if nearness is None:
            return by_words
        by_meaning = [ranked[place][0] for place in sorted(range(len(ranked)), key=lambda place: -nearness[place])]
        score = dict.fromkeys(first, 0.0)
        orders = ((first, 1.0), (by_meaning, 1.0), ([page for page, _ in ranked], _WORDS_OF_PASSAGES))
        for order, weight in orders:
            for place, page in enumerate(dict.fromkeys(order)):
                score[page] += weight / (_RANK_OFFSET + place)
        shares = {page: share for share, page in by_words[:_MOST_PAGES]}
        merged = sorted(first, key=lambda page: -score[page])
        return [*((shares[page], page) for page in merged), *by_words[_MOST_PAGES:]]

    def _nearness(self, question: str, passages: Sequence[str]) -> list[float] | None:
        keys = [hashlib.blake2b(each.encode("utf-8", "replace"), digest_size=16).digest() for each in passages]
        missing = {key: each for key, each in zip(keys, passages, strict=True) if key not in self._kept}
        vectors = self._embed([question, *missing.values()])
        if vectors is None:
            return None
        self._kept.update(zip(missing, vectors[1:], strict=True))
        nearness = [float(self._kept[key] @ vectors[0]) for key in keys]
        self._drop(keys)
        return nearness

    def _drop(self, used: Iterable[bytes]) -> None:
        for key in used:
            self._kept.move_to_end(key)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)


def split_passages(page: str) -> list[str]:
    """Return the page's lines, joined to passages of about 400 characters; at most 800."""
    passages: list[str] = []
    current = ""
    for line in page.splitlines():
        if current and len(current) + len(line) > _PASSAGE:
            passages.append(current)
            current = ""
        current = f"{current} {line}".strip()
        while len(current) > 2 * _PASSAGE:
            passages.append(current[:_PASSAGE])
            current = current[_PASSAGE:]
    return [*passages, current] if current else passages

"""Pages of a document that answer a question: those that it names, and those with its words; pure.

Apart from the index of the memory, since a document is no memory: nothing of it is kept, and its text is searched as
it is, at the speed of a text search.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from pet.language.normalization import plain_letters
from pet.language.tokens import is_cjk, query_tokens

_NAMED = re.compile(
    r"(?:\b(?:pages?|pp?\.|p[aá]ginas?|p[aá]gs?\.|slides?|diapositivas?)\s*|第\s*)(\d{1,5})", re.IGNORECASE
)
_NAMED_AFTER = re.compile(r"(\d{1,5})\s*(?:页|頁)")
_GAPS = re.compile(r"[\W_]+")
_USUAL_LENGTH = 1_800  # characters of a page
_LENGTH_WEIGHT = 0.6
_SATURATION = 1.2
_MOST_WORDS = 40


def named_pages(question: str, count: int) -> list[int]:
    """Return the pages that a question names, as in "page 280" or "第 280 页"."""
    numbers = [int(match[1]) for pattern in (_NAMED, _NAMED_AFTER) for match in pattern.finditer(question)]
    return [page for page in dict.fromkeys(numbers) if 1 <= page <= count]


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

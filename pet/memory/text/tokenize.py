"""Text to tokens for indexing and search: stemmed words, and single and paired CJK characters; pure.

Pairs of characters instead of a Chinese dictionary: docs/decisions/0020-memory-search.md.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise

from pet.memory.text.simplify import to_simplified
from pet.memory.text.stem import stem
from pet.memory.text.stopwords import CHINESE, ENGLISH
from pet.text.lazy_pattern import lazy_pattern

TOKENS_VERSION = 4  # increment when a text gives other tokens: indexes then make their words again

_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = lazy_pattern(f"(?P<cjk>[{_CJK}]+)|(?P<word>[^\\W_{_CJK}]+(?:['\u2019](?:s|t|re|ve|ll|d|m)\\b)?)")
_LONGEST = 40  # characters; longer runs are data, not words

_PARTICLES = "呢吗吧啊呀嘛"  # they end a sentence, so a pair with one ends a question


def tokenize(text: str) -> list[str]:
    """Return all tokens of a text in order, with repetitions."""
    tokens: list[str] = []
    for run in _RUN.finditer(to_simplified(unicodedata.normalize("NFKC", text).casefold())):
        cjk = run["cjk"]
        if cjk is None:
            tokens.append(_word(run["word"]))
        else:
            tokens.extend(cjk)
            tokens.extend(map("".join, pairwise(cjk)))
    return tokens


def query_tokens(text: str) -> list[str]:
    """Return the distinct content tokens of a question, or all its tokens without any."""
    every = list(dict.fromkeys(tokenize(text)))
    return [token for token in every if not is_stopword_query(token)] or every


def is_stopword_query(token: str) -> bool:
    """Return whether a token belongs to how questions are phrased, not to their subject."""
    return token in _stop_stems() or token in CHINESE or (len(token) == 2 and token[1] in _PARTICLES)


@cache
def _stop_stems() -> frozenset[str]:
    return frozenset(map(stem, ENGLISH))


def has_cjk(text: str) -> bool:
    """Return whether the text contains Chinese, Japanese or Korean characters."""
    return bool(re.search(f"[{_CJK}]", text))


def is_cjk(token: str) -> bool:
    """Return whether the token starts with a Chinese, Japanese or Korean character."""
    return bool(re.match(f"[{_CJK}]", token))


def _word(word: str) -> str:
    return stem(re.split("['\u2019]", word)[0][:_LONGEST])

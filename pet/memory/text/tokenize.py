"""Text to the tokens that are indexed and asked for: stemmed words, and single and double CJK characters; pure.

Owns what two texts must share to meet by words. Refuses dictionaries of Chinese words: pairs of characters find
more (docs/decisions/0020-memory-search.md).
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from pet.memory.text.simplify import to_simplified
from pet.memory.text.stem import stem
from pet.memory.text.stopwords import CHINESE, ENGLISH
from pet.text.lazy_pattern import lazy_pattern

TOKENS_VERSION = 3  # raise it whenever a text gives other tokens: the words of an index are then made anew

_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = lazy_pattern(f"(?P<cjk>[{_CJK}]+)|(?P<word>[^\\W_{_CJK}]+(?:['\u2019](?:s|t|re|ve|ll|d|m)\\b)?)")
_LONGEST = 40  # a longer run of letters is no word but data

_PARTICLES = "呢吗吧啊呀嘛"  # they end a sentence, so a pair with one is the end of a question
_STOP_STEMS = frozenset(stem(word) for word in ENGLISH)


def tokenize(text: str) -> list[str]:
    """All tokens of a text, in order, repeated as they are."""
    found: list[str] = []
    for run in _RUN.finditer(to_simplified(unicodedata.normalize("NFKC", text).casefold())):
        cjk = run["cjk"]
        if cjk is None:
            found.append(_word(run["word"]))
        else:
            found.extend(cjk)
            found.extend(map("".join, pairwise(cjk)))
    return found


def query_tokens(text: str) -> list[str]:
    """The tokens of a question that name something, each once; all of them where none does."""
    every = list(dict.fromkeys(tokenize(text)))
    return [token for token in every if not is_stopword_query(token)] or every


def is_stopword_query(token: str) -> bool:
    """Whether a token is only part of how questions are put."""
    return token in _STOP_STEMS or token in CHINESE or (len(token) == 2 and token[1] in _PARTICLES)


def has_cjk(text: str) -> bool:
    """Whether any of it is written in Chinese, Japanese or Korean characters."""
    return bool(re.search(f"[{_CJK}]", text))


def is_cjk(token: str) -> bool:
    return bool(re.match(f"[{_CJK}]", token))


def _word(word: str) -> str:
    return stem(re.split("['\u2019]", word)[0][:_LONGEST])

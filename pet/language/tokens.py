"""Tokens of a text for indexing and search: stems, CJK characters and pairs, stop words, usual frequencies; pure.

Pairs of characters instead of Chinese word segmentation: docs/decisions/0020-memory-search.md.
"""

from __future__ import annotations

import re
import sys
import threading
from functools import cache, lru_cache
from importlib.util import find_spec, module_from_spec
from itertools import pairwise
from typing import Any

from pet.language import read_table, read_words
from pet.language.normalization import folded, plain_letters, to_simplified
from pet.text.lazy_pattern import lazy_pattern

_IRREGULAR_GROUPS = """
be is am are was were been being; have has had having; do does did done; go goes went gone; buy bought; eat ate
eaten; see saw seen; take took taken; give gave given; get got gotten; make made; come came; know knew known; think
thought; say said; tell told; find found; feel felt; leave left; meet met; keep kept; begin began begun; write wrote
written; speak spoke spoken; break broke broken; choose chose chosen; drive drove driven; fall fell fallen; fly flew
flown; forget forgot forgotten; grow grew grown; hear heard; hold held; lose lost; pay paid; ride rode ridden; run
ran; sell sold; send sent; sing sang sung; sit sat; sleep slept; spend spent; stand stood; steal stole stolen; swim
swam swum; teach taught; throw threw thrown; understand understood; wake woke woken; wear wore worn; win won; draw
drew drawn; drink drank drunk; build built; catch caught; bring brought; fight fought; become became; lead led; lend
lent; show shown; child children; man men; woman women; person people; foot feet; tooth teeth; mouse mice; wife
wives; life lives; knife knives; leaf leaves; good better best; bad worse worst
"""
_IRREGULAR = {
    form: group.split()[0] for group in _IRREGULAR_GROUPS.replace("\n", " ").split(";") for form in group.split()
}
_stemming = threading.Lock()  # the stemmer keeps its state between calls


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the common form of a lower-case word: Snowball's English stem, or that of an irregular word's base."""
    word = _IRREGULAR.get(word, word)
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    with _stemming:
        return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    name = "snowballstemmer"
    if name not in sys.modules and (package := find_spec(name)) is not None:
        sys.modules[name] = module_from_spec(package)  # not executed: it would import 36 languages
    from snowballstemmer.english_stemmer import EnglishStemmer

    return EnglishStemmer()


ENGLISH = read_words("stop_words_en.txt")

CHINESE = read_words("stop_words_zh.txt")
"""Characters and pairs found in nearly every question."""

_OF_DAYS = plain_letters(read_table("words_of_days.txt")).split()
OF_DAYS = frozenset({*_OF_DAYS, *map(stem, _OF_DAYS)})
"""Tokens of questions about a whole day: "what did we talk about", "我们聊了哪些话题", "de qué hablamos"."""


TOKENS_VERSION = 6  # increment when a text gives other tokens: indexes then make their words again

_CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = lazy_pattern(f"(?P<cjk>[{_CJK}]+)|(?P<word>[^\\W_{_CJK}]+(?:['\u2019](?:s|t|re|ve|ll|d|m)\\b)?)")
_LONGEST = 40  # characters; longer runs are data, not words

_PARTICLES = "呢吗吧啊呀嘛"  # they end a sentence, so a pair with one ends a question


def tokenize(text: str) -> list[str]:
    """Return all tokens of a text in order, with repetitions; without accents."""
    return _tokens(plain_letters(_folded(text)))


def spellings(text: str) -> frozenset[str]:
    """Return the tokens of a text with their accents."""
    return frozenset(_tokens(_folded(text)))


def _folded(text: str) -> str:
    return to_simplified(folded(text))


def _tokens(folded: str) -> list[str]:
    tokens: list[str] = []
    for run in _RUN.finditer(folded):
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


def is_spanish_stop_word(token: str) -> bool:
    """Whether no line is about this Spanish word; a search counts it."""
    return token in read_words("stop_words_es.txt")


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


FEW = 300  # notes; in a memory of this size its own counts are enough
USUAL_WORD = 0.01  # share of notes from which a word counts as common

_CHARACTERS = frozenset("".join(read_words("common_characters.txt")))


def prior_frequency(token: str) -> float:
    """Return the approximate share of short notes that contain the token (0..1)."""
    if not is_cjk(token):
        return 0.03 if token in _common_stems() else 0.003
    if len(token) == 1:
        return 0.12 if token in _CHARACTERS else 0.01
    return 0.01 if all(character in _CHARACTERS for character in token) else 0.001


@cache
def _common_stems() -> frozenset[str]:
    return frozenset(map(stem, read_words("common_words.txt")))


def naming_words(text: str) -> frozenset[str]:
    """Return the content words: stems, and single characters of Chinese."""
    return frozenset(
        token
        for token in tokenize(text)
        if not is_stopword_query(token) and not is_spanish_stop_word(token) and (len(token) == 1 or not is_cjk(token))
    )

"""Recognise small talk: messages of nothing but greetings, thanks and other listed phrases; pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from pet.language import read_table, read_words
from pet.language.normalization import to_simplified

_LONGEST = 60  # characters

_PARTICLES = frozenset("呀啊哦噢喔呢吧嘛啦哈哟了~")


def is_small_talk(message: str) -> bool:
    """Return whether the message consists of such phrases, or of no words at all."""
    if len(message) > 2 * _LONGEST:
        return False
    text = to_simplified(unicodedata.normalize("NFKC", message)).casefold().replace("\u2019", "'").strip()
    if len(text) > _LONGEST:
        return False
    words = _WORDS.findall(_ACCENTS.sub("", unicodedata.normalize("NFD", text)))
    return all(_is_made_of(run, phrases) for run, phrases in _runs(words))


def _runs(words: Sequence[str]) -> list[tuple[Sequence[str], frozenset[tuple[str, ...]]]]:
    """Return the message as runs of one script with its phrases: words of letters, or single characters."""
    edges = [0, *(at for at, (a, b) in enumerate(pairwise(words), 1) if a.isascii() != b.isascii()), len(words)]
    return [(words[a:b], _LATIN if words[a].isascii() else _ZH) for a, b in pairwise(edges) if a < b]


def _is_made_of(run: Sequence[str], phrases: frozenset[tuple[str, ...]]) -> bool:
    reached = [True] + [False] * len(run)
    for end in range(1, len(run) + 1):
        begins = range(max(0, end - _MOST_WORDS), end)
        particle = end > 1 and run[end - 1] in _PARTICLES and reached[end - 1]
        reached[end] = particle or any(reached[begin] and tuple(run[begin:end]) in phrases for begin in begins)
    return reached[-1]


_WORDS = re.compile(r"[a-z0-9']+|[^\W_]")
_ACCENTS = re.compile("[\u0300-\u036f]")  # Spanish phrases are listed without
_LATIN = frozenset(
    tuple(phrase.split())
    for language in ("en", "es")
    for phrase in re.split(r"[|\n]", read_table(f"small_talk_{language}.txt"))
    if phrase
)
_ZH = frozenset(tuple(phrase) for phrase in read_words("small_talk_zh.txt"))
_MOST_WORDS = max(map(len, _LATIN | _ZH))

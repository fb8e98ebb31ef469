"""English words brought to one form, so that "painted", "painting" and "paints" match; other words pass unchanged."""

from __future__ import annotations

import threading
from functools import cache, lru_cache
from typing import Any

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
    from snowballstemmer.english_stemmer import EnglishStemmer  # lazy: the package imports 36 languages

    return EnglishStemmer()

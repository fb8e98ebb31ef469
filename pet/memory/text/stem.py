"""English words brought to one form, so that "painted", "painting" and "paints" meet; pure.

Owns the suffix rules of Porter's algorithm of 1980, written down anew, and the common irregular verbs and plurals,
which no suffix rule brings together. Refuses other languages: their words pass unchanged.
"""

from __future__ import annotations

import re
from functools import lru_cache

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

# A stem as consonant and vowel runs; Porter's "measure" is the number of vowel runs followed by consonants.
_CONSONANT = "(?:[^aeiouy]|(?<=[aeiou])y|^y)"
_VOWEL = "(?:[aeiou]|(?<![aeiou])(?<!^)y)"
_MEASURE = re.compile(f"{_VOWEL}+{_CONSONANT}+")
_HAS_VOWEL = re.compile(_VOWEL)
_DOUBLE = re.compile(r"([^aeioulsz])\1$")
_SHORT = re.compile(f"{_CONSONANT}{_VOWEL}[^aeiouwxy]$")

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The common form of a lower-case word."""
    if word in _IRREGULAR:
        word = _IRREGULAR[word]
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    for step in (_plurals, _past_and_ing, _y_to_i, _long_suffixes, _adjectives, _short_suffixes, _last_e):
        word = step(word)
    return word


def _measure(stem_: str) -> int:
    return len(_MEASURE.findall(stem_))


def _plurals(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past_and_ing(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        rest = word.removesuffix(suffix)
        if rest != word and _HAS_VOWEL.search(rest):
            if rest.endswith(("at", "bl", "iz")):
                return rest + "e"
            if _DOUBLE.search(rest):
                return rest[:-1]
            return rest + "e" if _measure(rest) == 1 and _SHORT.search(rest) else rest
    return word


def _y_to_i(word: str) -> str:
    """Only behind a consonant, as in Porter's later algorithm: else "deploy" and "deployment" would not meet."""
    return word[:-1] + "i" if len(word) > 2 and word.endswith("y") and word[-2] not in "aeiou" else word


def _long_suffixes(word: str) -> str:
    return _replaced(word, _STEP_2)


def _adjectives(word: str) -> str:
    return _replaced(word, _STEP_3)


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, instead in rules:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + instead if _measure(rest) else word
    return word


def _short_suffixes(word: str) -> str:
    for suffix in sorted(_STEP_4, key=len, reverse=True):
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            if suffix == "ion" and not rest.endswith(("s", "t")):
                return word
            return rest if _measure(rest) > 1 else word
    return word


def _last_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _measure(rest) > 1 or (_measure(rest) == 1 and not _SHORT.search(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word

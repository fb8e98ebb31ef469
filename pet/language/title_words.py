"""The few words that say what a message is about, for a title: by rules, without a model; pure.

A message is taken at its first sentence that says something. What opens a request ("can you tell me", 请问, "me
puedes") and the article after it go, what follows a comma goes, and three to five words are left, or a dozen Chinese
characters. The openings are in ``data/title_words.json``.
"""

from __future__ import annotations

import re
from functools import cache

from pet.i18n import HAN
from pet.language import pattern_of, read_words
from pet.language.small_talk import is_small_talk

MOST_WORDS = 5
_WIDEST = 40  # characters of these words together
_MOST_HAN = 12
_READ = 2_000  # characters of the message
_SENTENCES = 12
_CODE = re.compile(r"```[^\n]*\n?|`")
_ADDRESS = re.compile(r"\b(?:https?://)(?:www\.)?([^\s/?#]+)\S*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_CLAUSE = re.compile(r"\s*(?:[,;:—–(\[\"“”«»，；：、（「《]\s*|\s-\s)")
_EDGES = " \t\n.,;:!?¡¿…\"'“”‘’«»()[]{}*_#>~。，；：！？、（）「」《》-–—"
_NOTHING = frozenset({"什么", "怎么", "哪里", "谁"})
_HAN = re.compile(f"[{HAN}]")


def title_words(message: str) -> str:
    """Return the words; "" for a message that has none but a greeting.

    >>> title_words("Hi! Can you tell me how to bake rye bread, please?"), title_words("Hello there!")
    ('Bake rye bread', '')
    """
    text = _ADDRESS.sub(r"\1", _CODE.sub(" ", message[:_READ]))
    for sentence in _SENTENCE.split(text)[:_SENTENCES]:
        words = sentence.strip(_EDGES)
        if words and not is_small_talk(words) and (essence := _essence(words)):
            return essence
    return ""


def _essence(sentence: str) -> str:
    openers, trailing = _rules()
    rest = sentence
    while (match := openers.match(rest)) and rest[match.end() :].strip(_EDGES):
        rest = rest[match.end() :].strip(_EDGES)
    clauses = _CLAUSE.split(rest)
    shortened = [_shortened(each.strip(_EDGES), trailing) for each in clauses if not is_small_talk(each)]
    best = max(shortened, key=lambda each: min(_size(each), 2), default="")
    opening = sentence[: len(sentence) - len(rest)]
    greets = len(shortened) < len(clauses) or (opening != "" and is_small_talk(opening))
    return "" if best in _NOTHING or (greets and _size(best) < 2) else best


def _size(words: str) -> int:
    return max(len(words.split()), len(_HAN.findall(words)))


def _shortened(clause: str, trailing: frozenset[str]) -> str:
    """Return as much of a clause as a title has, without a word at its end that calls for another."""
    if len(_HAN.findall(clause)) * 3 > len(clause):
        clause = clause.rstrip("吗呢吧啊呀哦嘛啦")
        return clause if len(clause) <= _MOST_HAN else f"{clause[:_MOST_HAN]}…"
    words = clause.split()[:MOST_WORDS]
    while len(words) > 1 and len(" ".join(words)) > _WIDEST:
        words.pop()
    while words and words[-1].strip(_EDGES).casefold() in trailing:
        words.pop()
    short = " ".join(words).strip(_EDGES)
    short = short if len(short) <= _WIDEST else f"{short[:_WIDEST]}…"
    return short if short[1:2].isupper() else short[:1].upper() + short[1:]


@cache
def _rules() -> tuple[re.Pattern[str], frozenset[str]]:
    """Return the pattern of one opening, and the words that no title ends with."""
    latin, chinese = (
        "|".join(pattern_of("title_words.json", "opening", language).pattern for language in languages)
        for languages in (("en", "es"), ("zh",))
    )
    pattern = rf"(?:(?:{latin})(?=[\s,.:;!?]|$)|(?:{chinese}))[\s,.:;!?，。：；！？]*"
    return re.compile(pattern, re.IGNORECASE), read_words("words_before_others.txt")

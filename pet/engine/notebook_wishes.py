"""Recognise wishes that a small model's turn acts on: the pet's name, and what to forget. Pure.

Patterns of wishes are data, with a message that each matches and one that it does not: ``wishes.json``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pet.engine.claim_sentences import WISHES, asks_to_remember
from pet.engine.notebook_lines import bare, naming_words
from pet.language import pattern_rows
from pet.prompt.small_model_prompts import Line
from pet.text.lazy_pattern import lazy_pattern

_LONGEST_WISH = 1_000  # characters examined of a message: the patterns take quadratic time
_NEW_NAME = lazy_pattern(
    r"\b(?:your (?:new )?name (?:is|shall be|will be|should be)(?: now)?|(?:change|set) your name to"
    r"|(?:call|name) you|rename you(?: to)?|call yourself|you(?:'re| are) (?:now )?(?:called|named))"
    r" [\"\u201c']?((?-i:[^\W\d_a-z])[\w'-]{0,30})"
    r"|(?:te (?:llamas|llamarás|voy a llamar|llamaré)|tu (?:nuevo )?nombre (?:es|será|va a ser)|puedo llamarte"
    r"|llámate)"
    r" [\"\u201c\u00ab']?((?-i:[^\W\d_a-z])[\w'-]{0,30})"
    r"|(?:(?:你的?名字|你名)(?:以后|从此|就|还是|现在)*(?:是|叫做?|改成|改为|换成|改叫)|[给为帮]你(?:改|换|起|取)个?[^，。]{0,2}名字?[叫为成]?"
    r"|你(?:以后|从此|就|现在)+叫|叫你)[\u201c\u300c\"]?([^\s\W\d_]{1,6}?)(?=[吧啦了呀啊好可]|[\W\s]|$)",
    re.I,
)
"""The name itself; one in small letters is no name but a word (\"call you later\")."""


def new_name(message: str) -> str | None:
    """Return the name that the message gives the pet; None if it gives none, or only requests one."""
    match = _NEW_NAME.search(message.replace("\u2019", "'")[:_LONGEST_WISH])
    return next((group for group in match.groups() if group), None) if match else None


def wants_forgetting(message: str) -> bool:
    """Whether the message requests that something noted be erased.

    >>> wants_forgetting("Forget what I said about tea."), wants_forgetting("Don't forget my tea.")
    (True, False)
    """
    return wishes("forget", message) and not asks_to_remember(message)


def wants_no_note(message: str) -> bool:
    """Whether the message requests that it not be noted."""
    return wishes("unnoted", message) and not asks_to_remember(message)


def wishes(kind: str, message: str) -> bool:
    """Whether the message matches a row of this kind in ``wishes.json`` from its beginning."""
    text = re.sub(r"^[\W_]+", "", message.replace("\u2019", "'"))[:_LONGEST_WISH]
    return any(pattern.match(text) for pattern in pattern_rows(WISHES)[kind])


_LAST = lazy_pattern(
    r"\b(?:(?:what|that|everything) i (?:just )?(?:said|told|wrote)(?: just now)?|(?:forget|scratch|strike) that"
    r"|take (?:that|it) back)\b(?! about)|(?:刚才|刚刚)|当我没[说讲提]|忘了(?:吧|它|这|那)"
    r"|\b(?:lo que acabo de|eso|lo dicho)\b",
    re.I,
)
_ABOUT_NOTES = frozenset(
    re.findall(
        r"\w+",
        "forget delete erase remove wipe scrub clear mention mentioned said say told tell know note notes everything"
        " anything pretend scratch please ignore memory remember olvida olvidate olvídate borra borrar elimina sabes"
        " conté conte dije dicho nota todo",
    )
) | {*"忘掉删除记录说过提刚才别算收回抹清"}
"""Words of the wish itself."""


def forget_query(message: str, lines: Sequence[Line], last: str) -> str:
    """Return the text to search for when the message requests forgetting: its words in the notes that fit best, or
    the whole of the best note; "" if none fits. ``last``: the owner's previous message, which "that" refers to."""
    words = {word for word in naming_words(message) if word not in _ABOUT_NOTES}
    texts = [bare(line.text) for line in lines]
    of = [naming_words(text) & words for text in texts]
    shared: set[str] = set().union(*of)
    weights = {word: 1 / sum(word in each for each in of) for word in shared}
    scores = [sum(weights[word] for word in each) for each in of]
    best = max(scores, default=0.0)
    if best:
        fitting = [text for text, score in zip(texts, scores, strict=True) if score == best]
        return _common_text(message, fitting) or fitting[0]
    sentence = " ".join(last.split())
    return sentence if _LAST.search(message) and sentence and any(bare(sentence) in text for text in texts) else ""


def _common_text(message: str, texts: Sequence[str]) -> str:
    """Return the longest run of words (in Chinese of characters) of the message that is in all ``texts`` and begins
    and ends with a content word; "" without one."""
    word = r"[^\W_\u3400-\u9fff]+"
    pieces: list[str] = re.findall(rf"[\u3400-\u9fff]|{word}(?:['\u2019-]{word})*", message)
    for count in range(min(8, len(pieces)), 0, -1):
        for start in range(len(pieces) - count + 1):
            run = pieces[start : start + count]
            text = run[0] + "".join(f" {each}" if each[0].isascii() or len(each) > 1 else each for each in run[1:])
            is_content = all(naming_words(each) - _ABOUT_NOTES for each in (run[0], run[-1]))
            if is_content and len(text) > 1 and all(text.casefold() in each.casefold() for each in texts):
                return text
    return ""

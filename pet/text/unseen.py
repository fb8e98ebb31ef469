"""Characters that can't be seen, and texts with them shown as code points. Pure.

The one table, for the program and, by ``python -m ui.bindings``, for its pages: what is drawn as nothing, or as a gap
that is no ordinary space. Left as they are: emoji sequences with one drawing, and joiners that change
how the letters beside them are drawn (Persian, Hindi, ...), so that a text can be derived from what is drawn.
"""

from __future__ import annotations

import unicodedata

from pet.text.lazy_pattern import lazy_pattern

RANGES = (
    *((0x0000, 0x0008), (0x000B, 0x001F), (0x007F, 0x00A0), (0x00AD, 0x00AD)),  # controls, spaces, the soft hyphen
    *((0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x1680, 0x1680), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x2000, 0x200F), (0x2028, 0x202F), (0x205F, 0x206F)),  # spaces, joiners, directions, invisible operators
    *((0x2800, 0x2800), (0x3164, 0x3164), (0xFFA0, 0xFFA0)),  # the empty pattern of Braille, fillers of Hangul
    *(
        (0xD800, 0xF8FF),
        (0xFDD0, 0xFDEF),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
    ),  # surrogates and private use; selectors
    *((0xFFF0, 0xFFFC), (0xFFFE, 0xFFFF), (0x13430, 0x1343F), (0x16FE4, 0x16FE4), (0x1BCA0, 0x1BCA3)),
    *((0x1D159, 0x1D159), (0x1D173, 0x1D17A)),
    *((plane | 0xFFFE, plane | 0xFFFF) for plane in range(0x10000, 0xE0000, 0x10000)),  # noncharacters
    *((0xE0000, 0xE0FFF), (0xEFFFE, 0x10FFFF)),  # tags and selectors; private use
)
"""Code points that can't be seen, first and last. Ordinary and ideographic spaces, tabs and line ends are seen."""

_VS, _ZWJ, _TONE = "\ufe0f", "\u200d", "[🏻-🏿]?"
_PERSON = f"[👨👩🧑]{_TONE}"
_TEXT_STYLE = (
    "©®‼⁉™ℹ↔-↙↩↪⌨⏏⏭-⏯⏱⏲⏸-⏺Ⓜ▪▫▶◀◻◼☀-☄☎☑☘☝☠☢☣☦☪☮☯☸-☺♀♂♟♠♣♥♦♨♻♾⚒⚔-⚗⚙⚛⚜⚠⚧⚰⚱⛈⛏⛑⛓⛩⛰⛱⛴⛷-⛹✂✈✉✌✍✏✒✔✖✝✡✳✴❄❇❣❤➡⤴⤵⬅-⬇〰〽㊗㊙"
    "🅰🅱🅾🅿🈂🈷🌡🌤-🌬🌶🍽🎖🎗🎙-🎛🎞🎟🏋-🏎🏔-🏟🏳🏵🏷🐿👁📽🕉🕊🕯🕰🕳-🕹🖇🖊-🖍🖐🖥🖨🖱🖲🖼🗂-🗄🗑-🗓🗜-🗞🗡🗣🗨🗯🗳🗺🛋🛍-🛏🛠-🛥🛩🛰🛳"
)
"""Emoji that are letters without the selector: with it they look different."""
_ROLES = "🏃🏄🏊👮👯👰👱👳👷💁💂💆💇🙅-🙇🙋🙍🙎🚣🚴-🚶🤦🤵🤷-🤹🤼-🤾🦸🦹🧍-🧏🧔🧖-🧟"
_FLAGS = (  # of England, Scotland and Wales
    "🏴\U000e0067\U000e0062(?:\U000e0065\U000e006e\U000e0067|\U000e0073\U000e0063\U000e0074"
    "|\U000e0077\U000e006c\U000e0073)\U000e007f"
)
_EMOJI = (
    f"{_PERSON}{_ZWJ}❤{_VS}{_ZWJ}(?:💋{_ZWJ})?{_PERSON}",
    f"{_PERSON}{_ZWJ}[🤝🐰🫯]{_ZWJ}{_PERSON}",
    f"(?:[👨👩]{_ZWJ})?[👨👩]{_ZWJ}(?:👧{_ZWJ}[👦👧]|👦{_ZWJ}👦|[👦👧])",
    f"🧑{_ZWJ}(?:🧑{_ZWJ})?🧒(?:{_ZWJ}🧒)?",
    f"{_PERSON}{_ZWJ}(?:[⚕⚖✈]{_VS}|[🌾🍳🍼🎄🎓🎤🎨🏫🏭💻💼🔧🔬🚀🚒🦰-🦳🩰]|[🦯🦼🦽](?:{_ZWJ}➡{_VS})?)",
    f"(?:[{_ROLES}]{_TONE}|[⛹🏋🏌🕵](?:{_VS}|[🏻-🏿])){_ZWJ}[♀♂]{_VS}(?:{_ZWJ}➡{_VS})?",
    f"[🏃🚶🧎]{_TONE}{_ZWJ}➡{_VS}",
    f"🏳{_VS}{_ZWJ}(?:🌈|⚧{_VS})|🏴{_ZWJ}☠{_VS}|👁{_VS}{_ZWJ}🗨{_VS}|❤{_VS}{_ZWJ}[🔥🩹]|⛓{_VS}{_ZWJ}💥",
    f"🐕{_ZWJ}🦺|🐻{_ZWJ}❄{_VS}|🐈{_ZWJ}⬛|🐦{_ZWJ}[⬛🔥]|🍋{_ZWJ}🟩|🍄{_ZWJ}🟫",
    f"😮{_ZWJ}💨|😵{_ZWJ}💫|😶{_ZWJ}🌫{_VS}|🙂{_ZWJ}[↔↕]{_VS}|🫱[🏻-🏿]{_ZWJ}🫲[🏻-🏿]",
    _FLAGS,
    f"[#*0-9]{_VS}\u20e3",
    f"[{_TEXT_STYLE}]{_VS}",
)
_JOINED_BOTH_WAYS = "ئبتثجحخسشصضطظعغفقكلمنهىيٹپچڤکگںھہی"
_VIRAMAS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_LETTERS = (
    f"(?<=[{_JOINED_BOTH_WAYS}])\u200c(?=[\u0622-\u063f\u0641-\u064a\u0671-\u06d3])",
    f"(?<=[{_VIRAMAS}])[\u200c\u200d](?=[\u0900-\u0dff])",
)
_KEPT = "|".join((*_EMOJI, *_LETTERS))
_UNSEEN = "".join(f"{chr(first)}-{chr(last)}" for first, last in RANGES)
PATTERN = f"({_KEPT})|[{_UNSEEN}]"
"""Source of a regular expression, for Python and for the pages: a sequence that is left as it is, as group 1, or a
character that can't be seen. It has no escapes."""
_PATTERN = lazy_pattern(PATTERN)
_TAGS = lazy_pattern(f"({_FLAGS})|[\U000e0000-\U000e007f]")


def reveal(text: str, form: str) -> str:
    """Return the text with each character that can't be seen as its code point in the given form.

    >>> reveal(f"rm{chr(0x200B)} -r {chr(0x202E)}x", "<U+{:04X}>")
    'rm<U+200B> -r <U+202E>x'
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _PATTERN.sub(lambda match: match[1] or form.format(ord(match[0])), text)


def count_unseen(text: str) -> int:
    """Return the number of characters that can't be seen, without white space and the selector that some keyboards
    add to any emoji."""
    if text.isascii():
        return 0
    hidden = [match for match in _PATTERN.finditer(text) if match[1] is None and not match[0].isspace()]
    return sum(match[0] != _VS or unicodedata.category(text[match.start() - 1]) != "So" for match in hidden)


def without_tag_characters(text: str) -> str:
    """Return the text without tag characters, which only models read; three flags are drawn with them, and stay."""
    if text.isascii():
        return text
    return _TAGS.sub(lambda match: match[1] or "", text)

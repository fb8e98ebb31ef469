"""Words and digits of dates that a reminder still holds beside the moment that was understood; pure.

They would be lost, or change the moment: "renew visa in March at 9" is not today at nine.
"""

from __future__ import annotations

import unicodedata

from pet.language.holidays import MARKED, mark_holidays
from pet.language.normalization import to_simplified
from pet.language.plain_dates import plain_dates
from pet.text.lazy_pattern import lazy_pattern

_EN_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_EN_NAME = (
    r"(?:mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|march|april|june|august)"
)
_EN_PART = r"(?:morning|afternoon|evening|night)s?"
_EN_UNIT = r"(?:minute|hour|day|week|month|year|weekday|weekend)s?"
_EN_WHICH = r"(?:this|next|last|every|each|other)"
_EN_MANY = r"(?:[0-9.]+|an?|two|three|four|five|six|seven|eight|nine|ten|twelve|few|couple of)"
_EN_END = r"(?=\s*(?:$|[,.;:!?)]|(?:and|or|of|to|until|till|at|in|on|every|each)\b))"
"""A number before it is separate, and counts nothing."""
_EN_HOUR = r"(?:[0-2]?[0-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_HOLIDAY = MARKED.replace("?P<holiday>", "?:")
_ZH_NUMBER = "[0-9零〇一二两三四五六七八九十]"
_ZH_WEEK = "(?:周|星期|礼拜)"
_ZH_THING = "(?![楼线店桌院门房馆厅机车球码台路厂仓窗柜床位字鞋])"

_LEFT_OVER = tuple(
    lazy_pattern(each)
    for each in (
        # digits
        r"(?<![0-9/])(?!24/7\b)[0-9]{1,2}/[0-9]{1,2}(?:/[0-9]{2,4})?(?![0-9/])|(?<![0-9])[0-9]{1,2}:[0-9]{2}(?![0-9])",
        r"(?<![0-9.-])[0-9]{4}([-.])[0-9]{1,2}\1[0-9]{1,2}(?![0-9])",
        r"(?<![0-9.-])[0-9]{1,2}([-.])[0-9]{1,2}\1(?:[0-9]{4}|[0-9]{2})(?![0-9.-])",
        r"(?<![0-9.])[0-3]?[0-9]\.(?:1[0-2]|0?[1-9])\.(?=\s|$)",
        r"[0-9](?:st|nd|rd|th)?\s*(?:to|until|till|and|or|al?|y|o|[-–到至和或])\s*$",  # the date begins before it
        # English
        rf"\b{_EN_DAY}\b|\b(?:today|tonight|tomorrow|yesterday|midnight|midday|noon|o'?clock)\b",
        r"\b(?:january|february|july|september|october|november|december)\b",
        rf"\b(?:in|on|by|of|from|since|starting|until|till|before|after|and|or|mid|early|late|{_EN_WHICH})[\s-]+{_EN_NAME}\b",
        rf"\b{_EN_NAME}\.?\s+[0-9]{{1,2}}\b|\b[0-9]{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_EN_NAME}\b",
        rf"\b(?:in the|at|and|or|{_EN_WHICH})\s+{_EN_PART}\b",
        rf"\b(?!last minute){_EN_WHICH}\s+{_EN_UNIT}\b|\b(?:every|each)\s*$",
        rf"\b{_EN_MANY}\s+{_EN_UNIT}\s+(?:later|from now|ago|before|after)\b|\bin\s+{_EN_MANY}\s+{_EN_UNIT}\b",
        r"\b(?:from|between|desde|entre)\s+[0-9]{1,2}\s*$|\b(?:the\s+)?day\s+(?:before|after)\b|\b(?:first|last)\s+(?:day|week)\s+of\b",
        rf"\b(?:every|each)\s+[0-9]|\b(?:the|on|and|or)\s+[0-9]{{1,2}}(?:st|nd|rd|th)\b{_EN_END}",
        rf"\b[0-9]{{1,2}}\s?[ap]\.?m\b|\b(?:at|around|between)\s+{_EN_HOUR}\b{_EN_END}|\bhalf past\b",
        rf"(?:\b(?:on|and|or|y|o)|[和、])\s+{_HOLIDAY}|{_HOLIDAY}\s+(?:(?:and|or|y|o)\b|[和、])",
        r"\b(?:en|de|hasta|y|o|cada|este)\s+(?:marzo|abril|mayo|junio|agosto)\b",  # "march" alone may be another word
        # Chinese
        f"(?:今|明|后|昨|前)天|[今明昨][早晚]|{_ZH_WEEK}[一二三四五六日天末]|周末|(?:今|明|后|去)年|[上下本这]个?{_ZH_WEEK}",
        f"{_ZH_NUMBER}+(?:月(?!饼)|[号日]{_ZH_THING})|初[一二三四五六七八九十]|[农阴]历|[上下本这]个?月|月[底末初]",
        f"(?:(?!一点){_ZH_NUMBER}{{1,3}}|十[一二])点(?!心|赞)|一点(?=[半钟整零0-9])|{_ZH_NUMBER}{{1,3}}时(?![候间常])",
        "早上|早晨|清晨|上午|中午|下午|傍晚|晚上|夜里|深夜|[半午]夜|凌晨",
        f"[每隔]{_ZH_NUMBER}?个?(?:天|日|周|星期|礼拜|月|年|早|晚)|{_ZH_NUMBER}个?(?:天|小时|分钟|星期|礼拜|月|年)[之以]?[前后]",
    )
)
"""By language, as their writers note a date, Spanish ones in plain words (``plain_dates``); names that are also other
words (May, sun, 一点) only beside another."""


def has_date_words(text: str) -> bool:
    """Whether the text holds words or digits of a date or time.

    >>> has_date_words("renew visa in March"), has_date_words("dentist, 3rd floor")
    (True, False)
    """
    parts = unicodedata.normalize("NFKD", text).casefold()
    flat = mark_holidays(to_simplified("".join(each for each in parts if not unicodedata.combining(each))))
    plain = plain_dates(flat, moment=True).text
    return any(each.search(text) for each in _LEFT_OVER for text in {flat, plain})

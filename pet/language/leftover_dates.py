"""Words and digits of dates that a reminder still holds beside the moment that was understood; pure.

They would be lost, or change the moment: "renew visa in March at 9" is not today at nine. Names that are also other
words (May, sun, 一点) count only beside another.
"""

from __future__ import annotations

import unicodedata

from pet.language.date_rows import pattern_of
from pet.language.holidays import mark_holidays
from pet.language.normalization import to_simplified
from pet.language.plain_dates import plain_dates


def has_date_words(text: str) -> bool:
    """Whether the text holds words or digits of a date or time.

    >>> has_date_words("renew visa in March"), has_date_words("dentist, 3rd floor")
    (True, False)
    """
    parts = unicodedata.normalize("NFKD", text).casefold()
    flat = mark_holidays(to_simplified("".join(each for each in parts if not unicodedata.combining(each))))
    return any(pattern_of("left").search(text) for text in {flat, plain_dates(flat, moment=True).text})

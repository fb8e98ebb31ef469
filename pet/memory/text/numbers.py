"""Numbers in words, English and Chinese: "twelve", "a couple of", 十五, 两百; pure."""

from __future__ import annotations

UP_TO_TWENTY = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_ENGLISH = {word: value for value, word in enumerate(UP_TO_TWENTY)}
_ENGLISH |= {"thirty": 30, "forty": 40, "forty-five": 45, "forty five": 45, "fifty": 50, "sixty": 60, "ninety": 90}
_ENGLISH |= {"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3}
_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "几": 3}


def read_number(text: str) -> int:
    """Return the value of digits, or of an English or Chinese number. Raises LookupError, ValueError for others."""
    text = " ".join(text.split())
    if text.isdigit():
        return int(text)
    if text.isascii():
        return _ENGLISH[text]
    hundreds, hundred, rest = text.partition("百")
    if hundred:
        return 100 * (read_number(hundreds) if hundreds else 1) + (read_number(rest.lstrip("零〇")) if rest else 0)
    tens, ten, ones = text.partition("十")
    if not ten:
        return int("".join(str(_DIGITS[digit]) for digit in text))
    return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)

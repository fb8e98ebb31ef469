"""Numbers in words: "twelve", "a couple of", 十五, 两百, and Chinese ranges such as 两三 and 十五六; pure."""

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
    """Return the value of digits, or of an English or Chinese number; the lower bound of a range.

    Raises LookupError, ValueError for others.
    """
    return read_range(text)[0]


def read_range(text: str) -> tuple[int, int]:
    """Return both bounds of a number, which are equal unless it is a range: 两三 is 2 to 3, 二三十 is 20 to 30.

    Raises LookupError, ValueError for other texts.
    """
    text = " ".join(text.split())
    if text.isascii():
        value = int(text) if text.isdigit() else _ENGLISH[text]
        return value, value
    for unit, size in (("百", 100), ("十", 10)):
        before, mark, after = text.partition(unit)
        if mark:
            if mark in after:  # 十几二十: "ten-odd to twenty"
                raise LookupError(text)
            many = read_range(before) if before else (1, 1)
            rest = read_range(after.lstrip("零〇")) if after else (0, 0)
            return size * many[0] + rest[0], size * many[1] + rest[1]
    digits = [_DIGITS[digit] for digit in text]
    if len(digits) == 2 and ((digits[0] > 0 and digits[1] == digits[0] + 1) or text == "三五"):
        return digits[0], digits[1]
    value = int("".join(map(str, digits)))
    return value, value

"""How many tokens a text will take, estimated: servers that count for us are the exception."""

from __future__ import annotations

import math

UNKNOWN_WINDOW = 32_000
"""Tokens to reckon with where nobody knows the model's window."""

_WIDE_PER_TOKEN = 1.5
_OTHER_PER_TOKEN = 3.5


def estimate_tokens(text: str) -> int:
    """CJK at 1.5 characters to a token, ASCII at 3.5, what lies between in between; rounded up.

    How wide a text is, is read off its UTF-8 bytes: that takes microseconds, and this is asked for each draft of
    a cut.
    """
    wide = min(len(text), (len(text.encode(errors="replace")) - len(text)) / 2)
    return math.ceil(wide / _WIDE_PER_TOKEN + (len(text) - wide) / _OTHER_PER_TOKEN)

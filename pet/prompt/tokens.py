"""How many tokens a text will take, estimated: servers that count for us are the exception."""

from __future__ import annotations

import math
import re

UNKNOWN_WINDOW = 32_000
"""Tokens to reckon with where nobody knows the model's window."""

_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001f000-\U0003ffff]+"
)
_WIDE_PER_TOKEN = 1.5
_OTHER_PER_TOKEN = 3.5


def estimate_tokens(text: str) -> int:
    """CJK and emoji at 1.5 characters to a token, all else at 3.5; rounded up."""
    wide = 0 if text.isascii() else sum(map(len, _WIDE.findall(text)))
    return math.ceil(wide / _WIDE_PER_TOKEN + (len(text) - wide) / _OTHER_PER_TOKEN)

"""Estimate tokens of a text without a model's tokenizer. Pure."""

from __future__ import annotations

import math

_WIDE_PER_TOKEN = 1.5
_OTHER_PER_TOKEN = 3.5


def estimate_tokens(text: str) -> int:
    """Return the estimated tokens: 1.5 CJK characters each, 3.5 ASCII characters, others in between; rounded up.

    Derived from the UTF-8 length, since it is called for each draft of a cut and must take microseconds.
    """
    wide = min(len(text), (len(text.encode(errors="replace")) - len(text)) / 2)
    return math.ceil(wide / _WIDE_PER_TOKEN + (len(text) - wide) / _OTHER_PER_TOKEN)

"""HTML comments: what owners and templates note in a file for its reader alone."""

from __future__ import annotations

import re
from collections.abc import Callable

from pet.text.lazy_pattern import lazy_pattern

_COMMENT = lazy_pattern(r"<!--.*?-->", re.DOTALL)


def replace_comments(text: str, put: str | Callable[[re.Match[str]], str] = "") -> str:
    """Return the text with each HTML comment replaced by ``put``."""
    # Bounded by the last end: each comment without an end would otherwise scan the whole rest.
    end = text.rfind("-->") + len("-->")
    return _COMMENT.sub(put, text[:end]) + text[end:]

"""Traditional characters to the simplified ones, so that 週三 and 周三 match; pure.

The table has common characters, one to one, so that no place in a text moves. For comparison only, not a converter:
distinct characters may become one.
"""

from __future__ import annotations

from pet.memory import read_data

_TABLE = {ord(pair[0]): pair[1] for pair in read_data("traditional.txt").split()}


def to_simplified(text: str) -> str:
    """Return the text with simplified characters, of the same length."""
    return text.translate(_TABLE)

"""Traditional characters and the simplified ones that stand for the same, so that 週三 and 周三 meet; pure.

Owns the table: the common characters of everyday writing, one to one, so that no place in a text moves. Refuses to
be a converter: what it makes is compared and never shown, and where two characters became one, one they are.
"""

from __future__ import annotations

from pet.memory.text.word_list import word_list

_TABLE = {ord(pair[0]): pair[1] for pair in word_list("traditional").split()}


def to_simplified(text: str) -> str:
    """The text with each traditional character as the simplified one; as long as it was."""
    return text.translate(_TABLE)

"""What the model is told when a secret was left out of what it wrote (PRODUCT §4.8)."""

from __future__ import annotations

from collections.abc import Sequence

from pet.masking import Kind, mark
from pet.texts import Texts


def left_out(texts: Texts, kinds: Sequence[Kind]) -> str:
    """A line of its own for the end of a result, or "" where nothing was left out."""
    if not kinds:
        return ""
    named = texts("tool.and").join(texts(f"tool.secret.{kind}") for kind in kinds)
    return "\n" + texts("tool.left_out", what=named, mark=mark(kinds[0]))

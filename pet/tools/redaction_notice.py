"""What the model is told when a secret was left out of what it wrote."""

from __future__ import annotations

from collections.abc import Sequence

from pet.i18n import Texts
from pet.redaction import Kind, placeholder


def redaction_notice(texts: Texts, kinds: Sequence[Kind]) -> str:
    """A line of its own for the end of a result, or "" where nothing was left out."""
    if not kinds:
        return ""
    named = texts("tool.and").join(texts(f"tool.secret.{kind}") for kind in kinds)
    return "\n" + texts("tool.left_out", what=named, mark=placeholder(kinds[0]))

"""Notice to the model that a secret was redacted from what it wrote."""

from __future__ import annotations

from collections.abc import Sequence

from pet.i18n import Texts
from pet.text.redaction import Kind, placeholder


def redaction_notice(texts: Texts, kinds: Sequence[Kind]) -> str:
    """Return a line for the end of a result; "" if nothing was redacted."""
    if not kinds:
        return ""
    named = texts("tool.and").join(texts(f"tool.secret.{kind}") for kind in kinds)
    return "\n" + texts("tool.left_out", what=named, mark=placeholder(kinds[0]))

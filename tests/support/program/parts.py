"""A pet of some of its parts, for commands that need no others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def pet_of(**parts: object) -> Any:
    """Return these parts in place of a ``Pet``."""
    return SimpleNamespace(**parts)

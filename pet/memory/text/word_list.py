"""The word lists that stand beside these modules; read once each, when their module is imported."""

from __future__ import annotations

from pathlib import Path


def word_list(name: str) -> str:
    """Return the list as it stands in its file."""
    return Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")

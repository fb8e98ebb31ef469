"""The word lists in ``data``, one ``.txt`` file each."""

from __future__ import annotations

from pathlib import Path

from pet import memory


def word_list(name: str) -> str:
    """Return the text of a list's file."""
    return (Path(memory.__file__).parent / "data" / f"{name}.txt").read_text(encoding="utf-8")

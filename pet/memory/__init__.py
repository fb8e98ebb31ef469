"""Daily logs and entries, the search index over them, reminders, follow-ups and forgetting.

Only forgetting and the callers of the pure plans change the pet's files. The index is derived from them, lives in the
cache folder and may be deleted at any time.
"""

from __future__ import annotations

from pathlib import Path


def read_data(name: str) -> str:
    """Return the text of a file in ``data``: fitted weights and rows of lasting facts."""
    return (Path(__file__).parent / "data" / name).read_text(encoding="utf-8")

"""Daily logs and entries, the search index over them, reminders, follow-ups and forgetting.

Only forgetting and the callers of the pure plans change the pet's files. The index is derived from them, lives in the
cache folder and may be deleted at any time.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path


def read_data(name: str) -> str:
    """Return the text of a file in ``data``: word lists and fitted weights."""
    return (Path(__file__).parent / "data" / name).read_text(encoding="utf-8")


@cache
def pattern_rows(name: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns of a file in ``data`` by kind. A row has a pattern, a message that it matches and one that
    it does not."""
    kinds: dict[str, list[dict[str, str]]] = json.loads(read_data(name))
    return {kind: tuple(re.compile(row["pattern"], re.I) for row in rows) for kind, rows in kinds.items()}

"""Text in, meaning out: dates, numbers, words, small talk, questions, mentions. Pure; decides nothing."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path


def read_table(name: str) -> str:
    """Return the text of a file in ``data``: word lists and rows of patterns."""
    return (Path(__file__).parent / "data" / name).read_text(encoding="utf-8")


@cache
def pattern_rows(name: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns of a file in ``data`` by kind. A row has a pattern, a message that it matches and one that
    it does not."""
    kinds: dict[str, list[dict[str, str]]] = json.loads(read_table(name))
    return {kind: tuple(re.compile(row["pattern"], re.I) for row in rows) for kind, rows in kinds.items()}

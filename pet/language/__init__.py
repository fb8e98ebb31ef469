"""Text in, meaning out: dates, numbers, words, questions, mentions, secrets. Pure; decides nothing."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from pet.text.lazy_pattern import lazy_pattern

_NAME = re.compile("{([A-Z]+)}")


def read_table(name: str) -> str:
    """Return the text of a file in ``data``: word lists and rows of patterns."""
    return (Path(__file__).parent / "data" / name).read_text(encoding="utf-8")


@cache
def read_rows(name: str) -> dict[str, Any]:
    """Return a JSON file of ``data``, which stays as it is."""
    rows: dict[str, Any] = json.loads(read_table(name))
    return rows


@cache
def pattern_rows(name: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns of a file in ``data`` by kind. A row has a pattern, a message that it matches and one that
    it does not; ``names`` stand for parts of patterns, as ``{NAME}``."""
    kinds = {**read_rows(name)}
    names: dict[str, str] = kinds.pop("names", {})

    def filled(pattern: str) -> str:
        while names and _NAME.search(pattern):
            pattern = _NAME.sub(lambda name: names[name[1]], pattern)
        return pattern

    return {kind: tuple(lazy_pattern(filled(row["pattern"]), re.I) for row in rows) for kind, rows in kinds.items()}


def has_row(name: str, kind: str, text: str) -> bool:
    """Return whether a pattern of this kind in a file of ``pattern_rows`` is found in the text."""
    return any(pattern.search(text) for pattern in pattern_rows(name).get(kind, ()))


def match_row(name: str, kind: str, text: str) -> re.Match[str] | None:
    """Return the match of the first such pattern with which the text begins."""
    return next((match for row in pattern_rows(name).get(kind, ()) if (match := row.match(text))), None)

"""Text in, meaning out: dates, numbers, words, questions, mentions, secrets. Pure; decides nothing."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from pet.text.lazy_pattern import lazy_pattern

_NAME = re.compile("{([A-Z_]+)}")


def read_table(name: str) -> str:
    """Return the text of a file in ``data``: word lists and rows of patterns."""
    return (Path(__file__).parent / "data" / name).read_text(encoding="utf-8")


@cache
def read_words(name: str) -> frozenset[str]:
    """Return the words of a file in ``data``."""
    return frozenset(read_table(name).split())


@cache
def read_rows(name: str) -> dict[str, Any]:
    """Return a JSON file of ``data``, which stays as it is."""
    rows: dict[str, Any] = json.loads(read_table(name))
    return rows


@cache
def pattern_rows(name: str) -> dict[str, tuple[re.Pattern[str], ...]]:
    """Return the patterns of a file in ``data`` by kind. A row has a pattern, a message that it matches and one that
    it does not, and in some files its language (``in``); ``names`` stand for parts of patterns, as ``{NAME}``."""
    kinds = {**read_rows(name)}
    names: dict[str, str] = kinds.pop("names", {})
    return {
        kind: tuple(lazy_pattern(with_names(row["pattern"], names), re.I) for row in rows)
        for kind, rows in kinds.items()
    }


@cache
def pattern_of(name: str, kind: str, language: str = "") -> re.Pattern[str]:
    """Return the rows of a kind as one pattern: those of a language, or all in their order."""
    table = read_rows(name)
    rows = (row["pattern"] for row in table[kind] if language in ("", row["in"]))
    return re.compile("|".join(with_names(pattern, table.get("names", {})) for pattern in rows), re.I)


def with_names(pattern: str, names: dict[str, str]) -> str:
    """Return the pattern with the parts in place of their names."""
    while names and _NAME.search(pattern):
        pattern = _NAME.sub(lambda name: names[name[1]], pattern)
    return pattern


def has_row(name: str, kind: str, text: str) -> bool:
    """Return whether a pattern of this kind in a file of ``pattern_rows`` is found in the text."""
    return any(pattern.search(text) for pattern in pattern_rows(name).get(kind, ()))


def match_row(name: str, kind: str, text: str) -> re.Match[str] | None:
    """Return the match of the first such pattern with which the text begins."""
    return next((match for row in pattern_rows(name).get(kind, ()) if (match := row.match(text))), None)

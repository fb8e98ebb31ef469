"""How the index cuts and weighs, where the owner wants it otherwise than shipped; pure.

Owns the choices. Refuses to hide their price: docs/decisions/0020-memory-search.md says what each of them loses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.settings.schema import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """``pieces``: one entry each, or windows of so many tokens. ``weights``: calibrated, or two fixed ones on raw
    scores. ``half_life_days``: after so many days a score counts half; 0: age does not count."""

    pieces: Literal["entries", "windows"] = "entries"
    piece_tokens: int = 400
    overlap_tokens: int = 80
    weights: Literal["calibrated", "fixed"] = "calibrated"
    meaning_weight: float = 0.7
    word_weight: float = 0.3
    half_life_days: int = 0

    @property
    def cut(self) -> str:
        """Names how files are cut: an index that was cut otherwise is made anew."""
        if self.pieces == "entries":
            return "entries"
        return f"windows {self.piece_tokens} {self.overlap_tokens}"


def index_options(settings: Settings) -> IndexOptions:
    """What the settings say of the index."""
    return IndexOptions(
        pieces=settings.index_pieces,
        piece_tokens=settings.index_piece_tokens,
        overlap_tokens=settings.index_overlap_tokens,
        weights=settings.search_weights,
        meaning_weight=settings.search_meaning_weight,
        word_weight=settings.search_word_weight,
        half_life_days=settings.search_half_life_days,
    )

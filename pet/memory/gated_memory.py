"""The only way from a turn to the index: every search asks the gate before and after.

Owns what a turn may find: never its own conversation, nothing once the switch closed, and for a message only what
is likely enough and says something new. Refuses to hold a turn up: recall is in time or it is nothing.
"""

from __future__ import annotations

from datetime import date, datetime

from pet.access.policy import TurnGate
from pet.errors import ToolRefused
from pet.memory.index.memory_index import MemoryIndex
from pet.memory.search.dedupe import is_repeat
from pet.memory.search.results import Hit
from pet.memory.text.smalltalk import is_small_talk
from pet.memory.text.tokenize import tokenize

_SPARE = 3  # so many more are looked at than wanted: some only say the message again


class GatedMemory:
    """What one turn may search. ``conversation`` is its own: what was said there it has before it anyway."""

    def __init__(self, index: MemoryIndex, gate: TurnGate, conversation: str) -> None:
        self._index = index
        self._gate = gate
        self._leave_out = frozenset({conversation})

    @property
    def embedder(self) -> str | None:
        """The name of the embedder in use."""
        return self._index.embedder

    def search(self, query: str, k: int, now: date | datetime | str | None, min_score: float = 0.0) -> list[Hit]:
        """What the model asked for. Raises ToolRefused where the turn may not search, or not any more."""
        self._gate.check_recall()
        hits = self._index.search(query, k, now, min_score=min_score, conversations=True, leave_out=self._leave_out)
        self._gate.check_recall()
        return hits

    def recall(
        self,
        message: str,
        now: date | datetime | str | None,
        *,
        count: int,
        threshold: float,
        seconds: float = 0.15,
    ) -> list[Hit]:
        """At most ``count`` entries that most likely matter to the message, within ``seconds``; never raises.

        By words, dates and meaning; by words and dates where that takes too long; nothing where that fails too.
        """
        if count < 1 or is_small_talk(message) or not self._open():
            return []
        hits = self._index.search_within(
            seconds, message, count + _SPARE, now, min_score=threshold, conversations=True, leave_out=self._leave_out
        )
        told = [hit for hit in hits if not is_repeat(tokenize(hit.snippet), tokenize(message))]
        return told[:count] if self._open() else []

    def _open(self) -> bool:
        try:
            self._gate.check_recall()
        except ToolRefused:
            return False
        return True

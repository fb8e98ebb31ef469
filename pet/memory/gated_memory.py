"""The only way from a turn to the index: every search asks the gate before and after.

Owns what a turn may find: never its own conversation, nothing once the switch closed, and for a message only what
is likely enough and says something new. Refuses to hold a turn up: recall is in time or it is nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime

from pet.access.policy import TurnGate
from pet.errors import ToolRefused
from pet.memory.index.memory_index import MemoryIndex
from pet.memory.search.recall_selection import RecallBudget, choose
from pet.memory.search.results import Hit
from pet.memory.text.smalltalk import is_small_talk
from pet.model import RecallWay


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledEntries:
    """The entries for a message, best first, and how they were found."""

    hits: list[Hit] = field(default_factory=list)
    way: RecallWay = "meaning"


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

    def read_said(self, path: str, first_line: int) -> list[tuple[int, str]]:
        """What was said aloud while memory was on, from that line of a transcript on, with its lines; nothing of the
        turn's own conversation. Raises ToolRefused as ``search``."""
        self._gate.check_recall()
        said = self._index.read_said(path, first_line, leave_out=self._leave_out)
        self._gate.check_recall()
        return said

    def recall(
        self,
        message: str,
        now: date | datetime | str | None,
        *,
        count: int,
        characters: int,
        threshold: float,
        seconds: float,
        is_sent: Callable[[str], bool] = lambda _text: False,
    ) -> RecalledEntries:
        """The best entries for the message, at most ``count`` of what was noted, within a budget of ``characters``
        and ``seconds``; none if it is less likely than ``threshold`` that it concerns anything. Never raises.

        Entries for which ``is_sent`` come on top of the budget. By words, dates and meaning; by words, dates and
        a quick embedder where that takes too long, then by words and dates alone; nothing where that fails too.
        """
        if count < 1 or is_small_talk(message) or not self._open():
            return RecalledEntries()
        found = self._index.recall(seconds, message, now, conversations=True, leave_out=self._leave_out)
        chosen = choose(found, RecallBudget(lines=count, characters=characters, threshold=threshold), is_sent)
        return RecalledEntries(hits=chosen, way=found.way) if self._open() else RecalledEntries()

    def _open(self) -> bool:
        try:
            self._gate.check_recall()
        except ToolRefused:
            return False
        return True

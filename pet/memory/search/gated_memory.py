"""A turn's access to the index: every search asks the gate before and after.

Returns nothing of the turn's own conversation, and nothing once the gate is closed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

from pet.access import TurnGate
from pet.errors import AccessDenied, ToolRefused
from pet.language.small_talk import is_small_talk
from pet.memory.search.foreign_notes import no_talk
from pet.memory.search.memory_index import MemoryIndex
from pet.memory.search.recall_selection import Hit, RecallBudget, newest_before_earlier, select_recalled
from pet.model import RecallWay
from pet.transcripts.conversation import Conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledEntries:
    """The entries recalled for a message, best first, and how they were found."""

    hits: list[Hit] = field(default_factory=list)
    way: RecallWay = "meaning"


class GatedMemory:
    """The index as one turn may search it. ``conversation`` is the turn's own and is left out. ``open_talk``: opens
    another, to see what of others is in it."""

    def __init__(
        self,
        index: MemoryIndex,
        gate: TurnGate,
        conversation: str,
        open_talk: Callable[[str], Conversation] = no_talk,
    ) -> None:
        self._index = index
        self._gate = gate
        self.open_talk = open_talk
        self._leave_out = frozenset({conversation})

    @property
    def embedder(self) -> str | None:
        """Name of the best embedder in use."""
        return self._index.embedder

    def count_waiting(self) -> int:
        """Return the number of entries that can be found by words only, so far."""
        return self._index.pending()[0]

    def search(self, query: str, k: int, now: date, min_score: float = 0.0) -> list[Hit]:
        """Search for the model. Raises ToolRefused if the turn may not search."""
        self._gate.check_recall()
        hits = self._index.search(
            query,
            k,
            now,
            min_score=min_score,
            conversations=self._gate.access().conversations,
            leave_out=self._leave_out,
        )
        hits = newest_before_earlier(hits, self._index.newer_notes())[: max(k, len(hits))]
        self._gate.check_recall()
        return hits

    def read_utterances(self, path: str, first_line: int) -> list[tuple[int, str]]:
        """Return line and text of the utterances in a transcript from a line on. Raises ToolRefused if the turn may
        not search, AccessDenied if it may not find conversations."""
        self._gate.check_recall()
        if not self._gate.access().conversations:
            raise AccessDenied(file=path)
        utterances = self._index.read_utterances(path, first_line, leave_out=self._leave_out)
        self._gate.check_recall()
        return utterances

    def recall(
        self,
        message: str,
        now: date,
        *,
        count: int,
        characters: int,
        threshold: float,
        seconds: float,
        is_sent: Callable[[str], bool] = lambda _text: False,
    ) -> RecalledEntries:
        """Return the best entries for the message: at most ``count`` notes, within ``characters`` and ``seconds``;
        none if the likelihood that the message concerns anything is below ``threshold``. Never raises.

        Entries for which ``is_sent`` do not count against the budget. Falls back from all embedders to a quick one,
        then to words and dates, then to nothing as time runs out.
        """
        if count < 1 or is_small_talk(message) or not self._open():
            return RecalledEntries()
        candidates = self._index.recall(seconds, message, now, conversations=True, leave_out=self._leave_out)
        hits = select_recalled(
            candidates, RecallBudget(lines=count, characters=characters, threshold=threshold), is_sent
        )
        if not hits:
            return RecalledEntries(way=candidates.way)
        hits = newest_before_earlier(hits, self._index.newer_notes())[: max(count, len(hits))]
        if not self._open():
            return RecalledEntries()
        return RecalledEntries(hits=hits, way=candidates.way)

    def _open(self) -> bool:
        try:
            self._gate.check_recall()
        except ToolRefused:
            return False
        return True

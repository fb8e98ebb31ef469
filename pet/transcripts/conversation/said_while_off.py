"""What a turn said after its memory went OFF. Pure; replay, titles and the search index all ask this one.

For a running turn memory is OFF from the switch on, or from the first entry that was written while it was OFF (a
pause leaves no entry of its own), to the turn's end.
"""

from __future__ import annotations

from pet.transcripts.records.entries import (
    MemorySet,
    PartialReply,
    RoundCompleted,
    TranscriptEntry,
    TurnFinished,
    UserMessage,
)


class SaidWhileOff:
    """Reads a conversation's entries in order."""

    def __init__(self) -> None:
        self._turns: set[str] = set()
        self._off: set[str] = set()

    def take(self, entry: TranscriptEntry) -> bool:
        """Whether the entry carries text, if only in part, that was said after memory went OFF in its turn."""
        match entry:
            case UserMessage():
                self._turns.add(entry.turn)
            case MemorySet(memory=False):
                self._off |= self._turns
            case PartialReply() | RoundCompleted() | TurnFinished():
                if entry.off:
                    self._off.add(entry.turn)
                return self.is_off(entry.turn) and _says_something(entry)
            case _:
                pass
        return False

    def is_off(self, turn: str) -> bool:
        """Whether the memory of this turn has gone OFF."""
        return turn in self._off


def _says_something(entry: PartialReply | RoundCompleted | TurnFinished) -> bool:
    """TurnFinished carries no text for a round that already ended."""
    return not isinstance(entry, TurnFinished) or bool(entry.cut_text)

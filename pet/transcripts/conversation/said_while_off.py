"""Text of a turn from after its memory went OFF. Pure; used by replay, titles and the search index.

For a running turn memory is OFF from the switch on, or from the first entry written while it was OFF (a pause has no
entry), to the turn's end.
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
    """State of a scan over a conversation's entries in order."""

    def __init__(self) -> None:
        self._turns: set[str] = set()
        self._off: set[str] = set()

    def take(self, entry: TranscriptEntry) -> bool:
        """Take the next entry; return whether it has text from after memory went OFF in its turn."""
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
        """Whether the turn's memory has gone OFF."""
        return turn in self._off


def _says_something(entry: PartialReply | RoundCompleted | TurnFinished) -> bool:
    """Whether the entry has text: a TurnFinished has none for a round that already ended."""
    return not isinstance(entry, TurnFinished) or bool(entry.cut_text)

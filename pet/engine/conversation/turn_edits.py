"""Remove, restore and choose among the turns of a conversation. Appends records; never deletes one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import RLock

from pet.engine.services import EngineServices
from pet.errors import UnknownTurn
from pet.events import ConversationChanged, TurnsRemoved, VariantChosen
from pet.ids import new_id
from pet.transcripts.conversation.fold import title_of
from pet.transcripts.conversation.model import Conversation
from pet.transcripts.records import entries
from pet.transcripts.store import Transcript


@dataclass(frozen=True, slots=True)
class TurnEdits:
    """``lock`` is the conversation's; ``check_free`` raises TurnRunning during a reply, or UnknownConversation."""

    transcript: Transcript
    around: EngineServices
    folded: Callable[[], Conversation]
    lock: RLock
    check_free: Callable[[], None]

    def remove(self, turn_id: str) -> None:
        """Remove a turn and its continuations from display, requests and search. They stay in the file and can be
        restored. Raises UnknownTurn, TurnRunning, WriteFailed.
        """
        with self.lock:
            self.check_free()
            turns = self.folded().turns
            first = turns.index(self.folded().turn(turn_id))
            after = next(
                (place for place, turn in enumerate(turns) if place > first and turn.kind != "continue"), len(turns)
            )
            self._take_out([turn.id for turn in turns[first:after]], removed=True)

    def restore(self, turn_ids: Sequence[str]) -> None:
        """Restore turns to their positions. Raises UnknownTurn if one has no position any more, TurnRunning."""
        with self.lock:
            self.check_free()
            removed = self.folded().removed
            if not turn_ids or any(turn not in removed for turn in turn_ids):
                raise UnknownTurn()
            self._take_out(list(turn_ids), removed=False)

    def choose_variant(self, turn_id: str) -> None:
        """Show another variant of a turn and what followed it; only these are sent from now on. No effect if it is
        active. Raises UnknownTurn, TurnRunning, WriteFailed.
        """
        with self.lock:
            self.check_free()
            turns = self.folded().turns
            if not any(turn_id in (turn.id, *turn.variants) for turn in turns):
                raise UnknownTurn()
            if all(turn.id != turn_id for turn in turns):
                self._append(entries.VariantSet(id=new_id(), at=self._now(), turn=turn_id))
                self._emit(VariantChosen(conversation=self.transcript.id, turn=turn_id))

    def _take_out(self, turns: list[str], *, removed: bool) -> None:
        self._append(entries.TurnsRemovedSet(id=new_id(), at=self._now(), turns=tuple(turns), removed=removed))
        self._emit(TurnsRemoved(conversation=self.transcript.id, turns=turns, removed=removed))

    def _append(self, entry: entries.TranscriptEntry) -> None:
        self.transcript.append(entry, durable=True)

    def _emit(self, event: TurnsRemoved | VariantChosen) -> None:
        title = title_of(self.transcript.entries)
        self.around.emit(event)
        self.around.emit(ConversationChanged(conversation=self.transcript.id, title=title))

    def _now(self) -> str:
        return self.around.clock.now().isoformat()

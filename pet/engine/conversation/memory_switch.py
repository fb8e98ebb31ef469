"""The brain switch as the transcript has it, whoever flipped it there: this window, the terminal, another machine.

Owns the way between the two: what is flipped here is recorded, what is recorded elsewhere is taken over. Refuses to
guess: while the transcript can't be read, the answer is OFF.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock

from pet.access.policy import ConversationGate
from pet.errors import PetError
from pet.ids import new_id
from pet.transcripts.entries import Entry, MemorySet
from pet.transcripts.store import Transcript


class MemorySwitch:
    """Safe from any thread. ``tell`` hears of what others flipped, and when."""

    def __init__(self, transcript: Transcript, gate: ConversationGate, tell: Callable[[str], None]) -> None:
        self._transcript = transcript
        self._gate = gate
        self._tell = tell
        self._lock = RLock()
        self._looked_at: tuple[Entry, ...] | None = None
        self._known: set[str] = set()
        self._recorded = False
        self.sync()
        if not gate.temporary:
            gate.set_external_check(self.sync)

    @property
    def recorded(self) -> bool:
        """What the transcript says."""
        return self._recorded

    def sync(self) -> bool:
        """Take over what the transcript says of the switch and we have not seen. False: it can't be read."""
        with self._lock:
            try:
                entries = self._transcript.entries
            except PetError:
                self._looked_at = None
                self._gate.revoke_running()
                return False
            if entries is not self._looked_at:
                self._looked_at = entries
                self._take([entry for entry in entries if isinstance(entry, MemorySet)])
            return True

    def record(self, memory: bool, at: str, *, durable: bool) -> None:
        """Write down what the owner flipped here. Raises UnknownConversation, WriteFailed."""
        with self._lock:
            entry = MemorySet(id=new_id(), at=at, memory=memory)
            self._known.add(entry.id)
            self._transcript.append(entry, durable=durable)
            self._recorded = memory

    def _take(self, switches: list[MemorySet]) -> None:
        new = [entry for entry in switches if entry.id not in self._known]
        if not new:
            return
        self._known.update(entry.id for entry in new)
        last = switches[-1]
        self._recorded = last.memory
        before = self._gate.switched_on
        if any(not entry.memory for entry in new):
            self._gate.switch(False)  # also where it is ON again: running turns don't regain what they lost
        self._gate.switch(last.memory if last in new else before)
        if self._gate.switched_on != before:
            self._tell(last.at)

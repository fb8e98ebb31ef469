"""Synchronise the memory switch with the transcript, which other processes and machines write too.

Local flips are recorded, recorded flips are applied. Fails safe: OFF while the transcript can't be read.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock

from pet.access.policy import Brain, ConversationGate
from pet.errors import PetError
from pet.transcripts.records.entries import Entry, MemorySet
from pet.transcripts.store import Transcript


class MemorySwitch:
    """Thread-safe. ``tell`` is called with the time of flips made elsewhere and whether they reduced access."""

    def __init__(self, transcript: Transcript, gate: ConversationGate, tell: Callable[[str, bool], None]) -> None:
        self._transcript = transcript
        self._gate = gate
        self._tell = tell
        self._lock = RLock()
        self._looked_at: tuple[Entry, ...] | None = None
        self._known: set[str] = set()
        self._recorded = Brain.OFF
        self.sync()
        if not gate.temporary:
            gate.set_external_check(self.sync)

    @property
    def recorded(self) -> Brain:
        """Return the state in the transcript."""
        return self._recorded

    def sync(self) -> bool:
        """Apply flips from the transcript not seen yet. False: it can't be read."""
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

    def record(self, brain: Brain, at: str, *, durable: bool) -> None:
        """Record a local flip. Raises UnknownConversation, WriteFailed."""
        with self._lock:
            entry = MemorySet.of(brain, at)
            self._known.add(entry.id)
            self._transcript.append(entry, durable=durable)
            self._recorded = brain

    def _take(self, switches: list[MemorySet]) -> None:
        new = [entry for entry in switches if entry.id not in self._known]
        if not new:
            return
        self._known.update(entry.id for entry in new)
        last = switches[-1]
        self._recorded = last.brain
        before = self._gate.brain
        for entry in new:  # even if it is ON again: running turns don't regain access
            self._gate.switch(min(self._gate.brain, entry.brain, key=lambda brain: brain.rank))
        self._gate.switch(last.brain if last in new else before)
        if self._gate.brain is not before:
            self._tell(last.at, self._gate.brain.rank < before.rank)

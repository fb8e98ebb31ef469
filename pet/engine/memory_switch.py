"""The memory switch of a conversation: moved here, or in the transcript by another process or machine.

Local flips are recorded, recorded flips are applied, and each is announced once it is true in every process. Fails
safe: OFF while the transcript can't be read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack
from threading import RLock, Thread

from pet.access import ConversationGate, MemoryMode
from pet.engine.conversation_record import ConversationRecord
from pet.engine.services import EngineServices
from pet.errors import MemoryInFlight, PetError
from pet.events import MemorySwitched
from pet.extra import switches
from pet.transcripts.entries import MemorySet, TranscriptEntry
from pet.transcripts.fold import switches_of

_log = logging.getLogger(__name__)


class MemorySwitch:
    """Thread-safe. ``end_running`` cancels, before it returns, an open tool loop that lost access."""

    def __init__(
        self,
        record: ConversationRecord,
        gate: ConversationGate,
        services: EngineServices,
        end_running: Callable[[], None],
    ) -> None:
        self._record = record
        self._gate = gate
        self._services = services
        self._end_running = end_running
        self._one_flip = RLock()
        self._lock = RLock()
        self._unannounced = 0
        self._seen: tuple[TranscriptEntry, ...] | None = None
        self._known: set[str] = set()
        self._recorded = MemoryMode.OFF
        self._on: frozenset[str] = frozenset()
        self.sync()
        gate.set_external_check(self.sync)

    @property
    def announced(self) -> bool:
        """Whether each recorded flip was announced; read under the conversation's lock."""
        return not self._unannounced

    def move(self, mode: MemoryMode) -> None:
        """Move the switch and announce it; see ``LiveConversation.set_memory``."""
        gate = self._gate
        failed: PetError | None = None
        with self._one_flip, ExitStack() as at_end:
            with self._record.lock:
                self._record.check_there()
                self.sync()
                if gate.temporary:
                    return
                shrinks = mode.rank < gate.memory_mode.rank
                if not (gate.memory_mode is self._recorded is mode):
                    at = self._record.now()
                    self._count_unannounced(1)
                    at_end.callback(self._announce, at)  # last: the page shows OFF only once it is true
                    if shrinks:
                        gate.switch(mode)  # gate first: nothing may pass during the write
                    try:
                        self.store(mode, at, durable=True)
                        gate.switch(mode)
                    except PetError as problem:  # less access holds here all the same, so it is made true first
                        failed = problem
            if shrinks or mode is MemoryMode.OFF:  # also if it was OFF: an earlier request may still be in flight
                self._end_requests_with_memory()
            if failed is not None:
                raise failed

    def sync(self) -> frozenset[str] | None:
        """Apply flips from the transcript not seen yet, and return the extras' switches that are on. None: it can't
        be read."""
        with self._lock:
            try:
                entries = self._record.transcript.entries
            except PetError:
                self._seen = None
                self._gate.revoke_running()
                return None
            if entries is not self._seen:
                self._seen = entries
                self._apply([entry for entry in entries if isinstance(entry, MemorySet)])
                on, temporary = switches_of(entries), self._gate.temporary
                known = (name for name, each in switches().items() if each.temporary or not temporary) if on else ()
                self._on = on.intersection(known)
            return self._on

    def release(self) -> None:
        """Drop the entries seen last; which flips are known stays known."""
        with self._lock:
            self._seen = None

    def store(self, mode: MemoryMode, at: str, *, durable: bool) -> None:
        """Record a local flip. Raises UnknownConversation, WriteFailed."""
        with self._lock:
            entry = MemorySet.of(mode, at)
            self._known.add(entry.id)
            self._record.transcript.append(entry, durable=durable)
            self._recorded = mode

    def _apply(self, flips: list[MemorySet]) -> None:
        new = [entry for entry in flips if entry.id not in self._known]
        if not new:
            return
        self._known.update(entry.id for entry in new)
        last = flips[-1]
        self._recorded = last.memory_mode
        before = self._gate.memory_mode
        for entry in new:  # even if it is ON again: running turns don't regain access
            self._gate.switch(min(self._gate.memory_mode, entry.memory_mode, key=lambda mode: mode.rank))
        self._gate.switch(last.memory_mode if last in new else before)
        if self._gate.memory_mode is not before:
            self._on_moved_elsewhere(last.at, shrank=self._gate.memory_mode.rank < before.rank)

    # --- announcing -----------------------------------------------------------------------------

    def _count_unannounced(self, by: int) -> None:
        with self._lock:
            self._unannounced += by

    def _announce(self, at: str) -> None:
        with self._record.lock:
            self._emit(at)
            self._count_unannounced(-1)

    def _emit(self, at: str) -> None:
        mode = self._gate.memory_mode
        memory, read_only = mode is MemoryMode.ON, mode is MemoryMode.READ_ONLY
        self._services.emit(MemorySwitched(conversation=self._record.id, memory=memory, read_only=read_only, at=at))

    def _on_moved_elsewhere(self, at: str, *, shrank: bool) -> None:
        if not shrank:
            self._emit(at)
        else:  # separate thread: the caller may hold locks, or be the engine
            self._count_unannounced(1)
            Thread(target=self._end_and_announce, args=(at,), name="switched-off", daemon=True).start()

    def _end_and_announce(self, at: str) -> None:
        """Announce less access, set by another process, once it is true here and in every other process."""
        try:
            self._end_requests_with_memory()
        except MemoryInFlight as still:
            _log.warning("switched off in another process: %s", still.error_code)
        finally:
            self._announce(at)

    def _end_requests_with_memory(self) -> None:
        """Return once no process sends a request with memory. Raises MemoryInFlight."""
        self._end_running()
        self._services.in_flight.wait(self._record.id)

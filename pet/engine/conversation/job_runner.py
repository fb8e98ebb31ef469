"""Runs a conversation's jobs, a turn or a compaction, one at a time.

Handles start, stop, memory going OFF during a job, refusal of proposals that became obsolete, and unexpected
exceptions. The conversation is idle before TurnEnded is emitted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from threading import RLock

from pet.engine.compaction.job import CompactionJob, Job
from pet.engine.conversation.proposals import OpenProposals
from pet.engine.services import EngineServices
from pet.engine.turn.turn import RunningTurn
from pet.errors import TurnRunning
from pet.events import CompactionEnded, CompactionStarted, ConversationChanged, ErrorInfo, Event, TurnEnded

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Running:
    turn: str | None  # None: a manual compaction
    job: Job
    done: Future[None]


class JobRunner:
    """``lock`` is the conversation's: held while a job starts and while its events are emitted."""

    def __init__(
        self,
        conversation: str,
        lock: RLock,
        around: EngineServices,
        proposals: OpenProposals,
        *,
        title: Callable[[], str],
    ) -> None:
        self._title = title
        self._conversation = conversation
        self._lock = lock
        self._around = around
        self._proposals = proposals
        self._running: _Running | None = None
        self.compacting = False

    @property
    def turn(self) -> str | None:
        """Return the running turn."""
        running = self._running
        return running.turn if running else None

    @property
    def streaming(self) -> tuple[int, str]:
        """Return the streaming round and its text so far; read on the engine's thread."""
        running = self._running
        return running.job.streaming if running else (0, "")

    @property
    def busy(self) -> bool:
        return self._running is not None

    def raise_if_busy(self) -> None:
        """Raises TurnRunning."""
        if self._running is not None:
            raise TurnRunning()

    # --- beginning ------------------------------------------------------------------------------

    def begin_turn(self, turn_id: str, turn: RunningTurn) -> None:
        """Start the turn on the engine's thread. The caller holds the lock and has checked that nothing runs."""
        self._running = _Running(turn_id, turn, self._around.loop.submit(self._run_turn(turn)))

    def begin_compacting(self, job: CompactionJob) -> None:
        """As ``begin_turn``."""
        self._running = _Running(None, job, self._around.loop.submit(self._run_compacting(job)))

    async def _run_turn(self, turn: RunningTurn) -> None:
        try:
            await turn.run()
        except Exception as bug:  # noqa: BLE001  the boundary of a turn: the chat must not wait for ever
            turn.failed(ErrorInfo.of_bug(bug, "turn", _log))
        finally:
            self._free(turn)
            self._around.emit(ConversationChanged(conversation=self._conversation, title=self._title()))
        if not self.busy:
            try:
                await turn.get_ready()
            except Exception as bug:  # noqa: BLE001  as above; the turn has ended
                ErrorInfo.of_bug(bug, "reading ahead", _log)

    async def _run_compacting(self, job: CompactionJob) -> None:
        try:
            await job.run()
        except Exception as bug:  # noqa: BLE001  as above
            error = ErrorInfo.of_bug(bug, "compaction", _log)
            at = self._around.clock.now().isoformat()
            self.emit(CompactionEnded(conversation=self._conversation, after_turn=None, at=at, error=error))
        finally:
            self._free(job)

    # --- telling --------------------------------------------------------------------------------

    def emit(self, event: Event) -> None:
        """Emit a job's event. The conversation is idle before the final one, so a listener may send at once."""
        with self._lock:
            if isinstance(event, CompactionStarted | CompactionEnded):
                self.compacting = isinstance(event, CompactionStarted)
            running = self._running
            over = (isinstance(event, TurnEnded) and running is not None and running.turn == event.turn) or (
                isinstance(event, CompactionEnded) and running is not None and running.turn is None
            )
            if over:
                self._running = None
            self._around.emit(event)

    def _free(self, job: Job) -> None:
        with self._lock:
            if self._running is not None and self._running.job is job:
                self._running = None

    # --- ending ---------------------------------------------------------------------------------

    def stop(self) -> None:
        """No effect if none runs."""
        running = self._running
        if running is not None:
            running.job.gate.stop()  # blocks writes at once, however busy the engine is
            self._around.loop.call(lambda: self._stop_now(running.job))

    def wait(self, timeout: float | None) -> None:
        """Wait until the running job has ended. Raises TimeoutError."""
        running = self._running
        if running is not None:
            running.done.result(timeout)

    def close(self) -> None:
        """Refuse open proposals and stop; recorded in the transcript."""
        running = self._running
        if running is not None:
            self._around.loop.call(lambda: self._proposals.refuse_all("closed"))
            self.stop()
            wait_for({running.done}, timeout=10)

    def memory_may_have_closed(self) -> None:
        """The switch or the pet's pause may have gone OFF: cancels an open tool loop before returning."""
        running = self._running
        if running is not None:
            self._around.loop.call_now(lambda: self._close_memory_now(running.job))

    def _stop_now(self, job: Job) -> None:
        job.stop()
        self._proposals.refuse_all("stopped")

    def _close_memory_now(self, job: Job) -> None:
        job.memory_closed()
        if job.gate.was_revoked():
            self._proposals.refuse_all("memory_off")

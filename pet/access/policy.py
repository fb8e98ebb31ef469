"""The memory gate: the one policy that says what a conversation's model may see and write.

Everything that could carry a byte of a gated file towards a model, or a model's wish towards a gated file,
asks here, every time. Nothing else in the program decides it, and nothing here does I/O.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from threading import Lock

from pet.errors import AccessDenied, ConversationTemporary, LogOnlyGrows, OwnersFile, ToolRefused


class FileKind(StrEnum):
    """What the gate tells apart."""

    SOUL = "soul"
    USER = "user"
    MEMORY = "memory"
    LOG = "log"
    OPTIONAL = "optional"


class Brain(StrEnum):
    """The positions of a conversation's brain switch."""

    ON = "on"
    READ = "read"
    OFF = "off"

    @staticmethod
    def of(memory: bool | Brain, *, read_only: bool = False) -> Brain:
        """True is ON, False is OFF, or READ where ``read_only`` says so."""
        if isinstance(memory, Brain):
            return memory
        return Brain.ON if memory else Brain.READ if read_only else Brain.OFF

    @property
    def rank(self) -> int:
        """How much it allows."""
        return (Brain.OFF, Brain.READ, Brain.ON).index(self)


GATED = frozenset({FileKind.USER, FileKind.MEMORY, FileKind.LOG})


@dataclass(frozen=True, slots=True)
class Access:
    """What one conversation may do now: one position of the brain switch, or the pause."""

    memory: bool  # whether the gated files may be seen
    in_prompt: frozenset[FileKind]
    readable: frozenset[FileKind]  # by tools
    writable: frozenset[FileKind]  # by tools
    appendable: frozenset[FileKind]  # by tools that only add
    asks_owner: frozenset[FileKind]  # a write needs the owner's word
    recalls: bool  # search, recall, recent days, other conversations
    learns: bool  # memory_write, flush and upkeep; what is said may be noted, indexed and found by others
    replays_gated: bool  # thinking, calls, results, recall, recent days and summaries of turns held while ON
    keeps: bool = True  # whether anything of the conversation may be written to the disk


_SOUL_ONLY = frozenset({FileKind.SOUL})

ON = Access(
    memory=True,
    in_prompt=frozenset({FileKind.SOUL, FileKind.USER, FileKind.MEMORY, FileKind.OPTIONAL}),
    readable=frozenset({FileKind.SOUL, FileKind.USER, FileKind.MEMORY, FileKind.LOG}),
    writable=frozenset({FileKind.SOUL, FileKind.USER, FileKind.MEMORY}),
    appendable=frozenset({FileKind.LOG}),
    asks_owner=_SOUL_ONLY,
    recalls=True,
    learns=True,
    replays_gated=True,
)
READ = replace(ON, writable=frozenset(), appendable=frozenset(), asks_owner=frozenset(), learns=False)
"""Reads as ON, writes as OFF, and SOUL.md is not written at all: it leaves no trace in the workspace."""
OFF = Access(
    memory=False,
    in_prompt=frozenset({FileKind.SOUL, FileKind.OPTIONAL}),
    readable=_SOUL_ONLY,
    writable=_SOUL_ONLY,
    appendable=frozenset(),
    asks_owner=_SOUL_ONLY,
    recalls=False,
    learns=False,
    replays_gated=False,
)
TEMPORARY = replace(OFF, writable=frozenset(), asks_owner=frozenset(), keeps=False)
"""OFF, and no write at all, not even one that the owner allows: nothing of the conversation reaches the disk."""


_POSITIONS = {Brain.ON: ON, Brain.READ: READ, Brain.OFF: OFF}


class PetGate:
    """The pet's own brake: "pause the brain" forces every conversation OFF."""

    def __init__(self, *, paused: bool = False) -> None:
        self._lock = Lock()
        self._paused = paused
        self._recorded: Callable[[], tuple[bool, int]] = lambda: (False, 0)
        self._seen = (False, 0)  # the last answer
        self._closings = 0

    def set_external_check(self, recorded: Callable[[], tuple[bool, int]]) -> None:
        """``recorded`` is called before each answer of a gate: whether the brake is set by any process of this pet,
        and how often it was."""
        self._recorded = recorded
        self._seen = recorded()

    def look(self) -> tuple[bool, int]:
        """Whether the brake is on, here or elsewhere, and how often it was set; both of one instant."""
        now = self._recorded()
        with self._lock:
            if now[1] != self._seen[1] or (now[0] and not self._seen[0]):
                self._closings += 1
            self._seen = now
            return self._paused or now[0], self._closings

    @property
    def paused(self) -> bool:
        return self._paused

    def pause(self, paused: bool) -> None:
        with self._lock:
            if paused and not self._paused:
                self._closings += 1
            self._paused = paused


class ConversationGate:
    """The live brain switch of one conversation. Safe to flip from any thread while a turn runs."""

    def __init__(self, pet: PetGate, *, memory: bool | Brain, temporary: bool = False) -> None:
        self._pet = pet
        self._lock = Lock()
        self._brain = Brain.OFF if temporary else Brain.of(memory)
        self._closings = 0
        self._catch_up: Callable[[], bool] = lambda: True
        self.temporary = temporary

    @property
    def brain(self) -> Brain:
        """Where the owner left the switch, whatever the pet's pause says."""
        return self._brain

    @property
    def switched_on(self) -> bool:
        """Whether the owner left the switch at ON."""
        return self._brain is Brain.ON

    def switch(self, memory: bool | Brain) -> None:
        """Move the switch. A temporary conversation stays OFF."""
        brain = Brain.of(memory)
        with self._lock:
            if self.temporary:
                return
            if brain.rank < self._brain.rank:
                self._closings += 1
            self._brain = brain

    def set_external_check(self, catch_up: Callable[[], bool]) -> None:
        """Asked before each answer of this gate: it flips the switch where another process has flipped it.

        Where it returns False nobody knows what the owner wants, and the answer is OFF.
        """
        self._catch_up = catch_up

    def revoke_running(self) -> None:
        """Close the turns that run now and leave the switch where it is."""
        with self._lock:
            self._closings += 1

    def access(self) -> Access:
        """What this conversation may touch at this instant."""
        return self._look()[0]

    def check_keeps(self) -> None:
        """Raises ConversationTemporary where nothing of the conversation may be written, not even by the owner."""
        if self.temporary:
            raise ConversationTemporary

    def begin_turn(self) -> TurnGate:
        """The gate of one turn: it starts at the present access and can only shrink from there."""
        access, closings = self._look()

        def live() -> Access:
            now, count = self._look()
            return now if count == closings else OFF  # it may be ON again: the turn doesn't regain what it lost

        return TurnGate(access, live)

    def _look(self) -> tuple[Access, int]:
        """The access, and how often it shrank; both of one instant."""
        readable = self._catch_up()  # first: it flips the switch and counts where another process has flipped it
        paused, brakes = self._pet.look()
        with self._lock:
            access = _POSITIONS[self._brain] if readable and not paused else OFF
            return TEMPORARY if self.temporary else access, self._closings + brakes


class TurnGate:
    """What one turn may touch: the smaller of what it started with and what the switch says now."""

    def __init__(self, started: Access, live: Callable[[], Access]) -> None:
        self.started = started
        self._live = live
        self.stopped = False

    def stop(self) -> None:
        """From here on no tool of the turn reads or writes, whatever the file; callable from any thread."""
        self.stopped = True

    def access(self) -> Access:
        return self.started if not self.started.memory or self._live().memory else OFF

    def was_revoked(self) -> bool:
        """The switch went to less than the turn began with: the tool loop must end."""
        return self.started.memory and not self.access().memory

    def check_read(self, kind: FileKind, file: str) -> None:
        """Raises AccessDenied, OwnersFile or ToolRefused unless the turn's tools may read this kind of file now."""
        self._check(kind, self.access().readable, file)

    def check_write(self, kind: FileKind, file: str) -> None:
        """Raises AccessDenied, OwnersFile, LogOnlyGrows or ToolRefused unless the turn's tools may write this kind of
        file now."""
        if not self.stopped and kind in self.access().appendable:
            raise LogOnlyGrows(file=file)
        self._check(kind, self.access().writable, file)

    def check_append(self, kind: FileKind, file: str) -> None:
        """Raises AccessDenied or ToolRefused unless the turn's tools may add to this kind of file now."""
        self._check(kind, self.access().appendable, file)

    def check_recall(self) -> None:
        """Raises ToolRefused unless the turn may search the memory now; to be asked again of what was found."""
        if self.stopped:
            raise ToolRefused("stopped")
        if not self.access().recalls:
            raise ToolRefused("memory_off")

    def _check(self, kind: FileKind, allowed: frozenset[FileKind], file: str) -> None:
        if self.stopped:
            raise ToolRefused("stopped")
        if kind is FileKind.OPTIONAL:
            raise OwnersFile(file=file)
        if kind not in allowed:
            raise AccessDenied(file=file)
        if self.was_revoked():  # the open calls of a turn that lost the memory are refused, those on SOUL.md too
            raise ToolRefused("memory_off")

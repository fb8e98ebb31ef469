"""Access policy: what a conversation's model may see and write. Pure; thread-safe.

The only place that decides it. Call it for every read, write and request, not once per turn.

>>> pet = PetGate()
>>> conversation = ConversationGate(pet, memory=True)
>>> turn = conversation.begin_turn()
>>> turn.check_read(FileKind.USER, "USER.md")
>>> pet.pause(True)
>>> turn.access() is OFF, turn.was_revoked()
(True, True)
>>> turn.check_read(FileKind.USER, "USER.md")
Traceback (most recent call last):
pet.errors.AccessDenied: access_denied {'file': 'USER.md'}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from threading import Lock

from pet.errors import AccessDenied, ConversationTemporary, LogOnlyGrows, NoteOnlyRead, OwnersFile, ToolRefused
from pet.model import OPTIONAL_FILES, CoreFile, FileState, Present


class FileKind(StrEnum):
    """Kinds of files with different access."""

    SOUL = "soul"
    USER = "user"
    MEMORY = "memory"
    LOG = "log"
    NOTE = "note"
    """Another text in the folder of the logs, by the owner or another program: the pet only reads it."""
    OPTIONAL = "optional"
    ASIDE = "aside"
    """Entries that the owner set aside: in no access of a model, whatever the switch says."""


class MemoryMode(StrEnum):
    """The positions of a conversation's memory switch."""

    ON = "on"
    READ_ONLY = "read"
    OFF = "off"

    @staticmethod
    def of(memory: bool | MemoryMode, *, read_only: bool = False) -> MemoryMode:
        """Return ON for True, and OFF for False, or READ_ONLY if ``read_only``."""
        if isinstance(memory, MemoryMode):
            return memory
        return MemoryMode.ON if memory else MemoryMode.READ_ONLY if read_only else MemoryMode.OFF

    @property
    def rank(self) -> int:
        """Position in the order OFF, READ_ONLY, ON: a higher one allows more."""
        return (MemoryMode.OFF, MemoryMode.READ_ONLY, MemoryMode.ON).index(self)


GATED = frozenset({FileKind.USER, FileKind.MEMORY, FileKind.LOG, FileKind.NOTE})


@dataclass(frozen=True, slots=True)
class Access:
    """Rights of one conversation at one position of the memory switch, or while the pet is paused."""

    memory: bool  # the gated files may be seen
    in_prompt: frozenset[FileKind]
    readable: frozenset[FileKind]  # by tools
    writable: frozenset[FileKind]  # by tools
    appendable: frozenset[FileKind]  # by tools that only add
    asks_owner: frozenset[FileKind]  # a write needs the owner's approval
    recalls: bool  # search, recall, recent days, other conversations
    learns: bool  # memory_write, flush and upkeep; messages may be noted, indexed and found by other conversations
    replays_gated: bool  # thinking, calls, results, recall, recent days and summaries of turns held while ON
    keeps: bool = True  # the conversation may be written to disk
    conversations: bool = True  # search also finds what was said in other conversations
    proposes: bool = False  # may propose an entry, which waits for the owner
    switches: frozenset[str] = frozenset()  # of extras (``Switch``) that are on, whatever the memory switch says


_SOUL_ONLY = frozenset({FileKind.SOUL})

ON = Access(
    memory=True,
    in_prompt=frozenset({FileKind.SOUL, FileKind.USER, FileKind.MEMORY, FileKind.OPTIONAL}),
    readable=GATED | {FileKind.SOUL},
    writable=frozenset({FileKind.SOUL, FileKind.USER, FileKind.MEMORY}),
    appendable=frozenset({FileKind.LOG}),
    asks_owner=_SOUL_ONLY,
    recalls=True,
    learns=True,
    replays_gated=True,
)
READ = replace(ON, writable=frozenset(), appendable=frozenset(), asks_owner=frozenset(), learns=False)
"""ON without any write, also not of SOUL.md."""
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
"""OFF without any write, even one that the owner would allow: the conversation never reaches the disk."""
TEMPORARY_READ = replace(READ, keeps=False)
"""READ in a conversation that never reaches the disk: a question about what is selected."""


_POSITIONS = {MemoryMode.ON: ON, MemoryMode.READ_ONLY: READ, MemoryMode.OFF: OFF}


PROMPT_KINDS = {
    CoreFile.SOUL.value: FileKind.SOUL,
    CoreFile.USER.value: FileKind.USER,
    CoreFile.MEMORY.value: FileKind.MEMORY,
    **dict.fromkeys(OPTIONAL_FILES, FileKind.OPTIONAL),
}
"""The files a prompt may hold, by name. No other file enters it."""


@dataclass(frozen=True, slots=True)
class VisibleFiles:
    """The files that ``access`` allows in a prompt. The constructor drops the others, so this type is the filter.

    >>> VisibleFiles(OFF, (Present(name="USER.md", text="- Name: Lin", version=""),)).states
    ()
    """

    access: Access
    states: tuple[FileState, ...]

    def __post_init__(self) -> None:
        allowed = tuple(state for state in self.states if PROMPT_KINDS.get(state.name) in self.access.in_prompt)
        object.__setattr__(self, "states", allowed)

    def text(self, name: str) -> str:
        """Return the file's text; "" if it is hidden, missing or broken."""
        state = next((state for state in self.states if state.name == name), None)
        return state.text if isinstance(state, Present) else ""


class PetGate:
    """The pet's pause: forces every conversation OFF."""

    def __init__(self, *, paused: bool = False) -> None:
        self._lock = Lock()
        self._paused = paused
        self._recorded: Callable[[], tuple[bool, int]] = lambda: (False, 0)
        self._on_closed: Callable[[], object] = lambda: None
        self._seen = (False, 0)  # the last result of ``_recorded``
        self._closings = 0

    def set_external_check(
        self, recorded: Callable[[], tuple[bool, int]], on_closed: Callable[[], object] = lambda: None
    ) -> None:
        """Set ``recorded``, called before each answer: whether any process of this pet paused it, and how often it
        was paused. ``on_closed``: called when that begins to be so without a pause in this process.
        """
        self._recorded, self._on_closed = recorded, on_closed
        self._seen = recorded()

    def snapshot(self) -> tuple[bool, int]:
        """Return whether the pet is paused, here or in another process, and how often it was; both at one instant."""
        now = self._recorded()
        with self._lock:
            closed = now[0] and not (self._seen[0] or self._paused)
            if now[1] != self._seen[1] or (now[0] and not self._seen[0]):
                self._closings += 1
            self._seen = now
            result = self._paused or now[0], self._closings
        if closed:
            self._on_closed()
        return result

    @property
    def paused(self) -> bool:
        """Whether the pet is paused, as far as was last seen."""
        return self._paused or self._seen[0]

    @property
    def announced(self) -> bool:
        """Whether it is paused by ``pause``: this process paused, or took over the pause of another one."""
        return self._paused

    def pause(self, paused: bool) -> None:
        with self._lock:
            if paused and not self._paused:
                self._closings += 1
            self._paused = paused
        self.snapshot()  # a pause that was recorded may be over


class ConversationGate:
    """Memory switch of one conversation. May be flipped from any thread while a turn runs."""

    def __init__(
        self, pet: PetGate, *, memory: bool | MemoryMode, temporary: bool = False, reads: bool = False
    ) -> None:
        """``reads``: of a temporary conversation: memory is read only instead of OFF."""
        self._pet = pet
        self._lock = Lock()
        self._memory_mode = MemoryMode.of(False, read_only=reads) if temporary else MemoryMode.of(memory)
        self._closings = 0
        self._catch_up: Callable[[], frozenset[str] | None] = frozenset
        self.temporary = temporary

    @property
    def memory_mode(self) -> MemoryMode:
        """Position that the owner chose, whether or not the pet is paused."""
        return self._memory_mode

    @property
    def switched_on(self) -> bool:
        """Whether the owner left the switch at ON."""
        return self._memory_mode is MemoryMode.ON

    def switch(self, memory: bool | MemoryMode) -> None:
        """Move the switch. That of a temporary conversation stays."""
        memory_mode = MemoryMode.of(memory)
        with self._lock:
            if self.temporary:
                return
            if memory_mode.rank < self._memory_mode.rank:
                self._closings += 1
            self._memory_mode = memory_mode

    def set_external_check(self, catch_up: Callable[[], frozenset[str] | None]) -> None:
        """Set ``catch_up``, called before each answer: it applies a switch by another process, and returns the
        extras' switches that are on. The answer is OFF if it returns None: the position is then unknown.
        """
        self._catch_up = catch_up

    def revoke_running(self) -> None:
        """Revoke the access of running turns; the switch stays."""
        with self._lock:
            self._closings += 1

    def access(self) -> Access:
        """Return the rights at this instant."""
        return self._snapshot()[0]

    def check_keeps(self) -> None:
        """Raise ConversationTemporary if nothing of the conversation may be written, not even by the owner."""
        if self.temporary:
            raise ConversationTemporary

    def begin_turn(self) -> TurnGate:
        """Return the gate of one turn: it has the present rights, and can only lose some."""
        access, closings = self._snapshot()

        def live() -> Access:
            now, count = self._snapshot()
            if count != closings:  # even if it is ON again: a turn never regains rights
                return replace(TEMPORARY if self.temporary else OFF, switches=now.switches)
            return now

        return TurnGate(access, live)

    def _snapshot(self) -> tuple[Access, int]:
        """Return the rights, and how often they shrank; both at one instant."""
        switches = self._catch_up()  # first: it may flip the switch and count it
        paused, brakes = self._pet.snapshot()
        with self._lock:
            access = OFF if switches is None or paused else _POSITIONS[self._memory_mode]
            if self.temporary:
                access = TEMPORARY_READ if access.memory else TEMPORARY
            return replace(access, switches=switches) if switches else access, self._closings + brakes


class TurnGate:
    """Rights of one turn: those at its start, or OFF once the switch or the pause revoked them."""

    def __init__(self, started: Access, live: Callable[[], Access]) -> None:
        self.started = started
        self._live = live
        self.stopped = False

    def stop(self) -> None:
        """Refuse every further read and write of the turn's tools. Callable from any thread."""
        self.stopped = True

    def despite_stop(self) -> TurnGate:
        """Return a gate with the same rights, which ``stop`` of this one leaves as they are."""
        return TurnGate(self.started, self._live)

    def access(self) -> Access:
        if not self.started.memory and not self.started.switches:
            return self.started
        live = self._live()
        without = OFF if self.started.keeps else TEMPORARY
        access = self.started if not self.started.memory or live.memory else without
        switches = self.started.switches & live.switches
        return access if access.switches == switches else replace(access, switches=switches)

    def was_revoked(self) -> bool:
        """Whether the turn lost its memory: the tool loop must end."""
        return self.started.memory and not self.access().memory

    def check_read(self, kind: FileKind, file: str) -> None:
        """Raise AccessDenied, OwnersFile or ToolRefused unless the turn's tools may read this kind of file now."""
        now = self.access()
        self._check(kind, file, now, now.readable)

    def check_write(self, kind: FileKind, file: str) -> None:
        """Raise AccessDenied, OwnersFile, LogOnlyGrows, NoteOnlyRead or ToolRefused unless the turn's tools may write
        this kind of file now.
        """
        now = self.access()
        if not self.stopped and now.appendable:
            if kind in now.appendable:
                raise LogOnlyGrows(file=file)
            if kind is FileKind.NOTE:
                raise NoteOnlyRead(file=file)
        self._check(kind, file, now, now.writable)

    def check_append(self, kind: FileKind, file: str) -> None:
        """Raise AccessDenied or ToolRefused unless the turn's tools may append to this kind of file now."""
        now = self.access()
        self._check(kind, file, now, now.appendable)

    def check_recall(self) -> None:
        """Raise ToolRefused unless the turn may search memory now. Call it again before returning the results."""
        if self.stopped:
            raise ToolRefused("stopped")
        if not self.access().recalls:
            raise ToolRefused("memory_off")

    def check_switch(self, name: str) -> None:
        """Raise ToolRefused unless this extra's switch is on now. Call it again before returning a result."""
        if self.stopped:
            raise ToolRefused("stopped")
        if name not in self.access().switches:
            raise ToolRefused("switched_off")

    def _check(self, kind: FileKind, file: str, now: Access, allowed: frozenset[FileKind]) -> None:
        if self.stopped:
            raise ToolRefused("stopped")
        if kind is FileKind.OPTIONAL:
            raise OwnersFile(file=file)
        if kind not in allowed:
            raise AccessDenied(file=file)
        if self.started.memory and not now.memory:  # open calls are refused, also on SOUL.md
            raise ToolRefused("memory_off")

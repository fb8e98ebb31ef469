"""Whether memory is off in the conversation that the chat window has open; the pet's body shows it.

Emits TabBrainChanged when the answer changes. A chat that is hidden, or shows another view, keeps its open tab.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import ClassVar

from pet.errors import PetError
from pet.events import ConversationDeleted, Event, MemorySwitched, TabMemoryChanged


class OpenTab:
    """``has_memory``: whether a conversation may see the memory; raises PetError for one that can't be
    opened. Any thread."""

    def __init__(self, emit: Callable[[Event], object], has_memory: Callable[[str], bool]) -> None:
        self._emit = emit
        self._has_memory = has_memory
        self._lock = Lock()
        self._open: str | None = None
        self._off = False

    @property
    def off(self) -> bool:
        return self._off

    def set_in_front(self, conversation: str | None) -> None:
        """The page shows this conversation now; None changes nothing."""
        if conversation is None:
            return
        try:
            off = not self._has_memory(conversation)
        except PetError:
            off = False
        with self._lock:
            self._open = conversation
        self._change(off)

    HEARS: ClassVar[tuple[type[Event], ...]] = (MemorySwitched, ConversationDeleted)

    def hear(self, event: Event) -> None:
        match event:
            case MemorySwitched(conversation=conversation, memory=memory, read_only=reads) if (
                conversation == self._open
            ):
                self._change(not (memory or reads))
            case ConversationDeleted(conversation=conversation) if conversation == self._open:
                self._change(False)
            case _:
                return

    def _change(self, off: bool) -> None:
        with self._lock:
            if off == self._off:
                return
            self._off = off
        self._emit(TabMemoryChanged(off=off))

"""State of the chat window that the pet's body shows: the open tab's memory mode, and unread replies."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from threading import Lock
from typing import ClassVar, Protocol

from pet.errors import PetError
from pet.events import (
    ChatShown,
    ConversationDeleted,
    Event,
    MemorySwitched,
    ProposalAsked,
    TabMemoryChanged,
    TurnEnded,
    TurnStarted,
    UnreadChanged,
)
from pet.model import TurnEnd


class OpenTab:
    """State of the open tab's memory. Any thread. ``has_memory``: whether a conversation may see the memory; raises
    PetError for one that can't be opened."""

    def __init__(self, emit: Callable[[Event], object], has_memory: Callable[[str], bool]) -> None:
        self._emit = emit
        self._has_memory = has_memory
        self._lock = Lock()
        self._open: str | None = None
        self._off = False

    @property
    def off(self) -> bool:
        return self._off

    @property
    def conversation(self) -> str | None:
        return self._open

    def set_in_front(self, conversation: str | None) -> None:
        """Record that the page shows this conversation now; None changes nothing."""
        if conversation is None:
            return
        try:
            off = not self._has_memory(conversation)
        except PetError:
            off = False
        with self._lock:
            self._open = conversation
        self._change(off)

    EVENTS: ClassVar[tuple[type[Event], ...]] = (MemorySwitched, ConversationDeleted)

    def on_event(self, event: Event) -> None:
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


_MOST = 200
_log = logging.getLogger(__name__)


class Kept(Protocol):
    """Small persistent state."""

    def read(self) -> dict[str, object]: ...

    def update(self, values: Mapping[str, object]) -> None: ...


class Unread:
    """Event listener. ``chat_shown``: whether the chat is visible; ``stays``: whether a conversation still exists on
    disk, checked for those restored from the last start.
    """

    def __init__(
        self,
        state: Kept,
        pet: str,
        emit: Callable[[Event], object],
        *,
        chat_shown: Callable[[], bool],
        stays: Callable[[str], bool],
    ) -> None:
        self._state = state
        self._name = f"unread.{pet}"
        self._emit = emit
        self._chat_shown = chat_shown
        self._stays = stays
        self._lock = Lock()
        self._in_front: str | None = None
        self._focused = False
        stored = state.read().get(self._name)
        kept = [each for each in stored if isinstance(each, str) and stays(each)] if isinstance(stored, list) else []
        self._waiting = tuple(dict.fromkeys(kept[:_MOST]))

    @property
    def conversations(self) -> list[str]:
        """Return the unread conversations, oldest first."""
        return list(self._waiting)

    @property
    def in_front(self) -> str | None:
        """Return the conversation the page shows; None: none, or not known yet."""
        return self._in_front

    @property
    def chat_in_front(self) -> bool:
        """Whether the chat is visible and has the keyboard focus, so that the owner sees it."""
        return self._focused and self._chat_shown()

    EVENTS: ClassVar[tuple[type[Event], ...]] = (
        TurnEnded,
        ProposalAsked,
        ChatShown,
        TurnStarted,
        ConversationDeleted,
    )

    def on_event(self, event: Event) -> None:
        match event:
            case TurnEnded(end=TurnEnd.STOPPED):
                return
            case TurnEnded(conversation=conversation) | ProposalAsked(conversation=conversation):
                if not self._sees(conversation):
                    self._change(add=conversation, keep=False)
                self._keep()
            case ChatShown(shown=True) if self._in_front is not None:
                self._change(drop=self._in_front)
            case TurnStarted(conversation=conversation):  # writing in it implies having seen it
                self._change(drop=conversation, keep=False)  # stored with the turn's end: a request waits for this
            case ConversationDeleted(conversation=conversation):
                self._change(drop=conversation)
            case _:
                return

    def set_in_front(self, conversation: str | None) -> None:
        """Record the conversation the page shows now; None: none, for example the settings."""
        self._in_front = conversation
        if conversation is not None and self._chat_shown():
            self._change(drop=conversation)

    def set_focused(self, focused: bool) -> None:
        """Record whether the chat's window has the keyboard focus, as its page reports it."""
        self._focused = focused

    def mark_seen(self, conversation: str) -> None:
        """Mark a conversation as seen."""
        self._change(drop=conversation)

    def _sees(self, conversation: str) -> bool:
        return conversation == self._in_front and self._chat_shown()

    def _change(self, *, add: str | None = None, drop: str | None = None, keep: bool = True) -> None:
        """Emit under the lock, so that the last event is the current state."""
        with self._lock:
            before = self._waiting
            after = tuple(each for each in before if each != drop)
            if add is not None and add not in after:
                after = (*after, add)[-_MOST:]
            if after == before:
                return
            self._waiting = after
            self._emit(UnreadChanged(conversations=list(after)))
        if keep:
            self._keep()

    def _keep(self) -> None:
        """Persist, except temporary conversations."""
        kept = [each for each in self._waiting if self._stays(each)]
        if self._state.read().get(self._name, []) == kept:
            return
        try:
            self._state.update({self._name: kept})
        except OSError as error:  # not persisted: lost on restart
            _log.warning("not stored: %s", type(error).__name__)

"""Keeps what the chat is asked to show until its page listens.

A window's page begins some seconds after the pet on a busy machine, and an event that a page can't hear yet is lost.
For most events that is right, as the page fetches the state they change; which view or conversation the owner asked
for is no state, so it is kept here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock
from typing import ClassVar

from pet.events import ConversationAsked, Event, PageAsked
from pet.services.desktop_port import View


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """The conversation first, then the view. None: nothing was asked."""

    view: View | None = None
    conversation: str | None = None


class ChatRequests:
    """Event listener, thread-safe."""

    HEARS: ClassVar[tuple[type[Event], ...]] = (PageAsked, ConversationAsked)

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: ChatRequest | None = ChatRequest()

    def hear(self, event: Event) -> None:
        with self._lock:
            match self._kept, event:
                case ChatRequest() as kept, PageAsked(view=view):
                    self._kept = replace(kept, view=view)
                case ChatRequest() as kept, ConversationAsked(conversation=conversation):
                    self._kept = replace(kept, conversation=conversation, view=None)

    def take(self) -> ChatRequest:
        """Return the last that was asked. The page hears events from now on, so nothing more is kept."""
        with self._lock:
            kept, self._kept = self._kept, None
        return kept or ChatRequest()

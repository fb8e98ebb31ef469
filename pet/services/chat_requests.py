"""Requests to show a view or a conversation, kept until the chat's page is ready.

A loading page misses events. For most that is right, since it then fetches the state they changed; a request to show
something is no such state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock
from typing import ClassVar

from pet.events import ConversationAsked, Event, PageAsked
from pet.services.desktop_port import View


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """Show the conversation first, then the view; None: neither."""

    view: View | None = None
    conversation: str | None = None


class ChatRequests:
    """Keeps the last request. Thread-safe."""

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
        """Return the last request; later ones are not kept, since the page receives events from now on."""
        with self._lock:
            kept, self._kept = self._kept, None
        return kept or ChatRequest()

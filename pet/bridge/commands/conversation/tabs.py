"""The open tabs of the chat, and the conversation in front."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.engine.conversations import Conversations
from pet.engine.open_tab import OpenTab
from pet.engine.unread import Unread
from pet.services.chat_requests import ChatRequest, ChatRequests
from pet.services.conversation.saved_tabs import SavedTabs, TabState


@dataclass(frozen=True, slots=True)
class TabCommands:
    tabs: SavedTabs
    conversations: Conversations
    unread: Unread
    open_tab: OpenTab
    requests: ChatRequests

    @command(Client.CHAT)
    def take_request(self) -> ChatRequest:
        """Return the view or conversation to show that was requested before the page was ready; once."""
        return self.requests.take()

    @command(Client.CHAT)
    def set_in_front(self, conversation: str | None) -> None:
        """Set the conversation in front of the owner, and mark it as read; None: none is in front."""
        self.unread.set_in_front(conversation)
        self.open_tab.set_in_front(conversation)

    @command(Client.CHAT)
    def set_focused(self, focused: bool) -> None:
        """Report whether the chat's window has the keyboard focus."""
        self.unread.set_focused(focused)

    @command(Client.CHAT)
    def mark_seen(self, conversation: str) -> None:
        """Mark a conversation as read."""
        self.unread.mark_seen(conversation)

    @command(Client.CHAT)
    def save_tabs(self, tabs: list[TabState], active: str | None) -> None:
        """Save the open tabs, with drafts and scroll positions, for the next start.

        Raises DraftTooLong after everything was stored, that draft truncated.
        """
        self.tabs.save(tabs, active, self.conversations)

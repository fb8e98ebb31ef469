"""The open tabs of the chat, and which conversation the owner has in front of him."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.engine.conversation.conversations import Conversations
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
        """What the chat was asked to show before its page listened; once."""
        return self.requests.take()

    @command(Client.CHAT)
    def look_at(self, conversation: str | None) -> None:
        """Which conversation is in front of the owner: it is seen.

        ``conversation`` None: none is.
        """
        self.unread.look_at(conversation)
        self.open_tab.look_at(conversation)

    @command(Client.CHAT)
    def set_focused(self, focused: bool) -> None:
        """Whether the chat's window has the keyboard focus."""
        self.unread.set_focused(focused)

    @command(Client.CHAT)
    def mark_seen(self, conversation: str) -> None:
        """The owner is done with what came there."""
        self.unread.mark_seen(conversation)

    @command(Client.CHAT)
    def save_tabs(self, tabs: list[TabState], active: str | None) -> None:
        """Open tabs with drafts and scroll, for the next start.

        Raises DraftTooLong once all is stored, that draft cut.
        """
        self.tabs.save(tabs, active, self.conversations)

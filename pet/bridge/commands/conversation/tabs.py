"""The open tabs of the chat, and which conversation the owner has in front of him."""

from __future__ import annotations

from pet.bridge.command import Client, command
from pet.engine.conversation.conversations import Conversations
from pet.engine.open_tab import OpenTab
from pet.engine.unread import Unread
from pet.services.chat_requests import ChatRequest, ChatRequests
from pet.services.conversation.saved_tabs import SavedTabs, TabState


class TabCommands:
    def __init__(
        self,
        tabs: SavedTabs,
        conversations: Conversations,
        unread: Unread,
        open_tab: OpenTab,
        requests: ChatRequests,
    ) -> None:
        self._tabs = tabs
        self._conversations = conversations
        self._unread = unread
        self._open_tab = open_tab
        self._requests = requests

    @command(Client.CHAT)
    def take_request(self) -> ChatRequest:
        """What the chat was asked to show before its page listened; once."""
        return self._requests.take()

    @command(Client.CHAT)
    def look_at(self, conversation: str | None) -> None:
        """Which conversation is in front of the owner: it is seen.

        ``conversation`` None: none is.
        """
        self._unread.look_at(conversation)
        self._open_tab.look_at(conversation)

    @command(Client.CHAT)
    def mark_seen(self, conversation: str) -> None:
        """The owner is done with what came there."""
        self._unread.mark_seen(conversation)

    @command(Client.CHAT)
    def save_tabs(self, tabs: list[TabState], active: str | None) -> None:
        """Open tabs with drafts and scroll, for the next start.

        Raises DraftTooLong once all is stored, that draft cut.
        """
        self._tabs.save(tabs, active, self._conversations)

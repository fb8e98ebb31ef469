"""The open tabs of the chat, and which conversation the owner has in front of him."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.bridge.commands.shared import ConversationArgs
from pet.engine.conversation.conversations import Conversations
from pet.engine.open_tab import OpenTab
from pet.engine.unread import Unread
from pet.services.conversation.saved_tabs import SavedTabs, TabState


@dataclass(frozen=True, slots=True, kw_only=True)
class TabsArgs:
    tabs: list[TabState]
    active: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAtArgs:
    """What the owner has in front of him in the chat window; None: no conversation."""

    conversation: str | None


class TabCommands:
    def __init__(self, tabs: SavedTabs, conversations: Conversations, unread: Unread, open_tab: OpenTab) -> None:
        self._tabs = tabs
        self._conversations = conversations
        self._unread = unread
        self._open_tab = open_tab

    @command(Client.CHAT)
    def look_at(self, args: LookAtArgs) -> None:
        """Which conversation is in front of the owner: it is seen."""
        self._unread.look_at(args.conversation)
        self._open_tab.look_at(args.conversation)

    @command(Client.CHAT)
    def mark_seen(self, args: ConversationArgs) -> None:
        """The owner is done with what came there."""
        self._unread.mark_seen(args.conversation)

    @command(Client.CHAT)
    def save_tabs(self, args: TabsArgs) -> None:
        """Open tabs with drafts and scroll, for the next start.

        Raises DraftTooLong once all is stored, that draft cut.
        """
        self._tabs.save(args.tabs, args.active, self._conversations)

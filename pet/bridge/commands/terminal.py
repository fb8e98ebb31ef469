"""Commands of the command line to the running pet: search, and a message whose reply the terminal prints.

They save a one-line command the start of an engine and the loading of the index.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Literal

from pet.access import MemoryMode
from pet.bridge.command import Client, command
from pet.clock import Clock
from pet.errors import BadArguments, UnknownConversation
from pet.memory.recall_selection import DEFAULT_RESULTS, Hit, is_sure
from pet.model import Allowed, Decision, Lasting, Refused
from pet.serde import vars_of

if TYPE_CHECKING:
    from pet.bridge.terminal_turns import TerminalTurns
    from pet.engine.conversation import LiveConversation
    from pet.engine.conversations import Conversations
    from pet.memory.memory_index import MemoryIndex

_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class HitView(Hit):
    """A search hit. Lines are 1-based and inclusive; ``score``: 0..1, calibrated; ``turn``: of a conversation."""

    sure: bool  # False: as likely wrong as right


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReply:
    hits: list[HitView]
    embedder: str | None  # None: words and dates only


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalSearchReply(SearchReply):
    waiting: int  # entries that can be found by words only, so far


def search_view(index: MemoryIndex, query: str, count: int | None, today: date) -> SearchReply:
    """Search for the owner; nothing of the search is recorded. ``count`` None: ``DEFAULT_RESULTS``. Raises
    BadArguments."""
    count = DEFAULT_RESULTS if count is None else count
    if not 1 <= count <= _MOST:
        raise BadArguments(where="count", why="value")
    hits = index.search(query, count, today, conversations=True)
    return SearchReply(
        hits=[HitView(**vars_of(hit), sure=is_sure(hit, query)) for hit in hits], embedder=index.embedder
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalTurn:
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalEvents:
    text: str  # JSON lines, not always whole ones


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalCommands:
    """The terminal is the owner's, as the window is: the gate is the conversation's own."""

    conversations: Conversations
    turns: TerminalTurns
    default_mode: Callable[[], MemoryMode]
    index: Callable[[], MemoryIndex]
    clock: Clock

    @command(Client.SOCKET)
    def search_in_terminal(self, query: str, count: int) -> TerminalSearchReply:
        """Search memory for the owner, as in the window."""
        index = self.index()
        reply = search_view(index, query, count, self.clock.now().date())
        return TerminalSearchReply(**vars_of(reply), waiting=index.pending()[0])

    @command(Client.SOCKET)
    def start_terminal_turn(
        self, text: str, memory: MemoryMode | None = None, conversation: str | None = None
    ) -> TerminalTurn:
        """Send a message in a conversation, by id or number in the list, or in a new one.

        ``memory``: sets the conversation's mode; None: as it is, or as new conversations begin.
        """
        if conversation is None:
            live = self.conversations.create(memory=self.default_mode() if memory is None else memory)
        else:
            live = open_named(self.conversations, conversation)
            if memory is not None:
                live.set_memory(memory)
        return TerminalTurn(turn=self.turns.follow(live.id, lambda: live.send(text)))

    @command(Client.SOCKET)
    def read_terminal_turn(self, turn: str, after: int = 0) -> TerminalEvents:
        """Return the turn's events from this offset on, as soon as there are some; "" for none yet."""
        return TerminalEvents(text=self.turns.read(turn, after))

    @command(Client.SOCKET)
    def stop_terminal_turn(self, turn: str) -> None:
        """Stop the turn; its text so far is kept."""
        self._live(turn).stop()

    @command(Client.SOCKET)
    def answer_terminal_turn(
        self,
        turn: str,
        proposal: str,
        text: str | None = None,
        edited: bool = False,
        why: Literal["owner", "no_terminal"] = "owner",
        lasting: Lasting = "once",
    ) -> None:
        """Allow the proposed text, as shown or ``edited``, or refuse it. Raises UnknownProposal.

        ``text`` None: refused, for the reason ``why``.
        """
        decision: Decision = Refused(why=why) if text is None else Allowed(text=text, edited=edited, lasting=lasting)
        self._live(turn).answer(proposal, decision)

    def _live(self, turn: str) -> LiveConversation:
        return self.conversations.open(self.turns.conversation(turn))


def open_named(conversations: Conversations, named: str) -> LiveConversation:
    """Open a conversation by id, or by number in the list. Raises UnknownConversation."""
    if named.isascii() and named.isdigit() and len(named) < 6:
        saved = conversations.saved()
        if not 1 <= int(named) <= len(saved):
            raise UnknownConversation()
        named = saved[int(named) - 1].id
    return conversations.open(named)

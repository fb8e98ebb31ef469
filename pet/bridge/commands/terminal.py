"""Commands of the command line: search, and a message whose reply the terminal prints.

The terminal calls them in its own process, or in that of the running pet, which saves a one-line command the start of
an engine and the loading of the index.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from threading import Condition
from typing import TYPE_CHECKING, Literal

from pet.access import MemoryMode
from pet.bridge.command import Client, command
from pet.bridge.emitter import Emitter, Subscription, event_data
from pet.errors import BadArguments, UnknownConversation
from pet.events import (
    CompactionStarted,
    ContextUsed,
    Event,
    ProposalAsked,
    RetryWaiting,
    RoundStarted,
    TextDelta,
    ToolEnded,
    ToolsMissing,
    ToolStarted,
    TurnEnded,
)
from pet.memory.search.recall_selection import DEFAULT_RESULTS, Hit, is_sure
from pet.model import Allowed, Decision, Lasting, Refused
from pet.serde import encode, vars_of

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.engine.conversation import LiveConversation
    from pet.engine.conversations import Conversations
    from pet.memory.search.memory_index import MemoryIndex

FOLLOWED = (
    TextDelta,
    RoundStarted,
    ContextUsed,
    CompactionStarted,
    ToolStarted,
    ToolEnded,
    ToolsMissing,
    RetryWaiting,
    ProposalAsked,
    TurnEnded,
)
"""The classes of events that a terminal prints."""
SLICE = 100_000  # ASCII characters; a message holds ten times as many
WAIT_SECONDS = 0.3  # less than a client waits for a reply; a terminal looks for another program's pause in between
_MOST_TURNS = 8  # turns; the oldest is forgotten


@dataclass(slots=True)
class _FollowedTurn:
    """``text``: events as JSON lines, from offset ``start`` on; what was read before is dropped."""

    conversation: str
    changed: Condition = field(default_factory=Condition)
    turn: str = ""
    text: str = ""
    start: int = 0
    ended: bool = False
    subscription: Subscription | None = None

    def put(self, event: Event) -> None:
        with self.changed:
            if getattr(event, "conversation", "") != self.conversation:
                return
            if getattr(event, "turn", self.turn) != self.turn:
                return
            self.text += encode(event_data(event)) + "\n"
            self.ended = self.ended or isinstance(event, TurnEnded)
            self.changed.notify_all()


class TerminalTurns:
    """Thread-safe. ``seen``: called with the conversation of a turn whose end was read."""

    def __init__(self, emitter: Emitter, seen: Callable[[str], object]) -> None:
        self._emitter = emitter
        self._seen = seen
        self._turns: dict[str, _FollowedTurn] = {}
        self._read: deque[str] = deque(maxlen=_MOST_TURNS)  # turns that a terminal has read to the end

    def follow(self, conversation: str, start: Callable[[], str]) -> str:
        """Start a turn of the conversation and record its events. Return its id. Raises what ``start`` raises."""
        followed = _FollowedTurn(conversation)
        subscription = self._emitter.subscribe(followed.put, *FOLLOWED, name="terminal-turn")
        with ExitStack() as unless_started:
            unless_started.callback(subscription.close)
            with followed.changed:  # no event is recorded before the id is known
                followed.turn = turn = start()
            unless_started.pop_all()
        followed.subscription = subscription
        self._turns[turn] = followed
        for oldest in list(self._turns)[:-_MOST_TURNS]:
            self._drop(oldest)
        return turn

    def follows(self, turn: str) -> bool:
        """Whether a terminal prints the turn, or has just printed it."""
        return turn in self._turns or turn in self._read

    def conversation(self, turn: str) -> str:
        """Return the conversation of a followed turn. Raises BadArguments."""
        return self._get(turn).conversation

    def read(self, turn: str, after: int) -> str:
        """Return up to ``SLICE`` characters of the turn's events, JSON lines, from this offset on; wait for them. ""
        if none came in time. Raises BadArguments for a turn that is not followed, also once its end was read, and for
        an offset beyond the end or before the last one."""
        followed = self._get(turn)
        with followed.changed:
            if not 0 <= after - followed.start <= len(followed.text):
                raise BadArguments(where="after", why="value")
            followed.text = followed.text[after - followed.start :]
            followed.start = after
            followed.changed.wait_for(lambda: followed.text, WAIT_SECONDS)
            text, ended = followed.text[:SLICE], followed.ended and len(followed.text) <= SLICE
        if ended:
            self._read.append(turn)
            self._drop(turn)
            self._seen(followed.conversation)
        return text

    def _get(self, turn: str) -> _FollowedTurn:
        followed = self._turns.get(turn)
        if followed is None:
            raise BadArguments(where="turn", why="value")
        return followed

    def _drop(self, turn: str) -> None:
        followed = self._turns.pop(turn, None)
        if followed is not None and followed.subscription is not None:
            followed.subscription.close()


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


@dataclass(frozen=True, slots=True)
class TerminalCommands:
    """The terminal is the owner's, as the window is: the gate is the conversation's own."""

    app: Pet

    @command(Client.SOCKET)
    def search_in_terminal(self, query: str, count: int) -> TerminalSearchReply:
        """Search memory for the owner, as in the window."""
        index = self.app.index.get()
        reply = search_view(index, query, count, self.app.clock.now().date())
        return TerminalSearchReply(**vars_of(reply), waiting=index.pending()[0])

    @command(Client.SOCKET, Client.TERMINAL)
    def start_terminal_turn(
        self,
        text: str,
        memory: MemoryMode | None = None,
        conversation: str | None = None,
        attachments: tuple[str, ...] = (),
        pages: tuple[str, ...] = (),
    ) -> TerminalTurn:
        """Send a message in a conversation, by id or number in the list, or in a new one; see ``send_message``.

        ``memory``: sets the conversation's mode; None: as it is, or as new conversations begin.
        """
        from pet.bridge.commands.turns import TurnCommands  # late: a search needs no engine

        live = named_or_new(self.app, conversation, memory)
        send = partial(TurnCommands(self.app).send_message, live.id, text, attachments, pages)
        return TerminalTurn(turn=self.app.terminal_turns.follow(live.id, lambda: send().turn))

    @command(Client.SOCKET, Client.TERMINAL)
    def read_terminal_turn(self, turn: str, after: int = 0) -> TerminalEvents:
        """Return the turn's events from this offset on, as soon as there are some; "" for none yet."""
        lost = self._live(turn).running_turn != turn  # before: its last events may be on their way
        text = self.app.terminal_turns.read(turn, after)
        if lost and not text:
            raise RuntimeError("a turn ended without its event")
        return TerminalEvents(text=text)

    @command(Client.SOCKET, Client.TERMINAL)
    def stop_terminal_turn(self, turn: str) -> None:
        """Stop the turn; its text so far is kept."""
        self._live(turn).stop()

    @command(Client.SOCKET, Client.TERMINAL)
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
        return self.app.conversations.open(self.app.terminal_turns.conversation(turn))


def named_or_new(
    app: Pet, named: str | None, memory: MemoryMode | None, *, temporary: bool = False
) -> LiveConversation:
    """Open a conversation by id or number, and set its mode unless it is None; without a name begin a new one. Raises
    UnknownConversation."""
    if named is None:
        mode = app.effective.current().default_memory_mode if memory is None else memory
        return app.conversations.create(memory=mode, temporary=temporary)
    live = open_named(app.conversations, named)
    if memory is not None:
        live.set_memory(memory)
    return live


def open_named(conversations: Conversations, named: str) -> LiveConversation:
    """Open a conversation by id, or by number in the list. Raises UnknownConversation."""
    if named.isascii() and named.isdigit() and len(named) < 6:
        saved = conversations.saved()
        if not 1 <= int(named) <= len(saved):
            raise UnknownConversation()
        named = saved[int(named) - 1].id
    return conversations.open(named)

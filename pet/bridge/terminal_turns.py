"""Turns that a terminal follows in the running pet, as growing texts of events.

A terminal reads the text of its turn in slices, so that neither a long reply nor a large proposal exceeds a message
of the socket. Events of other turns and conversations are never in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from threading import Condition

from pet.bridge.emitter import Emitter, Subscription, event_data
from pet.errors import BadArguments
from pet.events import (
    ContextUsed,
    Event,
    ProposalAsked,
    RetryWaiting,
    RoundStarted,
    TextDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from pet.serde import encode

FOLLOWED = (TextDelta, RoundStarted, ContextUsed, ToolStarted, ToolEnded, RetryWaiting, ProposalAsked, TurnEnded)
"""The classes of events that a terminal prints."""
SLICE = 100_000  # ASCII characters; a message holds ten times as many
WAIT_SECONDS = 2.0  # less than a client waits for a reply
_MOST = 8  # turns; the oldest is forgotten


@dataclass(slots=True)
class _FollowedTurn:
    conversation: str
    changed: Condition = field(default_factory=Condition)
    turn: str = ""
    lines: list[str] = field(default_factory=list)
    ended: bool = False
    subscription: Subscription | None = None

    def put(self, event: Event) -> None:
        with self.changed:
            if getattr(event, "turn", None) != self.turn:
                return
            self.lines.append(encode(event_data(event)) + "\n")
            self.ended = self.ended or isinstance(event, TurnEnded)
            self.changed.notify_all()


class TerminalTurns:
    """Thread-safe. ``seen``: called with the conversation of a turn whose end was read."""

    def __init__(self, emitter: Emitter, seen: Callable[[str], object]) -> None:
        self._emitter = emitter
        self._seen = seen
        self._turns: dict[str, _FollowedTurn] = {}
        self._read: deque[str] = deque(maxlen=_MOST)  # turns that a terminal has read to the end

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
        for oldest in list(self._turns)[:-_MOST]:
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
        if none came in time. Raises BadArguments for a turn that is not followed, also once its end was read."""
        followed = self._get(turn)
        with followed.changed:
            followed.changed.wait_for(lambda: sum(map(len, followed.lines)) > after, WAIT_SECONDS)
            text, ended = "".join(followed.lines), followed.ended
        if ended and after + SLICE >= len(text):
            self._read.append(turn)
            self._drop(turn)
            self._seen(followed.conversation)
        return text[after : after + SLICE]

    def _get(self, turn: str) -> _FollowedTurn:
        followed = self._turns.get(turn)
        if followed is None:
            raise BadArguments(where="turn", why="value")
        return followed

    def _drop(self, turn: str) -> None:
        followed = self._turns.pop(turn, None)
        if followed is not None and followed.subscription is not None:
            followed.subscription.close()

"""Interface and limits of local byte channels between two processes of the same owner.

Messages are whole byte strings and never unpickled. Peers that can't prove to be the same owner are refused.
"""

from __future__ import annotations

from typing import Protocol

MAX_FRAME = 1024 * 1024
SECONDS = 5.0  # for a message and its reply


class ChannelBroken(Exception):
    """The peer closed, was too slow, sent too much, or is another user."""


class NotListening(Exception):
    """No process listens at this address."""


class Channel(Protocol):
    """One exchange with a peer. Every method but ``hang_up`` and ``close`` may raise ChannelBroken."""

    def verify(self) -> None:
        """Check that the peer is the same owner; call before the first message."""
        ...

    def send(self, message: bytes) -> None:
        """Send one whole message."""
        ...

    def receive(self) -> bytes: ...

    def hang_up(self) -> None:
        """Make a call that waits on this channel raise soon. For another thread; raises nothing."""
        ...

    def close(self) -> None: ...


class Listener(Protocol):
    def accept(self) -> Channel | None:
        """Return the next peer, not yet verified; None once closed. Blocks without a time limit."""
        ...

    def close(self) -> None:
        """End ``accept`` in any thread, and remove the address."""
        ...

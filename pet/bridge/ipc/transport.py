"""Local byte channels between two processes of the same owner, whatever the platform carries them on.

Owns the interface and the caps. Messages are whole byte strings; nothing is ever unpickled. Refuses peers that can't
prove to be the same owner; knows nothing of commands.
"""

from __future__ import annotations

from typing import Protocol

MAX_FRAME = 1024 * 1024
SECONDS = 5.0  # for a message and its answer


class ChannelBroken(Exception):
    """The other side is gone, too slow, too loud, or not who it should be."""


class NotListening(Exception):
    """No process listens at this address."""


class Channel(Protocol):
    """One exchange with a peer. Everything raises ChannelBroken."""

    def verify(self) -> None:
        """Proof that the peer is the same owner; comes before the first message."""
        ...

    def send(self, message: bytes) -> None:
        """Send one whole message."""
        ...

    def receive(self) -> bytes: ...

    def hang_up(self) -> None:
        """From another thread: a call that waits here raises soon. Raises nothing."""
        ...

    def close(self) -> None: ...


class Listener(Protocol):
    def accept(self) -> Channel | None:
        """The next peer, not yet verified. Blocks without a time limit; None once it is closed."""
        ...

    def close(self) -> None:
        """Ends ``accept`` in whatever thread it waits, and removes the address."""
        ...

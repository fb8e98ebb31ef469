"""Load a remote image of a reply, on the owner's click.

A URL sends data to its server, and a model could encode memory in it. There is no request before the click, not even
a DNS lookup; only URLs that the reply itself contains are loaded; the image is re-encoded and not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from pet.engine.conversations import Conversations
from pet.errors import AttachmentRefused, FetchRefused
from pet.services.file_transfer import data_address
from pet.services.outgoing_links import is_mentioned

if TYPE_CHECKING:
    from pet.net.fetch import Deadline, FetchPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPicture:
    """``image``: a data address of the re-encoded picture."""

    image: str
    width: int
    height: int


_MEGABYTES = 20
_WHOLE_SECONDS = 45.0
_MOST_AT_ONCE = 6
_WANTED = "image/webp, image/png, image/jpeg, image/gif"
_PROBLEMS = {"broken": "no_picture"}  # a truncated image can't be distinguished from another file


def open_internet() -> FetchPolicy:
    """Return a policy that allows http: many images have no https URL, and nothing is stored."""
    from pet.net.fetch import FetchPolicy

    return FetchPolicy(plain=True)


class RemotePictures:
    """Thread-safe. ``reach``: the fetch policy, for tests."""

    def __init__(self, conversations: Conversations, reach: Callable[[], FetchPolicy] = open_internet) -> None:
        self._conversations = conversations
        self._reach = reach
        self._lock = Lock()
        self._runs: list[Deadline] = []
        self._closed = False

    def load(self, conversation: str, turn: str, address: str) -> LoadedPicture:
        """Return the picture. Raises FetchRefused, UnknownConversation, UnknownTurn."""
        from pet.workspace.images import prepare_image  # lazy: importing Pillow is slow

        if not is_mentioned(address, self._texts(conversation, turn)):
            raise FetchRefused("not_said")
        host, content = self._fetched(address)
        try:
            picture = prepare_image(content, host)
        except AttachmentRefused as refused:
            problem = _PROBLEMS.get(refused.problem, refused.problem)
            raise FetchRefused(problem, **(refused.args_ | {"host": host})) from None
        return LoadedPicture(
            image=data_address(picture.kind, picture.data), width=picture.width, height=picture.height
        )

    def close(self) -> None:
        """Cancel pending downloads."""
        with self._lock:
            self._closed = True
            for run in self._runs:
                run.stop()

    def _texts(self, conversation: str, turn_id: str) -> list[str]:
        """Return the reply's texts, including the streaming one. Raises UnknownConversation, UnknownTurn."""
        snapshot = self._conversations.open(conversation).snapshot(lambda: 0)
        texts = [each.text for each in snapshot.conversation.turn(turn_id).rounds]
        return [*texts, snapshot.text] if snapshot.running == turn_id else texts

    def _fetched(self, text: str) -> tuple[str, bytes]:
        """Return the host and the bytes."""
        from pet.net.fetch import fetch
        from pet.net.web_address import read_web_address

        reach, most = self._reach(), _MEGABYTES * 1024 * 1024
        address = read_web_address(text, plain=reach.takes_plain)
        try:
            with self._run() as run, fetch(address, run, reach, accept=_WANTED, most=most) as answer:
                return answer.address.host, b"".join(answer.pieces(most))
        except FetchRefused as refused:
            raise FetchRefused(
                refused.problem, **{"host": address.host, "limit": _MEGABYTES, **refused.args_}
            ) from None

    @contextmanager
    def _run(self) -> Iterator[Deadline]:
        from pet.net.fetch import Deadline

        run = Deadline(_WHOLE_SECONDS)
        with self._lock:
            if self._closed:
                raise FetchRefused("cancelled")
            if len(self._runs) >= _MOST_AT_ONCE:
                raise FetchRefused("busy")
            self._runs.append(run)
        try:
            yield run
        finally:
            with self._lock:
                self._runs.remove(run)

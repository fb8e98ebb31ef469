"""Links and remote images of replies: which may be opened, and loading an image on the owner's click.

A URL sends data to its server, and a model could encode memory in it. There is no request before the click, not
even a DNS lookup; only URLs that the reply itself contains are loaded; the image is re-encoded and not stored.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from pet.engine.conversations import Conversations
from pet.errors import AttachmentRefused, FetchRefused, LinkRefused
from pet.services.file_transfer import data_address
from pet.text.unseen import count_unseen

if TYPE_CHECKING:
    from pet.net.fetch import Deadline, FetchPolicy

_LONGEST = 8000
_LONGEST_LABEL = 63
_MAIL_FIELDS = frozenset({"to", "cc", "bcc", "subject", "body"})  # "attach" could attach a file
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})  # nor spaces, nor what is seen in an emoji only

_HOSTS = re.compile(r"https?://[^/?#\s<>()\[\]\"']*", re.IGNORECASE)
# The end of a URL in Markdown; an empty query or fragment has no meaning.
_END = r"\??#?(?=[\s<>)]|$)"
# Escapes that a page adds: everything beyond ASCII, and a few signs.
_ESCAPED = re.compile(r"(?:%[89A-F][0-9A-F]|%(?:20|22|27|3C|3E|5E|60|7B|7C|7D))+", re.IGNORECASE)


def check_link(url: str) -> str:
    """Return the link if it is a plain http, https or mailto link. Raises LinkRefused."""
    if not url or len(url) > _LONGEST:
        raise LinkRefused(why="length")
    if "\\" in url or count_unseen(url) or any(unicodedata.category(each) in _INVISIBLE for each in url):
        raise LinkRefused(why="characters")
    try:
        parts = urlsplit(url)
        credentials = parts.username is not None or parts.password is not None
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise LinkRefused(why="form") from None
    if parts.scheme in ("http", "https"):
        if not host or not url[len(parts.scheme) :].startswith("://"):
            raise LinkRefused(why="form")
        if credentials:
            raise LinkRefused(why="credentials")
        return url
    if parts.scheme == "mailto":
        _check_mail(parts.netloc, parts.path, parts.query)
        return url
    raise LinkRefused(why="scheme")


def _check_mail(netloc: str, path: str, query: str) -> None:
    fields = parse_qsl(query, keep_blank_values=True)
    known = all(name.lower() in _MAIL_FIELDS for name, _ in fields)
    headers = [unquote(path), *(value for name, value in fields if name.lower() != "body")]
    if netloc or not known or any(unicodedata.category(c) == "Cc" for text in headers for c in text):
        raise LinkRefused(why="form")


def is_mentioned(address: str, texts: Iterable[str]) -> bool:
    """Return whether one of the texts contains the URL; a page writes its host in ASCII and the rest escaped.

    Only what every page changes may differ: variants of capitals, escapes or the end could encode data.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    path = "" if parts.path == "/" and not (parts.query or parts.fragment) else parts.path
    query, fragment = f"?{parts.query}" if parts.query else "", f"#{parts.fragment}" if parts.fragment else ""
    wanted = re.escape(_unescaped(f"{parts.scheme}://{_as_written(parts.netloc)}{path}{query}{fragment}"))
    whole = re.compile(wanted + ("" if path else "/?") + _END)
    return any(whole.search(_as_addressed(text)) for text in texts)


def _as_addressed(text: str) -> str:
    """Remove Markdown's escapes, and normalise scheme and host of each URL."""
    return _unescaped(_HOSTS.sub(_origin, text.replace("\\", "")))


def _origin(match: re.Match[str]) -> str:
    """Return scheme and host in lower case, without the default port."""
    at = match[0].lower()
    at = at.removesuffix(":443") if at.startswith("https:") else at.removesuffix(":80")
    return f"{at}/" if match.string[match.end() : match.end() + 1] in ("?", "#") else at


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: unquote(match[0]), text)


def _as_written(host: str) -> str:
    """Decode the punycode labels of a host; longer ones than a name has would take time by the square."""
    labels = []
    for label in host.split("."):
        encoded = label.startswith("xn--") and len(label) <= _LONGEST_LABEL
        try:
            labels.append(label[4:].encode("ascii").decode("punycode") if encoded else label)
        except UnicodeError:
            labels.append(label)
    return ".".join(labels)


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

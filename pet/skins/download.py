"""Download skins from an address that the owner pasted, within the rules of ``pet.net``.

Accepts only ``https`` without credentials; ``http`` to this machine only if the caller allows it, for tests. One
download at a time, with progress and a size limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from threading import Lock
from urllib.parse import parse_qs, unquote, urlsplit

from pet.errors import FetchRefused, SkinRefused
from pet.net.fetch import Deadline, FetchPolicy, Response, fetch
from pet.net.web_address import LONGEST, Plain, WebAddress, https_alone, read_web_address
from pet.skins.archive import ZIP_BYTES
from pet.skins.model import SkinOffer, size_words

_NAME_LENGTH = 60
_TEXT_LENGTH = 500
_PROBLEMS = {problem: f"download_{problem}" for problem in ("failed", "slow", "status", "redirects")}


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinAddress:
    """``name`` and ``description``: from an install link, else ""."""

    web: WebAddress
    name: str = ""
    description: str = ""

    @property
    def file(self) -> str:
        """Return the file name."""
        return PurePosixPath(unquote(urlsplit(self.web.url).path)).name[:120]


def read_address(pasted: str, *, plain: Plain = https_alone) -> SkinAddress:
    """Raises SkinRefused: address, address_scheme."""
    text = pasted.strip().strip("<>\"'“”")
    if len(text) > LONGEST or any(char.isspace() or not char.isprintable() for char in text):
        raise SkinRefused("address")
    try:
        if text.lower().startswith("codex:"):
            return _from_link(text, plain)
        return SkinAddress(web=read_web_address(text, plain=plain))
    except FetchRefused as refused:
        raise as_skin_refused(refused) from None


def as_skin_refused(refused: FetchRefused) -> SkinRefused:
    """Convert a FetchRefused to the corresponding SkinRefused."""
    return SkinRefused(_PROBLEMS.get(refused.problem, refused.problem), **refused.args_)


def _from_link(text: str, plain: Plain) -> SkinAddress:
    """``codex://pets/install?name=…&imageUrl=…&description=…``"""
    try:
        link, fields = urlsplit(text), parse_qs(urlsplit(text).query, max_num_fields=20)
    except ValueError:
        raise SkinRefused("address") from None
    if (link.netloc.lower(), link.path.strip("/").lower()) != ("pets", "install"):
        raise SkinRefused("address")
    image = fields.get("imageUrl") or fields.get("imageurl") or fields.get("url")
    if not image:
        raise SkinRefused("address")
    return SkinAddress(
        web=read_web_address(image[0].strip(), plain=plain),
        name=_plain(fields.get("name"), _NAME_LENGTH),
        description=_plain(fields.get("description"), _TEXT_LENGTH),
    )


def _plain(values: list[str] | None, limit: int) -> str:
    text = values[0] if values else ""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:limit]


_WHOLE_SECONDS = 300.0
_PIECE = 64 * 1024
_WANTED = "application/zip, image/webp, image/png, */*;q=0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    address: SkinAddress
    data: bytes


class Downloads:
    """One download at a time; a cancelled one never blocks the next.

    ``reach``: which hosts are allowed (for tests). ``seconds``: overall time limit.
    """

    def __init__(self, reach: FetchPolicy | None = None, *, seconds: float = _WHOLE_SECONDS) -> None:
        self._reach = reach or FetchPolicy()
        self._seconds = seconds
        self._lock = Lock()
        self._probes: list[Deadline] = []
        self._fetches: list[Deadline] = []

    def probe(self, pasted: str) -> SkinOffer:
        """Request host and size without downloading. Raises SkinRefused."""
        address = read_address(pasted, plain=self._reach.takes_plain)
        with self._run(self._probes) as run, self._answer(address, run) as (at, answer):
            return SkinOffer(host=at.web.host, name=address.name or at.file, size=answer.size)

    def fetch(self, pasted: str, progress: Callable[[int, int | None], None] = lambda _done, _of: None) -> Fetched:
        """Return the bytes. ``progress``: bytes received and total. Raises SkinRefused, also ``cancelled`` and
        ``busy``.
        """
        address = read_address(pasted, plain=self._reach.takes_plain)
        with self._run(self._fetches, alone=True) as run, self._answer(address, run) as (at, answer):
            return Fetched(address=at, data=b"".join(_reported(answer, progress)))

    def cancel(self) -> None:
        """Cancel the running download, if any."""
        with self._lock:
            for run in (*self._probes, *self._fetches):
                run.stop()

    @contextmanager
    def _run(self, among: list[Deadline], *, alone: bool = False) -> Iterator[Deadline]:
        run = Deadline(self._seconds)
        with self._lock:
            if alone and any(not each.stopped for each in among):
                raise SkinRefused("busy")
            among.append(run)
        try:
            yield run
        finally:
            with self._lock:
                among.remove(run)

    @contextmanager
    def _answer(self, address: SkinAddress, run: Deadline) -> Iterator[tuple[SkinAddress, Response]]:
        """Yield the response and its final address."""
        try:
            with fetch(address.web, run, self._reach, accept=_WANTED, most=ZIP_BYTES) as answer:
                yield SkinAddress(web=answer.address, name=address.name, description=address.description), answer
        except FetchRefused as refused:
            if refused.problem == "too_large":
                raise SkinRefused("zip_too_large", limit=size_words(ZIP_BYTES)) from None
            raise as_skin_refused(refused) from None


def _reported(answer: Response, progress: Callable[[int, int | None], None]) -> Iterator[bytes]:
    size, done, reported = answer.size, 0, 0
    progress(0, size)
    for piece in answer.pieces(ZIP_BYTES):
        done += len(piece)
        if done - reported >= max(_PIECE, (size or 0) // 50):
            reported = done
            progress(done, size)
        yield piece
    progress(done, size)

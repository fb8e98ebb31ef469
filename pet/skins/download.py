"""Download skins, on the owner's request only, by the rules of ``pet.net``.

One download at a time, with progress and a size limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from pet.errors import FetchRefused, SkinRefused
from pet.net.fetch import Deadline, FetchPolicy, Response, fetch
from pet.skins.address import SkinAddress, as_skin_refused, read_address
from pet.skins.formats.archive import ZIP_BYTES
from pet.skins.model import SkinOffer, size_words

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

"""A skin from the network: the only thing in Soulpet that is fetched on the owner's word, and only then.

Owns what may be asked: public addresses over https. The name is resolved here, each address it stands for is checked,
and the connection goes to a checked one, so that a name that points elsewhere a moment later leads nowhere (the
certificate is still the name's). Redirects are followed by hand, under the same rules. Refuses the owner's own
network and machine, and what grows too large or takes too long. No cookies, no proxy, no credentials.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TYPE_CHECKING

from pet.errors import SkinRefused
from pet.skins.address import LOOPBACK, Address, led_on, read_address
from pet.skins.archive import ZIP_BYTES
from pet.skins.model import size_words

if TYPE_CHECKING:
    import ssl

    import httpx2

_CONNECT_SECONDS = 10.0
_READ_SECONDS = 20.0
_WHOLE_SECONDS = 300.0
_MOST_REDIRECTS = 5
_PIECE = 64 * 1024
_WANTED = "application/zip, image/webp, image/png, */*;q=0.1"
_NAT64 = ipaddress.ip_network("64:ff9b::/96")

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[str]]


def resolve(host: str, port: int) -> list[str]:
    """The numeric addresses of a name. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def is_public(numeric: str) -> bool:
    """Whether an address is on the open internet, whatever it is wrapped in."""
    try:
        address = ipaddress.ip_address(numeric.partition("%")[0])
    except ValueError:
        return False
    return all(each.is_global and not each.is_multicast and not each.is_reserved for each in _wrapped(address))


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What lies at an address. ``host``: who would send it, after redirects; ``size`` None: it isn't said."""

    host: str
    name: str
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    address: Address
    data: bytes


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """One look or one download, with its own end: an end that was asked for before is not this one's."""

    fetches: bool
    ends: float
    stopped: Event = field(default_factory=Event)

    def go_on(self) -> None:
        if self.stopped.is_set():
            raise SkinRefused("cancelled")
        if time.monotonic() > self.ends:
            raise SkinRefused("download_slow", host="")


class Downloads:
    """One download at a time; one that was ended is in nobody's way, however long its server holds it.

    ``loopback``: tests may serve from this machine, over http too; no setting leads here.
    ``trust``: whom to believe certificates, where it is not those whom everybody believes.
    """

    def __init__(
        self, *, resolve: Resolve = resolve, loopback: bool = False, trust: ssl.SSLContext | None = None
    ) -> None:
        self._resolve = resolve
        self._loopback = loopback
        self._trust = trust
        self._lock = Lock()
        self._runs: list[_Run] = []

    def look(self, pasted: str) -> Offer:
        """Ask who would send it and how large it is; nothing is taken. Raises SkinRefused."""
        address = read_address(pasted, loopback=self._loopback)
        with self._run(fetches=False) as run, self._answer(address, run) as (at, response):
            return Offer(host=at.host, name=address.name or at.file, size=_size_of(response))

    def fetch(self, pasted: str, progress: Callable[[int, int | None], None] = lambda _done, _of: None) -> Fetched:
        """The bytes. ``progress``: so many of so many. Raises SkinRefused, also ``cancelled`` and ``busy``."""
        address = read_address(pasted, loopback=self._loopback)
        with self._run(fetches=True) as run, self._answer(address, run) as (at, response):
            return Fetched(address=at, data=b"".join(self._pieces(response, run, progress)))

    def cancel(self) -> None:
        """End what runs now, if anything does."""
        with self._lock:
            for run in self._runs:
                run.stopped.set()

    @contextmanager
    def _run(self, *, fetches: bool) -> Iterator[_Run]:
        run = _Run(fetches, time.monotonic() + _WHOLE_SECONDS)
        with self._lock:
            if fetches and any(each.fetches and not each.stopped.is_set() for each in self._runs):
                raise SkinRefused("busy")
            self._runs.append(run)
        try:
            yield run
        finally:
            with self._lock:
                self._runs.remove(run)

    def _pieces(
        self, response: httpx2.Response, run: _Run, progress: Callable[[int, int | None], None]
    ) -> Iterator[bytes]:
        size, done, told = _size_of(response), 0, 0
        progress(0, size)
        for piece in response.iter_raw():  # as it comes: to wait for a full piece could take a slow server days
            run.go_on()
            done += len(piece)
            if done > ZIP_BYTES:
                raise SkinRefused("zip_too_large", limit=size_words(ZIP_BYTES))
            if done - told >= max(_PIECE, (size or 0) // 50):
                told = done
                progress(done, size)
            yield piece
        progress(done, size)

    @contextmanager
    def _answer(self, address: Address, run: _Run) -> Iterator[tuple[Address, httpx2.Response]]:
        """The answer that is neither an error nor a redirect, and where it came from."""
        import httpx2  # late: it costs a tenth of a second, and hardly anybody ever asks

        timeout = httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS)
        try:
            with httpx2.Client(trust_env=False, timeout=timeout, verify=self._trust or True) as client:
                for _ in range(_MOST_REDIRECTS + 1):
                    run.go_on()
                    with closing(client.send(self._request(client, address), stream=True)) as response:
                        if response.has_redirect_location:
                            address = led_on(address, response.headers["location"], loopback=self._loopback)
                            continue
                        _check(response)
                        yield address, response
                        return
        except httpx2.TimeoutException:
            raise SkinRefused("download_slow", host=address.host) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError):
            raise SkinRefused("download_failed", host=address.host) from None
        raise SkinRefused("download_redirects", host=address.host)

    def _request(self, client: httpx2.Client, address: Address) -> httpx2.Request:
        """A request to a checked numeric address, in the name of the host."""
        numeric = self._checked(address)
        at = f"[{numeric}]" if ":" in numeric else numeric
        scheme, _, rest = address.url.partition("://")
        authority, slash, path = rest.partition("/")
        headers = {"host": authority, "accept": _WANTED, "accept-encoding": "identity", "user-agent": "Soulpet"}
        url = f"{scheme}://{at}:{address.port}{slash}{path}"
        return client.build_request("GET", url, headers=headers, extensions={"sni_hostname": address.host})

    def _checked(self, address: Address) -> str:
        try:
            found = self._resolve(address.host, address.port)
        except OSError:
            raise SkinRefused("download_failed", host=address.host) from None
        here = self._loopback and address.host in LOOPBACK
        if not found or not (here or all(is_public(each) for each in found)):
            raise SkinRefused("address_private", host=address.host)
        return found[0]


def _check(response: httpx2.Response) -> None:
    if response.status_code != 200:
        raise SkinRefused("download_status", host=response.request.headers["host"], status=response.status_code)
    size = _size_of(response)
    if size is not None and size > ZIP_BYTES:
        raise SkinRefused("zip_too_large", limit=size_words(ZIP_BYTES))


def _size_of(response: httpx2.Response) -> int | None:
    said = response.headers.get("content-length", "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 16 else None


def _wrapped(address: IpAddress) -> Iterator[IpAddress]:
    """The address, and the older kind that may travel inside it. Of a translated one that alone counts: in a network
    without IPv4 every name stands for such."""
    if isinstance(address, ipaddress.IPv6Address):
        if address in _NAT64:
            yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
            return
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        yield from (each for each in inner if each is not None)
    yield address

"""HTTP client for the public internet: the only outbound connection besides the model's.

SSRF protection: the name is resolved here, every address is checked, and the connection goes to a checked address, so
DNS rebinding has no effect (the certificate is still verified for the name). Private networks and this machine are
refused. Redirects are followed by hand under the same rules. One deadline covers everything from name resolution to
the last byte, headers included. No cookies, referrer, credentials, or proxy except one the caller passes.

Import it lazily: its dependencies take a tenth of a second and are rarely needed.
"""

from __future__ import annotations

import ipaddress
import math
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import httpcore2
import httpx2

from pet.errors import FetchRefused
from pet.net.web_address import LOOPBACK, WebAddress, resolve_redirect

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[str]]
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def resolve_host(host: str, port: int) -> list[str]:
    """Return the IP addresses of a name. Raises OSError."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in entries))


def is_public(numeric: str) -> bool:
    """Whether an address is public, including the IPv4 address it embeds."""
    try:
        address = ipaddress.ip_address(numeric.partition("%")[0])
    except ValueError:
        return False
    return all(map(_is_open, _wrapped(address)))


def _is_open(address: IpAddress) -> bool:
    # deprecated site-local addresses, "global" to Python
    own = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    return address.is_global and not address.is_multicast and not address.is_reserved and not own


def _wrapped(address: IpAddress) -> Iterator[IpAddress]:
    """Yield the address and the IPv4 address embedded in it.

    Of a NAT64 address only the embedded one: in a network without IPv4 every name resolves to such.
    """
    if isinstance(address, ipaddress.IPv6Address):
        if address in _NAT64:
            yield ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
            return
        inner = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
        yield from (each for each in inner if each is not None)
    yield address


_MEGABYTE = 1024 * 1024
_CONNECT_SECONDS = 10.0
_SILENT_SECONDS = 20.0
_MOST_REDIRECTS = 5
_OK = frozenset({200})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TIMES = {"connect": _CONNECT_SECONDS, "read": _SILENT_SECONDS, "write": _SILENT_SECONDS, "pool": _CONNECT_SECONDS}

_FAULTS = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    httpcore2.UnsupportedProtocol,
    httpcore2.ConnectionNotAvailable,
    OSError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """Rules for hosts and connections.

    ``plain``: allow http. ``loopback``: allow this machine, over http too; for tests, not reachable by any setting.
    ``trust``: CA certificates instead of the default ones. ``proxy``: URL of the system's HTTP or SOCKS proxy; the
    proxy then resolves names.
    """

    resolve: Resolve = resolve_host
    plain: bool = False
    loopback: bool = False
    trust: ssl.SSLContext | None = None
    proxy: str = ""

    def takes_plain(self, host: str) -> bool:
        return self.plain or self._is_here(host)

    def check(self, host: str, addresses: Sequence[str]) -> str:
        """Return the address to connect to. Raises FetchRefused unless every address of the name is allowed."""
        allowed = self._is_here(host) or self._is_proxy(host) or all(map(is_public, addresses))
        if not addresses or not allowed:
            raise FetchRefused("address_private", host=host)
        return addresses[0]

    def _is_here(self, host: str) -> bool:
        return self.loopback and host in LOOPBACK

    def _is_proxy(self, host: str) -> bool:
        return bool(self.proxy) and host == urlsplit(self.proxy).hostname


class Deadline:
    """Time limit and cancellation of one exchange; an earlier cancellation does not affect it.

    ``seconds`` None: no overall limit, as for large files; each single step keeps its own.
    """

    def __init__(self, seconds: float | None) -> None:
        self._ends = math.inf if seconds is None else time.monotonic() + seconds
        self._stopped = Event()
        self._end: Callable[[], object] = lambda: None

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """Cancel, and end what runs, so that waiting for a silent server ends too."""
        self._stopped.set()
        self._end()

    def runs(self, end: Callable[[], object]) -> None:
        """Call this when cancelled, or now if that was before; instead of the one until now."""
        self._end = end
        if self.stopped:
            end()

    def left(self, at_most: float | None = None) -> float:
        """Return the seconds for the next step. Raises FetchRefused: cancelled, slow."""
        if self.stopped:
            raise FetchRefused("cancelled")
        seconds = self._ends - time.monotonic()
        if seconds <= 0:
            raise FetchRefused("slow")
        least = min(seconds, math.inf if at_most is None else at_most)
        return _CONNECT_SECONDS if math.isinf(least) else least


class Response:
    """A response that is neither an error nor a redirect."""

    def __init__(self, address: WebAddress, response: httpcore2.Response) -> None:
        self.address = address
        self._response = response
        self.status = response.status
        self.size = _size(_header(response, b"content-length"))

    def header(self, name: str) -> str:
        """Return the header's value, "" if it is missing."""
        return _header(self._response, name.encode("ascii"))

    def pieces(self, most: int) -> Iterator[bytes]:
        """Yield chunks as received, at most ``most`` bytes in all. Raises FetchRefused: too_large."""
        done = 0
        for piece in self._response.iter_stream():
            done += len(piece)
            if done > most:
                raise FetchRefused("too_large", host=self.address.host, limit=most // _MEGABYTE)
            yield piece


@contextmanager
def fetch(
    address: WebAddress,
    run: Deadline,
    reach: FetchPolicy,
    *,
    accept: str,
    most: int,
    headers: Sequence[tuple[str, str]] = (),
    statuses: frozenset[int] = _OK,
    silent_seconds: float = _SILENT_SECONDS,
) -> Iterator[Response]:
    """Send the request, follow redirects, and yield the response. Raises FetchRefused, also while it is read.

    ``most``: maximum size in bytes; a larger Content-Length is refused before reading. ``headers``: additional ones,
    such as Range. ``statuses``: statuses that are not errors. ``silent_seconds``: timeout for the next byte.
    """
    times = _TIMES | {"read": silent_seconds, "write": silent_seconds}
    try:
        trust = reach.trust or httpx2.create_ssl_context(trust_env=False)
        proxy = httpcore2.Proxy(reach.proxy) if reach.proxy else None
        with httpcore2.ConnectionPool(ssl_context=trust, network_backend=_Line(run, reach), proxy=proxy) as pool:
            for _ in range(_MOST_REDIRECTS + 1):
                run.left()
                with pool.stream(
                    "GET",
                    address.url,
                    headers=[*_headers(address, accept), *headers],
                    extensions={"timeout": times},
                ) as response:
                    location = _header(response, b"location")
                    if response.status in _REDIRECTS and location:
                        address = resolve_redirect(address, location, plain=reach.takes_plain)
                        continue
                    yield _checked(Response(address, response), statuses, most)
                    return
    except FetchRefused as refused:
        if "host" in refused.args_:
            raise
        # the deadline does not know the host
        raise FetchRefused(refused.problem, host=address.host, **refused.args_) from None
    except httpcore2.TimeoutException:
        raise FetchRefused("slow", host=address.host) from None
    except _FAULTS:
        raise FetchRefused("cancelled" if run.stopped else "failed", host=address.host) from None
    raise FetchRefused("redirects", host=address.host)


def _headers(address: WebAddress, accept: str) -> list[tuple[bytes | str, bytes | str]]:
    """Return headers without identification, and without compression, which could bypass the size limit."""
    return [
        ("host", urlsplit(address.url).netloc),
        ("accept", accept),
        ("accept-encoding", "identity"),
        ("user-agent", "Soulpet"),
        ("connection", "close"),
    ]


def _checked(answer: Response, statuses: frozenset[int], most: int) -> Response:
    if answer.status not in statuses:
        raise FetchRefused("status", host=answer.address.host, status=answer.status)
    if answer.size is not None and answer.size > most:
        raise FetchRefused("too_large", host=answer.address.host, limit=most // _MEGABYTE)
    return answer


def _header(response: httpcore2.Response, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in response.headers if name.lower() == wanted), "")


def _size(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


class _Line(httpcore2.NetworkBackend):
    """Network backend that connects to checked addresses only, under the deadline."""

    def __init__(self, run: Deadline, reach: FetchPolicy) -> None:
        self._run = run
        self._reach = reach
        self._below = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        numeric = self._reach.check(host, self._addresses(host, port, timeout))
        seconds = self._run.left(timeout)
        stream = self._below.connect_tcp(numeric, port, seconds, local_address, socket_options)
        return _Timed(stream, self._run)

    def _addresses(self, host: str, port: int, timeout: float | None) -> Sequence[str]:
        """Resolve the name on a separate thread, since the system's timeout may exceed ours."""
        addresses: Future[Sequence[str]] = Future()

        def resolve() -> None:
            try:
                addresses.set_result(self._reach.resolve(host, port))
            except BaseException as error:  # noqa: BLE001  the thread boundary: raised by result()
                addresses.set_exception(error)

        Thread(target=resolve, name="resolve", daemon=True).start()
        try:
            return addresses.result(self._run.left(timeout))
        except TimeoutError:
            raise FetchRefused("slow", host=host) from None
        except OSError:
            raise FetchRefused("failed", host=host) from None


class _Timed(httpcore2.NetworkStream):
    """Stream whose every operation is limited by the deadline: per-operation timeouts don't bound their sum."""

    def __init__(self, below: httpcore2.NetworkStream, run: Deadline) -> None:
        self._below = below
        self._run = run
        connection = below.get_extra_info("socket")

        def hang_up() -> None:
            with suppress(OSError):  # may have been closed already
                socket.socket.shutdown(connection, socket.SHUT_RDWR)

        run.runs(hang_up)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._below.read(max_bytes, self._run.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._below.write(buffer, self._run.left(timeout))

    def close(self) -> None:
        self._below.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _Timed(self._below.start_tls(ssl_context, server_hostname, self._run.left(timeout)), self._run)

    def get_extra_info(self, info: str) -> Any:
        return self._below.get_extra_info(info)

"""Check whether IP addresses are public. Pure except for name resolution."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator, Sequence

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

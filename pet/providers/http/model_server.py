"""One model server, for every protocol: address and key, transport, timeouts, and the fault of a failed call.

Imports httpx2 when a server is made: make it late. Loopback never goes through a proxy.
"""

from __future__ import annotations

import logging
import socket
import struct
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pet.errors import ProviderFault
from pet.model import ImagePart, Request
from pet.providers.http.endpoint import endpoint_of, find_proxy, proxy_host
from pet.providers.http.faults import Where, classify, fault_of
from pet.settings.api_keys import ApiKey
from pet.settings.server_address import origin_of
from pet.untrusted.parsers import read_json

if TYPE_CHECKING:
    import httpx2

    from pet.providers.http.bounded_transport import BoundedTransport

_log = logging.getLogger(__name__)

_CONNECT_SECONDS = 10.0
_READ_SECONDS = 90.0  # between two bytes
_LOCAL_READ_SECONDS = 600.0  # a local model may have to be loaded first
_WRITE_SECONDS = 30.0
_LINGER_ZERO = struct.pack("HH" if sys.platform == "win32" else "ii", 1, 0)
_LIBRARIES = ("anthropic", "httpx2", "httpcore2")


class ModelServer:
    """One address and one key."""

    def __init__(self, base_url: str, key: ApiKey | None, read: float | None) -> None:
        """``read``: seconds to wait between two bytes; None: the usual ones."""
        import httpx2

        for name in _LIBRARIES:  # their debug logs hold whole requests, memory included; ANTHROPIC_LOG turns them on
            logging.getLogger(name).setLevel(logging.WARNING)
        self.endpoint = endpoint_of(base_url)
        self.key = key
        self._proxy = find_proxy(self.endpoint)
        read = read or (_LOCAL_READ_SECONDS if self.endpoint.loopback else _READ_SECONDS)
        self.timeout = httpx2.Timeout(_CONNECT_SECONDS, read=read, write=_WRITE_SECONDS)

    def where(self, request: Request | None = None) -> Where:
        return Where(
            host=self.endpoint.host,
            proxy=proxy_host(self._proxy),
            model=request.model if request else "",
            key=self.key,
            pictures=request is not None and _has_pictures(request),
        )

    def make_transport(self) -> BoundedTransport | None:
        """None: the proxy that the system names can't be used."""
        import httpx2

        from pet.providers.http.bounded_transport import BoundedTransport

        try:
            # Not a client's default one: that takes every proxy of the environment, loopback included, and fails on
            # those it does not know.
            return BoundedTransport(httpx2.AsyncHTTPTransport(proxy=self._proxy))
        except (ValueError, ImportError, httpx2.InvalidURL):
            return None

    def key_for(self, url: str) -> str | None:
        """The key, if it belongs to the origin of this address."""
        return self.key.reveal() if self.key and origin_of(url) == self.endpoint.origin else None


async def reset_on_close(event: str, info: Mapping[str, Any]) -> None:
    """Trace hook: a new connection is reset when it is closed, so the system drops what it had not sent by then.

    Without it the rest of a cancelled request would still leave. Not done by the transport's ``socket_options``:
    those are not applied to SOCKS proxies.
    """
    if event.endswith(".connect_tcp.complete"):
        info["return_value"].get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)


def content_type(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def fault_after(error: Exception, where: Where, *, answered: bool, spoke: bool) -> ProviderFault | None:
    """The fault of a call that ended with ``error``. None: words came before the stream broke; what there is of the
    reply is a cut round."""
    fault = classify(error, where)
    if answered and fault.kind not in ("timeout", "unknown", "reply_too_large"):
        if spoke:
            logged(fault_of("cut", where), error)
            return None
        if fault.kind != "not_an_llm":
            fault = fault_of("cut", where)
    return logged(fault, error)


def logged(fault: ProviderFault, error: Exception) -> ProviderFault:
    # The type only: texts of servers and libraries may quote the request.
    _log.info("model call failed: %s after %s", fault.kind, type(error).__name__)
    return fault


def model_ids(content: bytes) -> list[str]:
    """The ids in a list of models; extra fields and their absence are all one. Raises ValueError for no such list."""
    found = read_json(content)
    data = found.get("data") if isinstance(found, dict) else None
    if not isinstance(data, list):
        raise ValueError("no list of models")
    ids = [model.get("id") for model in data if isinstance(model, dict)]
    return [model for model in ids if isinstance(model, str)]


def _has_pictures(request: Request) -> bool:
    return any(isinstance(part, ImagePart) for message in request.messages for part in message.parts)

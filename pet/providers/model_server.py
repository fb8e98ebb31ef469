"""One model server, for every protocol: address, key, transport, timeouts, and the faults of its calls.

httpx2 is imported when a ``ModelServer`` is made. Loopback bypasses proxies.
"""

from __future__ import annotations

import logging
import re
import socket
import struct
import sys
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from pet.errors import ProviderFault
from pet.model import ImagePart, Request
from pet.providers.endpoint import endpoint_of, find_proxy, proxy_host
from pet.providers.faults import Where, classify, fault_of
from pet.providers.sanitize import as_mapping, as_text
from pet.settings.api_keys import NO_HEADERS, ApiKey, Headers
from pet.settings.connections import origin_of
from pet.untrusted.parsers import read_json

if TYPE_CHECKING:
    import ssl

    import httpx2

    from pet.providers.bounded_transport import BoundedTransport

_log = logging.getLogger(__name__)

_CONNECT_SECONDS = 10.0
_READ_SECONDS = 90.0  # between two bytes
_LOCAL_READ_SECONDS = 600.0  # a local model may have to load first
_WRITE_SECONDS = 30.0
_LINGER_ZERO = struct.pack("HH" if sys.platform == "win32" else "ii", 1, 0)
_LIBRARIES = ("anthropic", "httpx2", "httpcore2")


class ModelServer:
    """One address, one key, and the headers that go with it."""

    def __init__(self, base_url: str, key: ApiKey | None, read: float | None, headers: Headers = NO_HEADERS) -> None:
        """``read``: seconds to wait between two bytes; None for the default."""
        import httpx2

        for name in _LIBRARIES:  # their debug logs, enabled by ANTHROPIC_LOG, contain whole requests
            logging.getLogger(name).setLevel(logging.WARNING)
        self.endpoint = endpoint_of(base_url)
        self.key = key
        self.headers = headers
        self._proxy = find_proxy(self.endpoint)
        read = read or (_LOCAL_READ_SECONDS if self.endpoint.loopback else _READ_SECONDS)
        self.timeout = httpx2.Timeout(_CONNECT_SECONDS, read=read, write=_WRITE_SECONDS)

    def where(self, request: Request | None = None, *, responses: bool = False) -> Where:
        return Where(
            host=self.endpoint.host,
            proxy=proxy_host(self._proxy),
            model=request.model if request else "",
            key=self.key,
            headers=self.headers,
            pictures=request is not None and _has_pictures(request),
            tools=request is not None and bool(request.tools),
            output=request.max_tokens if request else 0,
            responses=responses,
        )

    def make_transport(self) -> BoundedTransport | None:
        """Return the transport, or None if the system's proxy can't be used."""
        import httpx2

        from pet.providers.bounded_transport import BoundedTransport

        try:
            # A client's default transport uses the environment's proxies for loopback too, and fails on unknown ones.
            return BoundedTransport(httpx2.AsyncHTTPTransport(verify=_trust(), proxy=self._proxy))
        except (ValueError, ImportError, httpx2.InvalidURL):
            return None

    def key_for(self, url: str) -> str | None:
        """Return the key if it belongs to the origin of this URL, else None."""
        return self.key.reveal() if self.key and origin_of(url) == self.endpoint.origin else None

    def headers_for(self, url: str) -> dict[str, str]:
        """Return the owner's headers if they belong to the origin of this URL; they replace those of the program."""
        ours = origin_of(url) == self.endpoint.origin
        return {name: value.reveal() for name, value in self.headers.items()} if ours else {}


@cache
def _trust() -> ssl.SSLContext:
    """Return what every connection trusts. To read the certificates takes 50 ms: more than to ask a server nearby."""
    import httpx2

    return httpx2.create_ssl_context()


async def reset_on_close(event: str, info: Mapping[str, Any]) -> None:
    """Trace hook: make closing a new connection reset it, so that unsent data of a cancelled request is dropped.

    The transport's ``socket_options`` are not applied to SOCKS proxies.
    """
    if event.endswith(".connect_tcp.complete"):
        info["return_value"].get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)


def content_type(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def is_stream(body: bytes) -> bool:
    """Whether a body that is labelled as JSON consists of events."""
    return body.lstrip().startswith((b"data:", b"event:", b":"))


def fault_after(error: Exception, where: Where, *, answered: bool, spoke: bool) -> ProviderFault | None:
    """Return the fault of a call that ended with ``error``; None if text arrived first: the reply is a CUT round."""
    fault = classify(error, where)
    if answered and fault.kind not in ("timeout", "unknown", "reply_too_large"):
        if spoke:
            logged(fault_of("cut", where), error)
            return None
        if fault.kind != "not_an_llm":
            fault = fault_of("cut", where)
    return logged(fault, error)


def logged(fault: ProviderFault, error: Exception) -> ProviderFault:
    # The type only: messages of servers and libraries may quote the request.
    _log.info("model call failed: %s after %s", fault.kind, type(error).__name__)
    return fault


def model_ids(content: bytes) -> list[str]:
    """Return the ids of the models for talking in a list of models. Raises ValueError for anything else."""
    return [as_text(model["id"]) for model in listed_models(read_json(content)) if _talks(model)]


def listed_models(body: object) -> list[Mapping[str, Any]]:
    """Return the entries with an id in a list of models. Raises ValueError for anything else."""
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, list):
        raise ValueError("no list of models")
    return [model for model in data if isinstance(model, dict) and isinstance(model.get("id"), str)]


# Of OpenAI, Mistral, Ollama, LM Studio, vLLM; by name, since most lists say nothing else.
_SILENT = re.compile(
    r"embed|(?:^|[-_/:])(?:bge|gte|e5|minilm|colbert|jina-(?:clip|colbert|reranker)|paraphrase|snowflake-arctic)(?:[-_:]|$)"
    r"|rerank|moderation|whisper|transcri|(?:^|[-_/:])(?:tts|asr|ocr|clip)(?:[-_:]|$)|dall-e|gpt-image|-image-\d|imagen-|sora|veo-"
    r"|stable-diffusion|flux\.?\d|realtime|babbage-002|davinci-002",
    re.I,
)
_SILENT_KINDS = frozenset(
    {"embedding", "embeddings", "rerank", "reranker", "image", "audio", "moderation", "transcribe"}
)


def _talks(model: Mapping[str, Any]) -> bool:
    """Whether a listed model answers in words: not one for embeddings, pictures or speech."""
    if as_text(model.get("type")).lower() in _SILENT_KINDS:
        return False
    if as_mapping(model.get("capabilities")).get("completion_chat") is False:
        return False
    return not _SILENT.search(as_text(model["id"]))


def _has_pictures(request: Request) -> bool:
    return any(isinstance(part, ImagePart) for message in request.messages for part in message.parts)

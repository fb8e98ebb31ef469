"""One model server, for every protocol: address, key, transport, timeouts, and the list of its models.

httpx2 is imported when a ``ModelServer`` is made. Loopback bypasses proxies.
"""

from __future__ import annotations

import logging
import re
import socket
import struct
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from pet.model import ImagePart, Request
from pet.providers.endpoint import endpoint_of, find_proxy, is_azure, proxy_host
from pet.providers.faults import Where
from pet.providers.sanitize import as_mapping, as_text
from pet.settings.api_keys import NO_HEADERS, ApiKey, Headers
from pet.settings.connections import origin_of
from pet.untrusted.parsers import read_json

if TYPE_CHECKING:
    import ssl

    import httpx2

    from pet.providers.bounded_transport import BoundedTransport

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
        self._azure = is_azure(base_url)
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

    def make_client(self) -> httpx2.AsyncClient | None:
        """Return a client that follows no redirects, or None if the system's proxy can't be used."""
        import httpx2

        transport = self.make_transport()
        if transport is None:
            return None
        return httpx2.AsyncClient(transport=transport, follow_redirects=False, timeout=self.timeout, trust_env=False)

    def key_for(self, url: str) -> str | None:
        """Return the key if it belongs to the origin of this URL, else None."""
        return self.key.reveal() if self.key and origin_of(url) == self.endpoint.origin else None

    def authorization(self, url: str) -> dict[str, str]:
        """Return the headers with the key and those of the owner, if they belong to the origin of this URL."""
        key = self.key_for(url)
        named = {"api-key": key} if self._azure and key else {"authorization": f"Bearer {key}"} if key else {}
        return named | self.headers_for(url)

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


def model_ids(content: bytes, *, every: bool = False) -> list[str]:
    """Return the ids of the models for talking in a list of models, or of ``every`` one. Raises ValueError for
    anything else than a list."""
    models, now = listed_models(read_json(content)), datetime.now(UTC)
    return [as_text(model["id"]) for model in models if every or (_talks(model) and not _is_retired(model, now))]


def listed_models(body: object) -> list[Mapping[str, Any]]:
    """Return the entries with an id in a list of models. Raises ValueError for anything else."""
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, list):
        raise ValueError("no list of models")
    return [model for model in data if isinstance(model, dict) and isinstance(model.get("id"), str)]


# By name, since most lists say nothing else: of OpenAI, Google, xAI, Mistral, Groq, Qwen, Ollama, LM Studio, vLLM.
_SILENT = re.compile(
    r"embed|(?:^|[-_/:])(?:bge|gte|e5|minilm|colbert|jina-(?:clip|colbert|reranker)|paraphrase|snowflake-arctic)(?:[-_:]|$)"
    r"|rerank|moderation|prompt-guard|whisper|transcri|realtime|native-audio|cosyvoice|paraformer|sensevoice|orpheus"
    r"|(?:^|[-_/:])(?:tts|asr|ocr|clip|aqa|lyria|s2s)(?:[-_:]|$)"
    r"|dall-e|(?:^|[-_/])image(?:[-_.]|$)|imagen-|imagine|sora|veo-|stable-diffusion|sdxl|flux\.?\d|cogview|cogvideo"
    r"|seedream|seedance|wan\d|babbage-002|davinci-002",
    re.I,
)
_SILENT_KINDS = frozenset(
    {"embedding", "embeddings", "rerank", "reranker", "image", "audio", "video", "moderation", "transcribe", "speech"}
)
_RETIRED = frozenset({"deprecated", "retired", "inactive"})


def _talks(model: Mapping[str, Any]) -> bool:
    """Whether a listed model answers in words: not one for embeddings, pictures or speech.

    ``type``: Together, LM Studio, Vercel; ``capabilities``: Mistral, Azure; ``output_modalities``: OpenRouter.
    """
    if as_text(model.get("type")).lower() in _SILENT_KINDS:
        return False
    capabilities = as_mapping(model.get("capabilities"))
    if False in (capabilities.get("completion_chat"), capabilities.get("chat_completion")):
        return False
    gives = as_mapping(model.get("architecture")).get("output_modalities")
    if isinstance(gives, list) and any(each != "text" for each in gives):
        return False
    return not _SILENT.search(as_text(model["id"]))


def _is_retired(model: Mapping[str, Any], now: datetime) -> bool:
    """Whether the list says that a model is withdrawn: of one that has yet to go it says a later date.

    ``archived``, ``deprecation``: Mistral, Azure; ``active``: Groq; ``is_deprecated``: Cohere; ``expiration_date``:
    OpenRouter; ``lifecycle``, ``lifecycle_status``: Anthropic, Azure.
    """
    if model.get("active") is False or any(
        model.get(name) is True for name in ("archived", "deprecated", "is_deprecated")
    ):
        return True
    stage = model.get("lifecycle")
    stages = (as_mapping(stage).get("stage", stage), model.get("lifecycle_status"), model.get("status"))
    if any(as_text(each).lower() in _RETIRED for each in stages):
        return True
    announced = model.get("deprecation")
    ends = (as_mapping(announced).get("inference", announced), model.get("expiration_date"))
    return any(_is_over(each, now) for each in ends)


def _is_over(end: object, now: datetime) -> bool:
    """Whether a date, as text or in seconds, is past; False for anything else, 0 as well, which means none."""
    try:
        if isinstance(end, int | float) and not isinstance(end, bool):
            return 0 < end < now.timestamp()
        day = datetime.fromisoformat(as_text(end))
    except (ValueError, OverflowError):
        return False
    return (day if day.tzinfo else day.replace(tzinfo=UTC)) < now


def _has_pictures(request: Request) -> bool:
    return any(isinstance(part, ImagePart) for message in request.messages for part in message.parts)

"""Find model servers on this machine's loopback addresses.

Sends no key. Servers that don't list models are left out: anything may listen on these ports.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from pet.errors import ProviderFault
from pet.providers.local_models import LocalServer

USUAL_PORTS: Mapping[int, str] = {
    11434: "Ollama",
    1234: "LM Studio",
    8080: "llama.cpp",  # RamaLama's too
    8000: "vLLM",
    12434: "Docker Model Runner",
}
LOCAL_SERVERS = {name.casefold().replace(" ", "-"): name for name in USUAL_PORTS.values()}
"""By the word that a command takes, as ``lm-studio``, the program's name."""
_PATHS = {"Docker Model Runner": "/engines/v1"}
_ADDRESSES = ("127.0.0.1", "::1")
_CONNECT_SECONDS = 0.4
_ANSWER_SECONDS = 3.0


def ports_here(environ: Mapping[str, str]) -> Mapping[int, str]:
    """Return the usual ports, with Ollama's as its own variable ``OLLAMA_HOST`` names it for this machine.

    >>> ports_here({"OLLAMA_HOST": "127.0.0.1:4711"})[4711]
    'Ollama'
    >>> ports_here({"OLLAMA_HOST": "gpu.example.com:4711"}) == USUAL_PORTS
    True
    """
    named = environ.get("OLLAMA_HOST", "").strip()
    try:
        parts = urlsplit(named if "://" in named else f"http://{named}")
        port, here = parts.port, parts.hostname in (None, "localhost", "127.0.0.1", "0.0.0.0", "::", "::1")  # noqa: S104
    except ValueError:
        return USUAL_PORTS
    if port is None or not here:
        return USUAL_PORTS
    return {port: "Ollama", **{other: name for other, name in USUAL_PORTS.items() if name != "Ollama"}}


async def find_local_servers(ports: Mapping[int, str] | None = None) -> tuple[LocalServer, ...]:
    """Return the servers that answer, in the order of ``ports``; None: those of ``ports_here``."""
    if ports is None:
        ports = ports_here(os.environ)
    servers = await asyncio.gather(*(_probe(port, name) for port, name in ports.items()))
    return tuple(server for server in servers if server is not None)


async def _probe(port: int, name: str) -> LocalServer | None:
    for address in _ADDRESSES:
        if await _listens(address, port):
            host = f"[{address}]" if ":" in address else address
            base_url = f"http://{host}:{port}{_PATHS.get(name, '')}"
            models = tuple(sorted(await _models(base_url), key=_is_special))
            if models:
                return LocalServer(name=name, base_url=base_url, models=models)
    return None


_SPECIAL = re.compile(r"code|sql|math|guard|safeguard|translat|[-_:]base\b|functiongemma|medgemma|[-_:]vl\b", re.I)


def _is_special(model: str) -> bool:
    """Whether a model, by its name, is made for something else than conversation."""
    return bool(_SPECIAL.search(model))


async def _listens(address: str, port: int) -> bool:
    try:
        async with asyncio.timeout(_CONNECT_SECONDS):
            _reader, writer = await asyncio.open_connection(address, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True


async def _models(base_url: str) -> tuple[str, ...]:
    """Return the server's models; none for a failed request."""
    from pet.providers.anthropic_provider import AnthropicProvider

    provider = await asyncio.to_thread(AnthropicProvider, base_url, None)
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            return tuple(await provider.list_models())
    except (ProviderFault, TimeoutError):
        return ()
    finally:
        await provider.close()

"""Provider for a local model: the child process is started on demand, and called over chat completions.

Each call acquires the child from the supervisor, so that one that crashed or was stopped is restarted. Raises
LocalModelRefused, a ProviderFault, if the model can't run here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

from pet.local_models.server_files import ServerAddress
from pet.local_models.supervisor import Supervisor
from pet.model import Request
from pet.providers.base import RoundDone, Streamed
from pet.providers.openai_provider import OpenAIProvider
from pet.settings.api_keys import ApiKey

QUESTION_SLOT, REPLY_SLOT = 0, 1
_WORTH_SAVING = 50  # computed tokens; with fewer, the prefixes were restored from the last save
_SAMPLING = {"temperature": 0.7, "top_p": 0.8, "top_k": 20, "min_p": 0.0, "repeat_penalty": 1.1}
"""The catalogue models' recommendation without thinking; the penalty keeps small ones from repeating themselves."""


class LocalModelProvider:
    """Implements ``Provider`` for one model. ``supervisor`` outlives it."""

    def __init__(self, supervisor: Supervisor, chosen: str, name: str) -> None:
        self._supervisor = supervisor
        self._chosen = chosen
        self._name = name
        self._made: tuple[ServerAddress, OpenAIProvider] | None = None

    async def stream(self, request: Request, *, warming: bool = False) -> AsyncIterator[Streamed]:
        address = await self._acquire(warming)
        try:
            provider = await self._provider(address)
            async for event in provider.stream(replace(request, thinking="off")):
                yield replace(event, model=self._name) if isinstance(event, RoundDone) else event
        finally:
            self._supervisor.release()

    async def warm(self, requests: Sequence[Request], since: str) -> None:
        """Start the model, compute the prefixes of these requests, which were made after the erasure ``since``, and
        save them. Raises ProviderFault."""
        if self._supervisor.state.phase not in ("absent", "failed"):
            return  # warming would evict a conversation's prefix
        computed, whole = 0, False
        try:
            for request in requests:
                async for event in self.stream(request, warming=True):
                    if isinstance(event, RoundDone):
                        computed += event.usage.input_tokens or 0
            whole = True
        finally:
            await asyncio.to_thread(self._supervisor.warmed, save=whole and computed > _WORTH_SAVING, since=since)

    async def list_models(self) -> list[str]:
        return [self._name]

    async def close(self) -> None:
        made, self._made = self._made, None
        if made is not None:
            await made[1].close()

    async def _acquire(self, warming: bool) -> ServerAddress:
        """Acquire the child on a thread, since loading takes seconds; released if the caller is cancelled."""
        start = _Start(self._supervisor, self._chosen, warming)
        try:
            return await asyncio.to_thread(start.run)
        except asyncio.CancelledError:
            start.abandon()
            raise

    async def _provider(self, address: ServerAddress) -> OpenAIProvider:
        if self._made is None or self._made[0] != address:
            await self.close()
            # llama.cpp's server drops kept-alive connections.
            made = OpenAIProvider(address.url, ApiKey(address.key), extra=_extra, keep_alive=False)
            self._made = (address, made)
        return self._made[1]


class _Start:
    """One ``acquire`` whose caller may be cancelled while the thread still loads the model."""

    def __init__(self, supervisor: Supervisor, chosen: str, warming: bool) -> None:
        self._supervisor = supervisor
        self._chosen = chosen
        self._warming = warming
        self._lock = Lock()
        self._done = self._abandoned = False

    def run(self) -> ServerAddress:
        address = self._supervisor.acquire(self._chosen, warming=self._warming)
        with self._lock:
            self._done = True
            if self._abandoned:
                self._supervisor.release()
        return address

    def abandon(self) -> None:
        with self._lock:
            self._abandoned = True
            if self._done:
                self._supervisor.release()


def _extra(request: Request) -> Mapping[str, Any]:
    """Assign schema-bound questions and replies a slot each, so that both keep their warm prefix."""
    if request.schema is not None:
        return {"cache_prompt": True, "id_slot": QUESTION_SLOT}
    return {"cache_prompt": True, "id_slot": REPLY_SLOT, **_SAMPLING, **_temperature(request)}


def _temperature(request: Request) -> Mapping[str, Any]:
    return {} if request.temperature is None else {"temperature": request.temperature}

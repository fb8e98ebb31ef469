"""Provider for a local model: the child process is started on demand, and called over chat completions.

Each call acquires the child from the supervisor, so that one that crashed or was stopped is restarted. Raises
LocalModelRefused, a ProviderFault, if the model can't run here.

What all requests of a slot begin with is computed once for each model file and kept as a saved state: before the
first request of the slot, so that nothing else is in it, or ahead of any. A message interrupts computing ahead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from pet.extras.local_models.supervisor import ServerAddress, Supervisor, short_hash
from pet.model import Request
from pet.providers.base import RoundDone, Streamed
from pet.providers.openai_provider import OpenAIProvider
from pet.settings.api_keys import ApiKey

_log = logging.getLogger(__name__)

QUESTION_SLOT, REPLY_SLOT = 0, 1
_SAMPLING = {
    "temperature": 0.7,
    "top_p": 0.8,
    "top_k": 20,
    "min_p": 0.0,
    "repeat_penalty": 1.1,
    "frequency_penalty": 0.0,
}
"""The catalogue models' recommendation without thinking; the penalty keeps small ones from repeating themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonStarts:
    """Requests of one token that begin as all others of their slot, made after the erasure of states ``since``."""

    requests: Sequence[Request] = ()
    since: str = ""

    def hashes(self) -> dict[int, str]:
        """Return the hash of each request by slot."""
        return {_slot_of(each): short_hash(f"{each.system}{each.messages}") for each in self.requests}


class LocalModelProvider:
    """Implements ``Provider`` for one model. ``supervisor`` outlives it; ``starts``: called on a thread."""

    def __init__(
        self, supervisor: Supervisor, chosen: str, name: str, starts: Callable[[], CommonStarts] = CommonStarts
    ) -> None:
        self._supervisor = supervisor
        self._chosen = chosen
        self._name = name
        self._starts = starts
        self._made: tuple[ServerAddress, OpenAIProvider] | None = None
        self._due: dict[int, Request] = {}  # of ``_due_at``: starts that no state holds yet
        self._due_at: ServerAddress | None = None
        self._made_starts = CommonStarts()
        self._computing = asyncio.Lock()  # a start
        self._ahead: asyncio.Task[None] | None = None

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        if request.schema is None:
            self._interrupt()
        address = await self._acquire()
        try:
            await self._compute_starts(address, _slot_of(request), request)
            async for event in self._events(address, request):
                yield event
        finally:
            self._supervisor.release()
            if self._due and self._due_at == address:
                self._start_ahead()

    async def warm(self) -> None:
        """Start the model unless it sleeps, and compute and save how its requests begin, until a message comes.
        Raises ProviderFault."""
        if self._supervisor.state.phase == "asleep":
            return
        ahead = self._start_ahead()
        await asyncio.wait({ahead})
        if not ahead.cancelled():
            ahead.result()

    async def list_models(self, *, every: bool = False) -> list[str]:  # noqa: ARG002  there is one
        return [self._name]

    async def close(self) -> None:
        self._interrupt()
        await self._close_client()

    async def _close_client(self) -> None:
        made, self._made = self._made, None
        if made is not None:
            await made[1].close()

    async def _events(self, address: ServerAddress, request: Request) -> AsyncIterator[Streamed]:
        provider = await self._provider(address)
        async for event in provider.stream(replace(request, thinking="off")):
            yield replace(event, model=self._name) if isinstance(event, RoundDone) else event

    def _start_ahead(self) -> asyncio.Task[None]:
        if self._ahead is None:
            self._ahead = asyncio.ensure_future(self._compute_ahead())
            self._ahead.add_done_callback(_log_fault)
        return self._ahead

    def _interrupt(self) -> None:
        """Stop computing ahead; the server keeps what is computed of the prompt."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.cancel()

    async def _compute_ahead(self) -> None:
        try:
            address = await self._acquire()
            try:
                await self._compute_starts(address)
            finally:
                self._supervisor.release()
        finally:
            if self._ahead is asyncio.current_task():
                self._ahead = None

    async def _compute_starts(
        self, address: ServerAddress, slot: int | None = None, request: Request | None = None
    ) -> None:
        """Compute and save the starts that are due of ``slot``, None: of all, and publish the child after the last.
        Of a slot whose next ``request`` begins otherwise nothing is saved."""
        async with self._computing:
            if self._due_at != address:
                starts = await asyncio.to_thread(self._starts)
                unsaved = await asyncio.to_thread(self._supervisor.unsaved, starts.hashes())
                self._due = {_slot_of(each): each for each in starts.requests if _slot_of(each) in unsaved}
                self._made_starts, self._due_at = starts, address
            hashes = self._made_starts.hashes()
            for due in [each for each in self._due if slot in (None, each)]:
                if request is None or _begins_as(request, self._due[due]):
                    async for _ in self._events(address, self._due[due]):
                        pass
                    await _to_its_end(self._supervisor.save, due, hashes[due], self._made_starts.since)
                del self._due[due]
            if not self._due:
                await asyncio.to_thread(self._supervisor.publish)

    async def _acquire(self) -> ServerAddress:
        """Acquire the child on a thread, since loading takes seconds; released if the caller is cancelled."""
        start = _Start(self._supervisor, self._chosen)
        try:
            return await asyncio.to_thread(start.run)
        except asyncio.CancelledError:
            start.abandon()
            raise

    async def _provider(self, address: ServerAddress) -> OpenAIProvider:
        if self._made is None or self._made[0] != address:
            await self._close_client()
            # llama.cpp's server drops kept-alive connections.
            made = OpenAIProvider(address.url, ApiKey(address.key), extra=_extra, keep_alive=False)
            self._made = (address, made)
        return self._made[1]


class _Start:
    """One ``acquire`` whose caller may be cancelled while the thread still loads the model."""

    def __init__(self, supervisor: Supervisor, chosen: str) -> None:
        self._supervisor = supervisor
        self._chosen = chosen
        self._lock = Lock()
        self._done = self._abandoned = False

    def run(self) -> ServerAddress:
        address = self._supervisor.acquire(self._chosen, warming=True)
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


async def _to_its_end(act: Callable[..., None], *arguments: object) -> None:
    """Run ``act`` on a thread and wait for its end, also if cancelled: no request may come into a slot that is being
    saved."""
    running = asyncio.ensure_future(asyncio.to_thread(act, *arguments))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        raise


def _log_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (fault := task.exception()) is not None:
        _log.info("not computed ahead: %s", type(fault).__name__)


def _slot_of(request: Request) -> int:
    return REPLY_SLOT if request.schema is None else QUESTION_SLOT


def _begins_as(request: Request, start: Request) -> bool:
    """Whether the request begins with the system prompt of ``start``."""
    text, common = ("".join(block.text for block in each.system) for each in (request, start))
    return text.startswith(common)


def _extra(request: Request) -> Mapping[str, Any]:
    """Assign schema-bound questions and replies a slot each, so that both keep their warm prefix."""
    if request.schema is not None:
        return {"cache_prompt": True, "id_slot": QUESTION_SLOT}
    return {"cache_prompt": True, "id_slot": REPLY_SLOT, **_SAMPLING, **_temperature(request)}


def _temperature(request: Request) -> Mapping[str, Any]:
    return {} if request.temperature is None else {"temperature": request.temperature}

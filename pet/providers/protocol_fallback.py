"""Provider for a server of unknown protocol: Messages first, then chat completions.

The protocol that answers is kept for the provider's lifetime; an HTML page (a captive portal) decides nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from pet.errors import ProviderFault
from pet.model import Request
from pet.providers.base import Provider, Streamed

_NOT_THIS_PROTOCOL = "not_an_llm"


class FallbackProvider:
    """Implements ``Provider``. ``second`` makes the other provider on demand."""

    def __init__(self, first: Provider, second: Callable[[], Provider]) -> None:
        self._first = first
        self._make_second = second
        self._second: Provider | None = None
        self._speaks: Provider | None = None  # None: unknown

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        answered, provider = False, self._speaks or self._first
        try:
            async for event in provider.stream(request):
                answered, self._speaks = True, provider
                yield event
        except ProviderFault as fault:
            if answered or self._decided(provider, fault):
                raise
        else:
            return
        other = self._other()
        async for event in other.stream(request):
            self._speaks = other
            yield event

    async def list_models(self) -> list[str]:
        provider = self._speaks or self._first
        try:
            return await provider.list_models()
        except ProviderFault as fault:
            if self._decided(provider, fault):
                raise
        other = self._other()
        models = await other.list_models()
        self._speaks = other
        return models

    async def close(self) -> None:
        for provider in (self._first, self._second):
            if provider is not None:
                await provider.close()

    def _decided(self, tried: Provider, fault: ProviderFault) -> bool:
        """Whether the fault is final: not about the protocol, or from the known one."""
        return fault.kind != _NOT_THIS_PROTOCOL or self._speaks is tried

    def _other(self) -> Provider:
        if self._second is None:
            self._second = self._make_second()
        return self._second

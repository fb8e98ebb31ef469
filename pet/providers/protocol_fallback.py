"""A server whose protocol nobody knows yet: Messages first, and chat completions if it does not speak that.

What was found out holds as long as the provider; a page that answers in place of both, as a hotel's network has it,
finds out nothing. Nothing was said before the second request, so no word is repeated.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from pet.errors import ProviderFault
from pet.model import Request
from pet.providers.base import Provider, Streamed

_NOT_THIS_PROTOCOL = "not_an_llm"


class FallbackProvider:
    """Implements ``Provider``. ``second`` makes the other one, when it is needed."""

    def __init__(self, first: Provider, second: Callable[[], Provider]) -> None:
        self._first = first
        self._make_second = second
        self._second: Provider | None = None
        self._speaks: Provider | None = None  # unknown so far

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        heard, provider = False, self._speaks or self._first
        try:
            async for event in provider.stream(request):
                heard, self._speaks = True, provider
                yield event
        except ProviderFault as fault:
            if heard or self._decided(provider, fault):
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
        found = await other.list_models()
        self._speaks = other
        return found

    async def close(self) -> None:
        for provider in (self._first, self._second):
            if provider is not None:
                await provider.close()

    def _decided(self, tried: Provider, fault: ProviderFault) -> bool:
        """Whether there is no other protocol to try; a call that began before the change has it too."""
        return fault.kind != _NOT_THIS_PROTOCOL or self._speaks is tried

    def _other(self) -> Provider:
        if self._second is None:
            self._second = self._make_second()
        return self._second

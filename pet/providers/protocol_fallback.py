"""A server whose protocol nobody knows yet: Messages first, and chat completions if it does not speak that.

What was found out holds as long as the provider. Nothing was said before the second request, so no word is repeated.
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
        self._speaks = first
        self._second: Callable[[], Provider] | None = second
        self._earlier: list[Provider] = []

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        heard, provider = False, self._speaks
        try:
            async for event in provider.stream(request):
                heard = True
                yield event
            self._second = None
        except ProviderFault as fault:
            if heard or fault.kind != _NOT_THIS_PROTOCOL or not self._try_other(provider):
                raise
        else:
            return
        async for event in self._speaks.stream(request):
            yield event

    async def list_models(self) -> list[str]:
        provider = self._speaks
        try:
            return await provider.list_models()
        except ProviderFault as fault:
            if fault.kind != _NOT_THIS_PROTOCOL or not self._try_other(provider):
                raise
        return await self._speaks.list_models()

    async def close(self) -> None:
        for provider in (self._speaks, *self._earlier):
            await provider.close()

    def _try_other(self, tried: Provider) -> bool:
        """Whether there is another protocol to try; a call that began before the change has it too."""
        if tried is not self._speaks:
            return True
        second, self._second = self._second, None
        if second is None:
            return False
        self._earlier.append(tried)
        self._speaks = second()
        return True

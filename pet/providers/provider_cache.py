"""Choose and cache the provider of each connection in use.

An address of unknown protocol is tried with Messages, then with chat completions.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from pet.errors import ProviderFault, SettingsInvalid
from pet.model import Request
from pet.providers.base import Provider, Streamed
from pet.providers.endpoint import Protocol, endpoint_of, protocol_of
from pet.providers.model_facts import ModelFactsBook
from pet.settings.api_keys import ApiKey, KeyStore
from pet.settings.connections import is_loopback, key_slot
from pet.settings.schema import Settings

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


_MOST = 8  # providers kept


class ProviderCache:
    """One provider per connection, so that HTTP connections are reused. Engine thread only."""

    def __init__(
        self,
        keys: KeyStore,
        address_problem: Callable[[str], SettingsInvalid | None] = lambda _connection: None,
        facts: ModelFactsBook | None = None,
    ) -> None:
        """``address_problem``: return why a connection's address is unknown, or None."""
        self.facts = facts or ModelFactsBook()
        self._address_problem = address_problem
        self._keys = keys
        self._made: dict[tuple[str, str, Protocol], tuple[ApiKey | None, Provider]] = {}
        self._earlier: list[Provider] = []  # may still be streaming
        self._lock = asyncio.Lock()

    async def __call__(self, settings: Settings) -> Provider:
        """Return the provider, with the key as stored now.

        Raises SettingsInvalid if the address is unknown, KeyStoreFailed if the keyring with the key is locked.
        """
        async with self._lock:  # concurrent conversations share one
            return await self._find(settings)

    async def ask_facts(self, settings: Settings) -> None:
        """Ask the server for the model's window and tools; never raises."""
        if self._address_problem(settings.connection) is None:
            await self.facts.ask(settings, await self._key(settings))

    async def _find(self, settings: Settings) -> Provider:
        base_url, connection = settings.base_url, settings.connection
        if (problem := self._address_problem(connection)) is not None:
            raise problem
        address = (connection, base_url, protocol_of(base_url, settings.protocol))
        key = await self._key(settings)
        if key is None:
            await asyncio.to_thread(_check_unlocked, self._keys, settings)
        made = self._made.pop(address, None)
        if made is None or not _same(made[0], key):
            if made is not None:
                self._earlier.append(made[1])
            made = (key, await asyncio.to_thread(_make, *address[1:], key))  # may import an SDK, over a second
        self._made[address] = made  # most recently used last
        if len(self._made) > _MOST:
            self._earlier.append(self._made.pop(next(iter(self._made)))[1])
        return made[1]

    async def is_free(self, settings: Settings) -> bool:
        """Whether the model costs nothing: a loopback address without a key."""
        return is_loopback(settings.base_url) and await self._key(settings) is None

    async def _key(self, settings: Settings) -> ApiKey | None:
        """Read the key on a thread: a keyring may prompt the owner."""
        return await asyncio.to_thread(self._keys.get, key_slot(settings.connection, settings.base_url))

    async def close(self) -> None:
        self._earlier += [provider for _, provider in self._made.values()]
        self._made.clear()
        while self._earlier:
            await self._earlier.pop().close()


def _check_unlocked(keys: KeyStore, settings: Settings) -> None:
    if not is_loopback(settings.base_url):
        slot = key_slot(settings.connection, settings.base_url)
        keys.check_unlocked(slot, always_needed=endpoint_of(settings.base_url).anthropic)


def _same(one: ApiKey | None, other: ApiKey | None) -> bool:
    return (one and one.reveal()) == (other and other.reveal())


def _make(base_url: str, protocol: Protocol, key: ApiKey | None) -> Provider:
    if protocol == "openai":
        from pet.providers.openai_provider import OpenAIProvider

        return OpenAIProvider(base_url, key)
    from pet.providers.anthropic_provider import AnthropicProvider

    messages = AnthropicProvider(base_url, key)
    if protocol == "anthropic":
        return messages
    return FallbackProvider(messages, lambda: _make(base_url, "openai", key))

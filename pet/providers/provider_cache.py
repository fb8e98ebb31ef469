"""Cache of the providers of the connections in use, replaced when address or key change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pet.errors import SettingsInvalid
from pet.providers.base import Provider
from pet.providers.http.endpoint import endpoint_of
from pet.providers.protocol_fallback import FallbackProvider
from pet.providers.protocols import Protocol, protocol_of
from pet.settings.api_keys import ApiKey, KeyStore
from pet.settings.connections import key_slot
from pet.settings.schema import Settings
from pet.settings.server_address import is_loopback

_MOST = 8  # providers kept


class ProviderCache:
    """One provider per connection, so that HTTP connections are reused. Engine thread only."""

    def __init__(
        self, keys: KeyStore, address_problem: Callable[[str], SettingsInvalid | None] = lambda _connection: None
    ) -> None:
        """``address_problem``: return why a connection's address is unknown, or None."""
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
        from pet.providers.openai.provider import OpenAIProvider

        return OpenAIProvider(base_url, key)
    from pet.providers.anthropic.provider import AnthropicProvider

    messages = AnthropicProvider(base_url, key)
    if protocol == "anthropic":
        return messages
    return FallbackProvider(messages, lambda: _make(base_url, "openai", key))

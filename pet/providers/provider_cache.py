"""The provider that the settings name now: made when first asked for, made anew when address or key change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pet.errors import SettingsInvalid
from pet.providers.base import Provider
from pet.providers.protocols import Protocol, protocol_of
from pet.settings.api_keys import ApiKey, KeyStore, origin_of
from pet.settings.schema import Settings


class ProviderCache:
    """Used on the engine's thread only. Keeps one provider, so that connections are reused."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        keys: KeyStore,
        address_problem: Callable[[], SettingsInvalid | None] = lambda: None,
    ) -> None:
        self._settings = settings
        self._address_problem = address_problem
        self._keys = keys
        self._made: tuple[tuple[str, Protocol], ApiKey | None, Provider] | None = None  # address, key, provider
        self._earlier: list[Provider] = []  # a reply may still be coming from them
        self._lock = asyncio.Lock()

    async def __call__(self) -> Provider:
        """Looks at settings and key each time: a change holds from the next request on.

        Raises SettingsInvalid while it is not known which server the owner means: no other one gets the memory.
        """
        async with self._lock:  # two conversations that begin at once share one
            return await self._current()

    async def _current(self) -> Provider:
        settings = self._settings()
        base_url = settings.base_url
        address = (base_url, protocol_of(base_url, settings.protocol))
        if (problem := self._address_problem()) is not None:
            raise problem
        key = await asyncio.to_thread(self._keys.get, origin_of(base_url))  # a keyring may ask the owner and wait
        if self._made is not None and self._made[0] == address and _same(self._made[1], key):
            return self._made[2]
        provider = await asyncio.to_thread(_make, *address, key)  # may import an SDK: over a second
        if self._made is not None:
            self._earlier.append(self._made[2])
        self._made = (address, key, provider)
        return provider

    async def close(self) -> None:
        if self._made is not None:
            self._earlier.append(self._made[2])
            self._made = None
        while self._earlier:
            await self._earlier.pop().close()


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
    from pet.providers.either import EitherProvider

    return EitherProvider(messages, lambda: _make(base_url, "openai", key))

"""One provider for all conversations, for as long as the settings stay the same."""

from __future__ import annotations

import asyncio

from pet.paths import Home
from pet.providers.provider_cache import ProviderCache
from pet.settings.api_keys import KeyStore
from pet.settings.schema import Settings, changed


def test_conversations_that_begin_at_once_share_one_provider_and_none_is_left_open(home: Home) -> None:
    here, there = (changed(Settings(), {"base_url": f"http://127.0.0.1:{port}"}) for port in (9, 10))
    current = ProviderCache(KeyStore(home, {}))

    async def begin() -> None:
        one, other = await asyncio.gather(current(here), current(here))
        assert one is other
        moved = await current(there)
        assert moved is not one
        assert await current(here) is one
        await current.close()
        for provider in (one, moved):
            client = next(iter(provider._made.values()))._client  # type: ignore[attr-defined]
            assert client is not None and client.is_closed

    asyncio.run(begin())

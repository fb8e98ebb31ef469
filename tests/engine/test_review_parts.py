"""Small parts that several conversations share: the face, the provider."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from pet.engine.mood import MoodTeller
from pet.events import Event, Mood, MoodChanged, TextDelta, TurnEnded
from pet.model import TurnEnd, Usage
from pet.paths import Home
from pet.providers.current import CurrentProvider
from pet.settings.keys import KeyStore
from pet.settings.schema import Settings, changed


def test_the_last_mood_told_is_the_one_that_shows_whoever_told_it() -> None:
    """Two conversations end and speak at once; the face must not keep what is over."""
    told: list[Mood] = []

    def slowly(event: Event) -> None:
        time.sleep(0)  # lets the other threads in
        assert isinstance(event, MoodChanged)
        told.append(event.mood)

    teller = MoodTeller(slowly)
    acts: list[Event] = [
        TextDelta(conversation="a", turn="t", round=1, text="x"),
        TurnEnded(conversation="b", turn="u", end=TurnEnd.DONE, error=None, usage=Usage()),
    ] * 300
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(teller, acts))
    assert all(one is not other for one, other in pairwise(told))
    count = len(told)
    teller(TextDelta(conversation="a", turn="t", round=1, text="x"))
    assert told[-1] is Mood.TALKING
    assert len(told) - count == (0 if told[count - 1] is Mood.TALKING else 1)
    teller.close()


def test_conversations_that_begin_at_once_share_one_provider_and_none_is_left_open(home: Home) -> None:
    settings = [changed(Settings(), {"base_url": "http://127.0.0.1:9"})]
    current = CurrentProvider(lambda: settings[-1], KeyStore(home, {}))

    async def begin() -> None:
        one, other = await asyncio.gather(current(), current())
        assert one is other
        settings.append(changed(Settings(), {"base_url": "http://127.0.0.1:10"}))
        moved = await current()
        assert moved is not one
        await current.close()
        for provider in (one, moved):
            assert provider._client is not None and provider._client.is_closed()  # type: ignore[attr-defined]

    asyncio.run(begin())

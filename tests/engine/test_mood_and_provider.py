"""Small parts that several conversations share: the face, the provider."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from pet.app import compose
from pet.engine.mood.tracker import MoodTracker
from pet.events import Event, Mood, MoodChanged, TextDelta, TurnEnded
from pet.model import TurnEnd, Usage
from pet.paths import Home
from pet.providers.provider_cache import ProviderCache
from pet.settings.api_keys import KeyStore
from pet.settings.schema import Settings, changed
from pet.settings.store import SettingsStore


def test_last_emitted_mood_is_shown() -> None:
    """Two conversations end and speak at once; the face must not keep what is over."""
    told: list[Mood] = []

    def slowly(event: Event) -> None:
        time.sleep(0)  # lets the other threads in
        assert isinstance(event, MoodChanged)
        told.append(event.mood)

    teller = MoodTracker(slowly)
    acts: list[Event] = [
        TextDelta(conversation="a", turn="t", round=1, text="x"),
        TurnEnded(conversation="b", turn="u", end=TurnEnd.DONE, error=None, usage=Usage()),
    ] * 300
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(teller.hear, acts))
    assert all(one is not other for one, other in pairwise(told))
    count = len(told)
    teller.hear(TextDelta(conversation="a", turn="t", round=1, text="x"))
    assert told[-1] is Mood.TALKING
    assert len(told) - count == (0 if told[count - 1] is Mood.TALKING else 1)
    teller.close()


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
            client = provider._first._client  # type: ignore[attr-defined]
            assert client is not None and client.is_closed()

    asyncio.run(begin())


@pytest.mark.parametrize(
    ("environ", "file"),
    [
        ({"ANTHROPIC_BASE_URL": "localhost:8080"}, ""),
        ({}, 'base_url = "localhost:8080"\n'),
        ({}, "this is no TOML\n"),
    ],
)
def test_an_address_that_cannot_be_understood_is_not_replaced_by_another(
    home: Home, environ: dict[str, str], file: str
) -> None:
    home.config.mkdir(parents=True)
    home.settings_file.write_text(file, encoding="utf-8")
    app = compose(home, environ={**environ, "ANTHROPIC_API_KEY": "sk-ant-test-0000000000"}, channel="terminal")
    try:
        chat = app.conversations.create(memory=True)
        chat.send("hi")
        chat.wait(60)
        turn = chat.folded().turns[-1]
    finally:
        app.close()
    assert turn.end is TurnEnd.FAILED
    assert turn.error is not None
    assert turn.error.code.startswith("settings_")


def test_an_address_from_the_environment_makes_good_for_a_broken_file(home: Home) -> None:
    home.config.mkdir(parents=True)
    home.settings_file.write_text("this is no TOML\n", encoding="utf-8")
    store = SettingsStore(home.settings_file, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, lambda: None)
    assert store.address_problem() is None

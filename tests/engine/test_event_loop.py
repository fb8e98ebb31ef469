"""The engine's thread: what closes on it, and what does not close in time."""

from __future__ import annotations

import asyncio

import pytest

from pet.engine import event_loop
from pet.engine.event_loop import EngineLoop


def test_what_closes_is_waited_for_and_a_failure_is_told() -> None:
    loop, ended = EngineLoop(), []

    async def close() -> None:
        await asyncio.sleep(0)
        ended.append("closed")

    async def fail() -> None:
        raise OSError("no")

    loop.finish(close())
    assert ended == ["closed"]
    with pytest.raises(OSError, match="no"):
        loop.finish(fail())
    loop.close()


def test_what_does_not_close_in_time_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_loop, "_CLOSING_SECONDS", 0.01)
    loop, ended = EngineLoop(), []

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    loop.finish(hang())
    assert ended == []
    loop.close()
    assert ended == ["cancelled"]

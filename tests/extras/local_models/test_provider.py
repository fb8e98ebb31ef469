"""The model in the child process as a provider: a stream, a schema, a crash in between, and no leaked use."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pet.errors import LocalModelRefused, ProviderFault
from pet.extras.local_models.machine import Machine
from pet.extras.local_models.provider import CommonStarts, LocalModelProvider
from pet.extras.local_models.supervisor import Supervisor
from pet.model import Request, SystemBlock
from pet.providers.base import RoundDone, TextChunk
from tests.providers.calls import collect, user
from tests.support.waiting import wait_for

ROOMY = Machine(memory=64_000_000_000, free_memory=32_000_000_000, cores=2)
HELLO = Request(
    model="tiny",
    max_tokens=12,
    system=(SystemBlock(text="You are a friendly pet."),),
    tools=(),
    messages=(user("Say hello."),),
    temperature=0.0,
)
CHOICE = {
    "type": "object",
    "properties": {"do": {"enum": ["nothing", "note"]}},
    "required": ["do"],
    "additionalProperties": False,
}


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    made = Supervisor(tmp_path / "minds", tmp_path / "private", machine=lambda: ROOMY)
    yield made
    made.close()


def test_model_that_can_not_run_is_a_fault_with_its_own_words(supervisor: Supervisor) -> None:
    async def act() -> None:
        await collect(LocalModelProvider(supervisor, "qwen3-4b", "Qwen"), HELLO)

    with pytest.raises(ProviderFault) as raised:
        asyncio.run(act())
    assert isinstance(raised.value, LocalModelRefused)
    assert raised.value.error_code == "local_model_absent"


@pytest.mark.real_model
class TestRealModel:
    def test_words_come_and_the_name_is_the_models_own(self, supervisor: Supervisor) -> None:
        async def act() -> list[object]:
            provider = LocalModelProvider(supervisor, "tiny", "SmolLM2 135M")
            try:
                return [*await collect(provider, HELLO), *await collect(provider, HELLO)]
            finally:
                await provider.close()

        events = asyncio.run(act())
        done = [event for event in events if isinstance(event, RoundDone)]
        assert [each.model for each in done] == ["SmolLM2 135M"] * 2
        assert any(isinstance(event, TextChunk) for event in events)
        assert done[1].usage.cache_read_tokens  # the second time the prompt was warm

    def test_schema_is_obeyed(self, supervisor: Supervisor) -> None:
        async def act() -> str:
            provider = LocalModelProvider(supervisor, "tiny", "SmolLM2")
            try:
                events = await collect(provider, replace(HELLO, schema=CHOICE, max_tokens=60))
            finally:
                await provider.close()
            return "".join(event.text for event in events if isinstance(event, TextChunk))

        assert json.loads(asyncio.run(act()))["do"] in ("nothing", "note")

    def test_child_killed_between_two_replies_is_started_again(self, supervisor: Supervisor) -> None:
        async def act() -> None:
            provider = LocalModelProvider(supervisor, "tiny", "SmolLM2")
            await collect(provider, HELLO)
            assert supervisor.pid is not None
            os.kill(supervisor.pid, signal.SIGKILL)
            wait_for("its end", lambda: supervisor.state.phase == "absent")
            await collect(provider, HELLO)
            await provider.close()

        asyncio.run(act())

    def test_saved_state_makes_the_prompt_warm_after_a_restart(self, supervisor: Supervisor, tmp_path: Path) -> None:
        begins = "You are a friendly pet who lives on a desk. " * 12
        warm = replace(HELLO, system=(SystemBlock(text=begins),), messages=(user("."),), max_tokens=1)
        reply = replace(HELLO, system=(SystemBlock(text=begins + "You like tea."),))

        async def act(*requests: Request) -> list[RoundDone]:
            starts = CommonStarts(requests=[warm])
            provider = LocalModelProvider(supervisor, "tiny", "SmolLM2", lambda: starts)
            try:
                await provider.warm()
                return [
                    event
                    for each in requests
                    for event in await collect(provider, each)
                    if isinstance(event, RoundDone)
                ]
            finally:
                await provider.close()

        asyncio.run(act())
        assert list((tmp_path / "private").glob("*.kv"))
        supervisor.stop()
        (done,) = asyncio.run(act(reply))
        assert (done.usage.cache_read_tokens or 0) > 100
        assert done.usage.input_tokens is not None and done.usage.input_tokens < 60

    def test_cancelled_start_leaves_the_model_unused(self, supervisor: Supervisor) -> None:
        async def act() -> None:
            provider = LocalModelProvider(supervisor, "tiny", "SmolLM2")
            task = asyncio.ensure_future(collect(provider, HELLO))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await provider.close()

        asyncio.run(act())
        supervisor.forget()  # waits for nobody
        assert not supervisor.in_use

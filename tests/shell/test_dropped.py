"""What is dropped on the pet waits for the chat, once and not for ever."""

from __future__ import annotations

import pytest

from pet.bridge.api import DroppedThings, GivenFile, Nothing
from pet.bridge.handlers.dropped import DropCommands
from pet.bridge.windows import NoWindows
from pet.errors import BadArguments
from pet.events import DroppedOnPet, Event


def test_a_drop_is_told_and_taken_once() -> None:
    told: list[Event] = []
    commands = DropCommands(NoWindows(), told.append)
    first = DroppedThings(text="a line", files=[])
    second = DroppedThings(text="", files=[GivenFile(name="a.txt", data=["YQ=="])])
    commands.drop_on_pet(first)
    commands.drop_on_pet(second)
    assert told == [DroppedOnPet(), DroppedOnPet()]
    assert commands.take_dropped(Nothing()) == second
    assert commands.take_dropped(Nothing()) == DroppedThings(text="", files=[])


def test_too_much_is_refused() -> None:
    commands = DropCommands(NoWindows(), lambda _event: None)
    with pytest.raises(BadArguments):
        commands.drop_on_pet(DroppedThings(text="x" * 200_001, files=[]))
    with pytest.raises(BadArguments):
        commands.drop_on_pet(DroppedThings(text="", files=[GivenFile(name="a", data=[])] * 11))
    assert commands.take_dropped(Nothing()).text == ""

"""What is dropped on the pet waits for the chat, whole or with the reason why not."""

from __future__ import annotations

import pytest

from pet.bridge.chat_state import DropBox
from pet.errors import BadArguments
from pet.events import DroppedOnPet, Event
from pet.services.desktop_port import DesktopPort
from pet.services.file_transfer import DroppedThings, DropRefusal, GivenFile

NOTHING = DroppedThings(text="", files=[])


def file(name: str) -> GivenFile:
    return GivenFile(name=name, data=["YQ=="])


def test_drop_is_announced_and_taken_once() -> None:
    told: list[Event] = []
    commands = DropBox(DesktopPort(), told.append)
    commands.put(DroppedThings(text="a line", files=[]))
    assert told == [DroppedOnPet()]
    assert commands.take() == DroppedThings(text="a line", files=[])
    assert commands.take() == NOTHING


def test_files_come_one_by_one_and_go_one_by_one() -> None:
    commands = DropBox(DesktopPort(), lambda _event: None)
    no = DropRefusal(problem="too_large", name="/home/lin/film.mkv")
    commands.put(DroppedThings(text="look", files=[], refused=[no]))
    for name in "ab":
        commands.put(DroppedThings(text="", files=[file(name)]))
    first = commands.take()
    assert first == DroppedThings(
        text="look", files=[file("a")], refused=[DropRefusal(problem="too_large", name="film.mkv")]
    )
    assert commands.take() == DroppedThings(text="", files=[file("b")])
    assert commands.take() == NOTHING


def test_drops_over_the_limit_are_reported() -> None:
    commands = DropBox(DesktopPort(), lambda _event: None)
    for number in range(12):
        commands.put(DroppedThings(text="x" * 120_000 if number < 2 else "", files=[file(str(number))]))
    taken = [commands.take() for _ in range(11)]
    assert [each.files[0].name for each in taken if each.files] == [str(number) for number in range(10)]
    assert len(taken[0].text) == 120_000
    problems = [each.problem for each in taken[0].refused]
    assert sorted(problems) == ["text_too_large", "too_many", "too_many"]


@pytest.mark.parametrize(
    "things",
    [
        DroppedThings(text="x" * 200_001, files=[]),
        DroppedThings(text="", files=[file("a")] * 11),
        DroppedThings(text="", files=[], refused=[DropRefusal(problem="too_many", name="")] * 21),
    ],
)
def test_a_page_that_asks_for_more_than_its_own_limits_is_refused(things: DroppedThings) -> None:
    commands = DropBox(DesktopPort(), lambda _event: None)
    with pytest.raises(BadArguments):
        commands.put(things)
    assert commands.take() == NOTHING

"""What the pet does on its ground: it sits on a window, and gets up for what is dragged, unless it is held."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pet.desktop.geometry import Rect
from pet.desktop.window_group import WindowGroup

HERE = Rect(100, 100, 192, 208)


class Pet:
    """A pet window on an edge. ``room``: how far it can walk, and whether to the edge's end."""

    def __init__(self, room: tuple[int, bool], *, on_window: bool, held: bool = False, seen: bool = True) -> None:
        self.room, self.held, self.seen = room, held, seen
        self.rect = self.place = HERE
        self._on = object() if on_window else None

    def stroll(self, _way: float, _avoid: object) -> tuple[int, bool]:
        return self.room

    def standing_on(self) -> object | None:
        return self._on


def group(pet: Pet, *, bubble: bool = False) -> tuple[WindowGroup, list[tuple[int, int, str]]]:
    travels: list[tuple[int, int, str]] = []
    platform = SimpleNamespace(after=lambda _milliseconds, _work: None)
    windows = WindowGroup(
        cast(Any, platform),
        cast(Any, pet),
        cast(Any, SimpleNamespace(in_sight=False)),
        cast(Any, SimpleNamespace(shown=bubble)),
        lambda dx, dy, how: travels.append((dx, dy, how)),
    )
    return windows, travels


@pytest.mark.parametrize(
    ("room", "on_window", "near", "does"),
    [
        ((0, False), True, False, [(0, 0, "sit")]),
        ((0, False), False, False, []),  # on the floor there is no edge to sit on
        ((0, False), True, True, []),
        ((120, True), True, False, [(120, 0, "walk_to_edge")]),
        ((120, True), True, True, [(120, 0, "walk")]),
    ],
    ids=["sits", "floor", "came near", "to the end", "near the end"],
)
def test_without_room_it_sits_down_on_a_window(
    room: tuple[int, bool], on_window: bool, near: bool, does: list[tuple[int, int, str]]
) -> None:
    windows, travels = group(Pet(room, on_window=on_window))
    windows.stroll(0.0, near)
    assert travels == does


def test_held_or_beside_its_bubble_it_neither_sits_nor_walks() -> None:
    for pet, bubble in ((Pet((0, False), on_window=True, held=True), False), (Pet((9, True), on_window=True), True)):
        windows, travels = group(pet, bubble=bubble)
        windows.stroll(0.0)
        assert travels == []


def test_it_attends_to_what_is_dragged_only_where_it_is_seen_and_free() -> None:
    for held, seen in ((False, True), (True, True), (False, False)):
        windows, travels = group(Pet((0, False), on_window=False, held=held, seen=seen))
        windows.drag_began()
        assert travels == ([(0, 0, "drag")] if seen and not held else [])

"""When a moved window has come to rest."""

from __future__ import annotations

from collections.abc import Callable

from pet.desktop.platform import MoveSettle


class Later:
    """What is to be done later, done when the test says so."""

    def __init__(self) -> None:
        self.work: list[Callable[[], object]] = []
        self.held = False
        self.rests = 0
        self.window = MoveSettle(lambda _ms, work: self.work.append(work), lambda: self.held, self._rested)

    def _rested(self) -> None:
        self.rests += 1

    def pass_by(self) -> None:
        work, self.work = self.work, []
        for each in work:
            each()


def test_many_moves_end_in_one_rest_and_then_nothing_waits() -> None:
    later = Later()
    for _ in range(5):
        later.window.moved()
    assert len(later.work) == 1
    later.pass_by()  # there were more since the first
    assert (later.rests, len(later.work)) == (0, 1)
    later.pass_by()
    assert (later.rests, later.work) == (1, [])


def test_a_held_button_puts_it_off() -> None:
    later = Later()
    later.held = True
    later.window.moved()
    later.pass_by()
    assert (later.rests, len(later.work)) == (0, 1)
    later.held = False
    later.pass_by()
    assert (later.rests, later.work) == (1, [])

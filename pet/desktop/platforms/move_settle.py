"""When a window that was moved has come to rest. Knows no toolkit and asks nothing while nothing moves."""

from __future__ import annotations

from collections.abc import Callable

_REST_MS = 400
"""Without a move, and without a button down: a hand that pauses is not done."""


class MoveSettle:
    """``moved`` with each move, on the GUI thread; ``react`` once when they have ended. ``after``: the platform's;
    ``held``: whether the window may still be in somebody's hand."""

    def __init__(
        self, after: Callable[[int, Callable[[], object]], None], held: Callable[[], bool], react: Callable[[], None]
    ) -> None:
        self._after = after
        self._held = held
        self._react = react
        self._moves = 0
        self._looks = False

    def moved(self) -> None:
        self._moves += 1
        if not self._looks:
            self._looks = True
            self._wait()

    def _wait(self) -> None:
        seen = self._moves
        self._after(_REST_MS, lambda: self._look(seen))

    def _look(self, seen: int) -> None:
        if self._moves != seen or self._held():
            self._wait()
            return
        self._looks = False
        self._react()

"""Detect when a moved window has come to rest. Toolkit-independent; no polling while nothing moves."""

from __future__ import annotations

from collections.abc import Callable

_REST_MS = 400
"""Quiet time without a move and without a button down: a pausing drag is not finished."""


class MoveSettle:
    """Debounce moves: call ``moved`` for each one on the GUI thread; ``react`` is called once they have ended.

    ``after``: the platform's timer; ``held``: whether the window may still be dragged.
    """

    def __init__(
        self, after: Callable[[int, Callable[[], object]], None], held: Callable[[], bool], react: Callable[[], None]
    ) -> None:
        self._after = after
        self._held = held
        self._react = react
        self._moves = 0
        self._waiting = False

    def moved(self) -> None:
        self._moves += 1
        if not self._waiting:
            self._waiting = True
            self._wait()

    def _wait(self) -> None:
        seen = self._moves
        self._after(_REST_MS, lambda: self._check(seen))

    def _check(self, seen: int) -> None:
        if self._moves != seen or self._held():
            self._wait()
            return
        self._waiting = False
        self._react()

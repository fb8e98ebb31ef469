"""Types that windows and a desktop exchange: hotkeys, entries of menus, and when a move has ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotkey:
    keys: str  # in the settings' notation, such as Ctrl+Alt+P; "" disables it
    name: str  # stable when keys and language change
    label: str  # its action, in the owner's language
    act: Callable[[], None]  # on any thread


MOST_SELECTED = 256 * 1024
"""Characters or bytes that are read of a selection."""
Action = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuItem:
    """A menu entry. ``&`` in its text marks a mnemonic. ``children`` builds its submenu each time that opens."""

    text: str
    act: Action | None = None  # None: no action, or a submenu
    checked: bool | None = None  # None: not checkable
    one_of: bool = False  # one of a radio group
    starts_group: bool = False
    children: Callable[[], Sequence[MenuItem]] | None = None
    sign: str = ""  # icon, where a platform shows one: a file of ``assets/menu/signs``


Kind = Literal["pet", "chat", "bubble"]


_REST_MS = 400
"""Quiet time without a move and without a button down: a pausing drag is not finished."""


class MoveSettle:
    """Debounce moves: call ``moved`` for each one on the GUI thread; ``react`` is called once they have ended.

    ``after``: the desktop's timer; ``held``: whether the window may still be dragged.
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

"""Remembers where the pet sits on each monitor and how large the chat is (PRODUCT §8.1).

Owns the form of windows.json. A state that makes no sense counts as none; a disk that won't take it costs only the
memory of the place.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from pet.settings.state import JsonState
from pet.shell.geometry import Monitor, Rect, clamp, first_place, monitor_of, primary_of

CHAT_SIZE = (440, 640)
CHAT_MINIMUM = (360, 420)
_FARTHEST = 100_000  # beyond any desktop

_log = logging.getLogger(__name__)


class Places:
    def __init__(self, state: JsonState) -> None:
        self._state = state

    def pet_place(self, size: tuple[int, int], monitors: Sequence[Monitor]) -> Rect:
        """Where the pet sat last, on the monitor it sat on; else a first place. Always wholly on a screen."""
        found = self._state.read()
        pets = found.get("pet")
        by_monitor = pets if isinstance(pets, dict) else {}
        last = found.get("monitor")
        monitor = next((m for m in monitors if m.name == last), primary_of(monitors))
        place = _pair(by_monitor.get(monitor.name))
        if place is None:
            return first_place(size, monitor.work)
        x, y = place  # from the work area's corner, so that a moved monitor takes the pet along
        return clamp(Rect(monitor.work.x + x, monitor.work.y + y, *size), monitor.work)

    def keep_pet(self, pet: Rect, monitors: Sequence[Monitor]) -> None:
        monitor = monitor_of(pet, monitors)
        pets = self._state.read().get("pet")
        by_monitor = dict(pets) if isinstance(pets, dict) else {}
        by_monitor[monitor.name] = [pet.x - monitor.work.x, pet.y - monitor.work.y]
        self._keep({"pet": by_monitor, "monitor": monitor.name})

    def chat_size(self) -> tuple[int, int]:
        size = _pair(self._state.read().get("chat"))
        if size is None:
            return CHAT_SIZE
        return max(size[0], CHAT_MINIMUM[0]), max(size[1], CHAT_MINIMUM[1])

    def keep_chat(self, size: tuple[int, int]) -> None:
        if size != self.chat_size():
            self._keep({"chat": list(size)})

    def _keep(self, values: dict[str, object]) -> None:
        try:
            self._state.update(values)
        except OSError as error:
            _log.warning("window places not stored: %s", type(error).__name__)


def _pair(value: object) -> tuple[int, int] | None:
    if not isinstance(value, list) or len(value) != 2:
        return None
    first, second = value
    whole = all(type(number) is int and abs(number) < _FARTHEST for number in (first, second))
    return (first, second) if whole else None

"""What was dropped on the pet, on its way to the composer (PRODUCT §8.1).

Owns it for as long as the chat needs to open, in memory alone. Looks into nothing: that is for whoever takes it in.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from pet.bridge.api import DroppedThings, Nothing
from pet.bridge.windows import Windows
from pet.errors import BadArguments
from pet.events import DroppedOnPet, Event

_MOST_FILES = 10
_MOST_CHARACTERS = 200_000
_NOTHING = DroppedThings(text="", files=[])


class DropCommands:
    """Every public method is the handler of the row of its name."""

    def __init__(self, windows: Windows, emit: Callable[[Event], object]) -> None:
        self._windows = windows
        self._emit = emit
        self._lock = Lock()
        self._things = _NOTHING

    def drop_on_pet(self, args: DroppedThings) -> None:
        """The chat opens and is told. A later drop replaces one that nobody took."""
        if len(args.files) > _MOST_FILES:
            raise BadArguments(where="files", why="value")
        if len(args.text) > _MOST_CHARACTERS:
            raise BadArguments(where="text", why="value")
        with self._lock:
            self._things = args
        self._windows.show_view("chat")
        self._emit(DroppedOnPet())

    def take_dropped(self, _args: Nothing) -> DroppedThings:
        """Once: whoever asks again gets nothing."""
        with self._lock:
            things, self._things = self._things, _NOTHING
        return things

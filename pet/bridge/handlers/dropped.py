"""What was dropped on the pet, on its way to the composer.

Owns it for as long as the chat needs to open, in memory alone, and what had to be refused, which the chat tells.
Looks into nothing: that is for whoever takes it in.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from pet.bridge.api import DroppedThings, DropRefusal, GivenFile, Nothing
from pet.bridge.desktop_port import DesktopPort
from pet.errors import BadArguments
from pet.events import DroppedOnPet, Event
from pet.services.file_transfer import plain_name

_MOST_FILES = 10
_MOST_CHARACTERS = 200_000
_MOST_REFUSED = 20


class DropCommands:
    """Every public method is the handler of the row of its name."""

    def __init__(self, windows: DesktopPort, emit: Callable[[Event], object]) -> None:
        self._windows = windows
        self._emit = emit
        self._lock = Lock()
        self._text = ""
        self._files: list[GivenFile] = []
        self._refused: list[DropRefusal] = []

    def drop_on_pet(self, args: DroppedThings) -> None:
        """The chat opens and is told. What comes before the first was taken goes along with it."""
        if len(args.files) > _MOST_FILES:
            raise BadArguments(where="files", why="value")
        if len(args.text) > _MOST_CHARACTERS:
            raise BadArguments(where="text", why="value")
        if len(args.refused) > _MOST_REFUSED:
            raise BadArguments(where="refused", why="value")
        with self._lock:
            self._keep(args)
        self._windows.show_view("chat")
        self._emit(DroppedOnPet())

    def take_dropped(self, _args: Nothing) -> DroppedThings:
        """Once, and one file at a time: asked again until there is nothing."""
        with self._lock:
            files, self._files = self._files[:1], self._files[1:]
            text, self._text = self._text, ""
            refused, self._refused = self._refused, []
        return DroppedThings(text=text, files=files, refused=refused)

    def _keep(self, args: DroppedThings) -> None:
        room = max(0, _MOST_FILES - len(self._files))
        refused = [DropRefusal(problem=each.problem, name=plain_name(each.name)) for each in args.refused]
        if len(args.files) > room:
            refused.append(DropRefusal(problem="too_many", name=""))
        self._files += args.files[:room]
        self._refused = [*self._refused, *refused][-_MOST_REFUSED:]
        text = "\n".join(each for each in (self._text, args.text) if each)
        if len(text) > _MOST_CHARACTERS:
            self._refused.append(DropRefusal(problem="text_too_large", name=""))
        else:
            self._text = text

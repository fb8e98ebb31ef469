"""Files dropped on the pet, kept in memory until the chat's composer takes them; the receiver validates them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from pet.errors import BadArguments
from pet.events import DroppedOnPet, Event
from pet.services.desktop_port import DesktopPort
from pet.services.file_transfer import GivenFile, plain_name

_MOST_FILES = 10
_MOST_CHARACTERS = 200_000
_MOST_REFUSED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRefusal:
    """A dropped item that was refused. ``name``: "" for text, and for files beyond the maximum."""

    problem: Literal["too_large", "too_many", "text_too_large", "unreadable"]
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedThings:
    """Dropped text and files. Each call has one file, since a message is limited."""

    text: str
    files: list[GivenFile]
    refused: list[DropRefusal] = field(default_factory=list)


class DropBox:
    """Thread-safe."""

    def __init__(self, windows: DesktopPort, emit: Callable[[Event], object]) -> None:
        self._windows = windows
        self._emit = emit
        self._lock = Lock()
        self._text = ""
        self._files: list[GivenFile] = []
        self._refused: list[DropRefusal] = []

    def put(self, args: DroppedThings) -> None:
        """Open the chat and notify it. Further drops before the first was taken are queued."""
        for where, most in (("files", _MOST_FILES), ("text", _MOST_CHARACTERS), ("refused", _MOST_REFUSED)):
            if len(getattr(args, where)) > most:
                raise BadArguments(where=where, why="value")
        with self._lock:
            self._keep(args)
        self._windows.show_view("chat")
        self._emit(DroppedOnPet())

    def take(self) -> DroppedThings:
        """Remove and return one file with the text; call until nothing is left."""
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

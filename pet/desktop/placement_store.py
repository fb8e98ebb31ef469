"""Stored window positions: the pet's per monitor, and the chat's position and size.

Defines the format of windows.json. Stores only positions the owner chose. Invalid state counts as none; a write error
loses only the position.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from pet.desktop.geometry import Monitor, Rect, anchored, clamp, first_place, monitor_of, primary_of
from pet.desktop.pet_actor import UNKNOWN_BODY
from pet.settings.program_state import JsonState
from pet.skins.model import BODIES

CHAT_SIZE = (440, 640)
CHAT_MINIMUM = (360, 420)
_FARTHEST = 100_000  # units; larger than any desktop

_log = logging.getLogger(__name__)


class PlacementStore:
    """``pet``: whose windows these are, where several pets are on the desktop; "" for the one that leads."""

    def __init__(self, state: JsonState, pet: str = "") -> None:
        self._state = state
        self._of = f".{pet}" if pet else ""

    def of(self, pet: str) -> PlacementStore:
        """Return the places of another pet."""
        return PlacementStore(self._state, pet)

    def copy_to(self, pet: str) -> None:
        """Copy the places to another pet; "" to the one that leads, which this one becomes."""
        copied = {name: self._read(name) for name in ("pet", "monitor", "chats", "things")}
        other = self.of(pet)
        self._keep({name + other._of: value for name, value in copied.items() if value is not None})
        if not pet:
            self._of = ""

    @property
    def has_place(self) -> bool:
        """Whether a place of the pet is stored."""
        return bool(self._read("pet"))

    def _read(self, name: str) -> object:
        return self._state.read().get(name + self._of)

    # --- the pet --------------------------------------------------------------------------------

    def pet_place(self, size: tuple[int, int], monitors: Sequence[Monitor]) -> Rect:
        """Return the pet's last position on its last monitor, or the initial one. Always fully on a screen."""
        return self.pet_on(self._home(monitors), size)

    def pet_on(self, monitor: Monitor, size: tuple[int, int]) -> Rect:
        """Return the pet's last position on this monitor, or the initial one."""
        place = _dict(self._read("pet")).get(monitor.name)
        early = _pair(place)  # older format: relative to the work area's corner
        if early is not None:
            return clamp(Rect(monitor.work.x + early[0], monitor.work.y + early[1], *size), monitor.work)
        return _restored(place, size, monitor) or first_place(size, monitor.work)

    def keep_pet(self, pet: Rect, monitors: Sequence[Monitor]) -> None:
        monitor = monitor_of(pet, monitors)
        places = {**_dict(self._read("pet")), monitor.name: _stored((pet.x, pet.y), monitor)}
        self._keep({"pet" + self._of: places, "monitor" + self._of: monitor.name})

    def at_home(self, monitors: Sequence[Monitor]) -> bool:
        """Whether the pet's last monitor is connected."""
        last = self._read("monitor")
        return any(each.name == last for each in monitors)

    def away(self, monitors: Sequence[Monitor]) -> bool:
        """Whether the pet's last monitor is missing."""
        return self._read("monitor") is not None and not self.at_home(monitors)

    def body(self, pet: str | None) -> str:
        """Return the body for this pet's first frame: the id of the drawn one it wore last, or ``UNKNOWN_BODY``.

        "" at the very first start, which shows the shipped body. ``pet`` None: no pet yet.
        """
        bodies = _dict(self._state.read().get("bodies"))
        if pet is None and not bodies:
            return ""
        body = bodies.get(pet or "")
        return body if body in BODIES else UNKNOWN_BODY

    def keep_body(self, pet: str, skin_id: str) -> None:
        """Store the skin this pet wears, drawn or not."""
        bodies = _dict(self._state.read().get("bodies"))
        if bodies.get(pet) != skin_id:
            self._keep({"bodies": {**bodies, pet: skin_id}})

    def _home(self, monitors: Sequence[Monitor]) -> Monitor:
        last = self._read("monitor")
        return next((each for each in monitors if each.name == last), primary_of(monitors))

    def thing_place(self, name: str, size: tuple[int, int], monitors: Sequence[Monitor]) -> Rect | None:
        """Return where a thing of the pet's was put; None if nowhere, or on a monitor that is missing."""
        kept = _dict(_dict(self._read("things")).get(name))
        monitor = next((each for each in monitors if each.name == kept.get("monitor")), None)
        return _restored(kept, size, monitor) if monitor is not None else None

    def keep_thing(self, name: str, place: Rect, monitors: Sequence[Monitor]) -> None:
        monitor = monitor_of(place, monitors)
        kept = {**_stored((place.x, place.y), monitor), "monitor": monitor.name}
        self._keep({"things" + self._of: {**_dict(self._read("things")), name: kept}})

    # --- the chat -------------------------------------------------------------------------------

    def chat_size(self, monitor: Monitor | None = None) -> tuple[int, int]:
        """Return the size without the frame: on this monitor, else the last one."""
        state = self._state.read()
        here = _dict(_dict(self._read("chats")).get(monitor.name)) if monitor else {}
        size = _pair(here.get("size")) or _pair(state.get("chat")) or CHAT_SIZE
        return max(size[0], CHAT_MINIMUM[0]), max(size[1], CHAT_MINIMUM[1])

    def chat_on(self, monitor: Monitor, size: tuple[int, int]) -> Rect | None:
        """Return the stored rectangle on this monitor, with the frame; None: beside the pet."""
        return _restored(_dict(self._read("chats")).get(monitor.name), size, monitor)

    def keep_chat(
        self, size: tuple[int, int], monitor: Monitor | None = None, corner: tuple[int, int] | None = None
    ) -> None:
        """Store the size. ``corner``: the frame's corner if the owner put it there; None keeps the stored one."""
        values: dict[str, object] = {"chat": list(size)}
        if monitor is not None:
            chats = _dict(self._read("chats"))
            before = _dict(chats.get(monitor.name))
            place = before if corner is None else _stored(corner, monitor)
            values["chats" + self._of] = {**chats, monitor.name: {**place, "size": list(size)}}
        self._keep(values)

    def forget_chat(self, monitor: Monitor) -> None:
        """Discard the stored position, so that it is placed beside the pet again."""
        chats = dict(_dict(self._read("chats")))
        if chats.pop(monitor.name, None) is not None:
            self._keep({"chats" + self._of: chats})

    def _keep(self, values: dict[str, object]) -> None:
        known = self._state.read()
        if all(known.get(name) == value for name, value in values.items()):
            return
        try:
            self._state.update(values)
        except OSError as error:
            _log.warning("window places not stored: %s", type(error).__name__)


def _stored(corner: tuple[int, int], monitor: Monitor) -> dict[str, object]:
    """Return the position relative to the monitor's corner, with the monitor's size."""
    area = monitor.whole
    return {"at": [corner[0] - area.x, corner[1] - area.y], "of": [area.width, area.height]}


def _restored(stored: object, size: tuple[int, int], monitor: Monitor) -> Rect | None:
    place = _dict(stored)
    at, before = _pair(place.get("at")), _pair(place.get("of"))
    if at is None or before is None:
        return None
    return clamp(anchored(at, size, before, monitor.whole), monitor.work)


def _dict(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _pair(value: object) -> tuple[int, int] | None:
    if not isinstance(value, list) or len(value) != 2:
        return None
    first, second = value
    whole = all(type(number) is int and abs(number) < _FARTHEST for number in (first, second))
    return (first, second) if whole else None

"""Monitors, their work areas without panels, and those filled by other programs, from Qt and the X server.

GUI thread only; X events come from another thread, which runs only while there is a subscriber.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QGuiApplication

from pet.desktop.geometry import Around, Monitor, Rect, covers, without_struts
from pet.desktop.qt_desktop import QtScreens, rect_of, screen_name

if TYPE_CHECKING:
    from pet.desktop.linux.x11_events import XEvents
    from pet.desktop.linux.x11_server import XServer

_FILLED = 0.95
"""Share of a monitor; below it, a window is not full screen."""


class LinuxScreens(QtScreens):
    """``post`` runs work on the GUI thread; ``server`` and ``events`` are called on first use."""

    def __init__(
        self,
        post: Callable[[Callable[[], object]], None],
        server: Callable[[], XServer],
        events: Callable[[], XEvents],
    ) -> None:
        self._post = post
        self._server = server
        self._events = events
        self._watches = False
        self._around = Around()
        # Qt's values, and the corrected work area
        self._work_cache: tuple[tuple[Rect, Rect, float], Rect] | None = None
        self._fullscreen: Callable[[frozenset[str]], None] | None = None
        self._changed: Callable[[], None] | None = None
        self._known: list[Monitor] | None = None  # until Qt or a panel reports a change; each step of a walk asks

    def monitors(self) -> list[Monitor]:
        if self._known is None or self._changed is None:
            self._known = super().monitors()
        return self._known

    def _work(self, screen: Any) -> Rect:
        work = super()._work(screen)
        if len(QGuiApplication.screens()) > 1:  # Qt ignores panels with several monitors
            return self._without_panels(screen, work)
        return work if screen.devicePixelRatio() == 1 else self._true_work(screen, work)

    def on_changed(self, react: Callable[[], None]) -> None:
        self._changed = react
        super().on_changed(self.changed)
        self._watch()

    def changed(self) -> None:
        """Read the monitors again, after Qt reported a change."""
        self._known = None
        self._watch()
        self._report_filled()
        if self._changed is not None:
            self._changed()

    def on_fullscreen(self, react: Callable[[frozenset[str]], None] | None) -> None:
        self._fullscreen = react
        self._watch()
        self._report_filled()

    def _watch(self) -> None:
        """Other windows matter for stepping aside in full screen, and with several monitors for panels."""
        wanted = self._fullscreen is not None or len(QGuiApplication.screens()) > 1
        if wanted == self._watches:
            return  # no subscription, no thread
        self._watches = wanted
        self._events().watch((lambda around: self._post(lambda: self._on_around(around))) if wanted else None)

    def _on_around(self, around: Around) -> None:
        before, self._around = self._around, around
        self._known = None
        if around.struts != before.struts and self._changed is not None:
            self._changed()
        self._report_filled()

    def _report_filled(self) -> None:
        if self._fullscreen is not None:
            areas = {screen_name(screen): _device_rect(screen) for screen in QGuiApplication.screens()}
            films = self._around.filled
            filled = (name for name, area in areas.items() if any(covers(film, area, _FILLED) for film in films))
            self._fullscreen(frozenset(filled))

    def _true_work(self, screen: Any, work: Rect) -> Rect:
        """Correct Qt's work area: Qt scales its size but, until the first change, not its corner."""
        whole, ratio = rect_of(screen.geometry()), screen.devicePixelRatio()
        if (work.x, work.y) == (whole.x, whole.y):
            return work
        key = work, whole, ratio
        if self._work_cache is None or self._work_cache[0] != key:
            corner = self._server().work_corner() or (work.x - whole.x, work.y - whole.y)
            x, y = (round(each / ratio) for each in corner)
            self._work_cache = key, Rect(whole.x + x, whole.y + y, work.width, work.height)
        return self._work_cache[1]

    def _without_panels(self, screen: Any, work: Rect) -> Rect:
        device, ratio = _device_rect(screen), screen.devicePixelRatio()
        areas = [_device_rect(each) for each in QGuiApplication.screens()]
        desktop = max(area.right for area in areas), max(area.bottom for area in areas)
        left = without_struts(device, desktop, self._around.struts)
        inside = (left.x - device.x, left.y - device.y, left.width, left.height)
        x, y, width, height = (round(each / ratio) for each in inside)
        return Rect(work.x + x, work.y + y, width, height)


def in_units(device: Rect) -> Rect:
    """Return a rectangle of device pixels in the units of the screen that shows most of it."""
    screen = max(QGuiApplication.screens(), key=lambda each: _device_rect(each).overlap(device))
    origin, ratio = screen.geometry().topLeft(), screen.devicePixelRatio()
    x, y = (device.x - origin.x()) / ratio + origin.x(), (device.y - origin.y()) / ratio + origin.y()
    return Rect(round(x), round(y), round(device.width / ratio), round(device.height / ratio))


def _device_rect(screen: Any) -> Rect:
    """Device pixels: for a scaled screen Qt divides the size but not the corner."""
    area, ratio = screen.geometry(), screen.devicePixelRatio()
    return Rect(area.x(), area.y(), round(area.width() * ratio), round(area.height() * ratio))

"""Handlers for desktop features: start at login, global shortcuts, screenshots.

Stateless: the system is authoritative. A screenshot takes the path of dropped files into the composer and is never
sent automatically.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable

from pet.bridge.api import DesktopState, DroppedThings, FadeArgs, GivenFile, Nothing, ScreenshotArgs, SwitchArgs
from pet.bridge.desktop_port import DesktopPort
from pet.clock import Clock
from pet.errors import AttachmentRefused, ScreenshotImpossible
from pet.events import DesktopChanged, ErrorInfo, Event
from pet.i18n import Texts
from pet.services.file_transfer import pieces
from pet.settings.schema import Settings

_log = logging.getLogger(__name__)


class DesktopCommands:
    """Every public method is the handler of the row of its name. ``give``: the drop handler."""

    def __init__(
        self,
        *,
        windows: DesktopPort,
        settings: Callable[[], Settings],
        texts: Callable[[], Texts],
        clock: Clock,
        give: Callable[[DroppedThings], object],
        emit: Callable[[Event], object],
    ) -> None:
        self._windows = windows
        self._settings = settings
        self._texts = texts
        self._clock = clock
        self._give = give
        self._emit = emit

    def get_desktop(self, _args: Nothing) -> DesktopState:
        entry = self._windows.login_entry()
        return DesktopState(
            login=entry.on if entry else False,
            login_possible=entry is not None,
            login_other=entry.on and entry.other if entry else False,
            login_place=entry.place if entry else "",
            taken_shortcuts=list(self._windows.taken_shortcuts),
        )

    def set_login(self, args: SwitchArgs) -> DesktopState:
        self._windows.set_login(args.on)
        return self.get_desktop(Nothing())

    def try_shortcuts(self, _args: Nothing) -> None:
        """The result is reported by DesktopChanged."""
        self._windows.try_shortcuts()

    def fade_pet(self, args: FadeArgs) -> None:
        self._windows.fade_pet(args.faded and self._settings().fade_on_hover)

    def take_screenshot(self, args: ScreenshotArgs) -> None:
        """Returns immediately; the image arrives like a dropped file. Raises ScreenshotImpossible."""
        if not self._windows.take_screenshot(args.area, self._took):
            raise ScreenshotImpossible()

    def _took(self, picture: bytes | None) -> None:
        """Runs on its own thread."""
        if picture is None:
            return
        from pet.workspace.images import prepare_image  # lazy: importing Pillow is slow

        name = self._texts()("desktop.screenshot_name", at=f"{self._clock.now():%Y-%m-%d %H.%M.%S}")
        try:
            ready = prepare_image(picture, name)
        except AttachmentRefused as refused:
            _log.warning("a screenshot: %s", refused.problem)
            self._emit(DesktopChanged(error=ErrorInfo.of(refused)))
            return
        name += ".png" if ready.kind == "image/png" else ".jpg"
        file = GivenFile(name=name, data=pieces(base64.b64encode(ready.data).decode()))
        self._give(DroppedThings(text="", files=[file]))

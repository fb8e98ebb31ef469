"""Desktop features: start at login, global shortcuts, screenshots.

Stateless: the system is authoritative. A screenshot takes the path of dropped files into the composer and is never
sent automatically.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pet.bridge.command import Client, command
from pet.clock import Clock
from pet.errors import AttachmentRefused, ScreenshotImpossible
from pet.events import DesktopChanged, ErrorInfo, Event
from pet.i18n import Texts
from pet.services.desktop_port import DesktopPort
from pet.services.drop_box import DropBox, DroppedThings
from pet.services.file_transfer import GivenFile, pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopState:
    """``login_other``: the entry starts another program. ``taken_shortcuts``: keys that another program has."""

    login: bool
    login_possible: bool
    login_other: bool
    login_place: str
    taken_shortcuts: list[str]


_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopCommands:
    windows: DesktopPort
    texts: Callable[[], Texts]
    clock: Clock
    drop_box: DropBox
    emit: Callable[[Event], object]

    @command(Client.CHAT)
    def get_desktop(self) -> DesktopState:
        """Starting at login, and shortcuts that are not to be had."""
        entry = self.windows.login_entry()
        return DesktopState(
            login=entry.on if entry else False,
            login_possible=entry is not None,
            login_other=entry.on and entry.other if entry else False,
            login_place=entry.place if entry else "",
            taken_shortcuts=list(self.windows.taken_shortcuts),
        )

    @command(Client.CHAT)
    def set_login(self, on: bool) -> DesktopState:
        """Start when the owner logs in, or no longer."""
        self.windows.set_login(on)
        return self.get_desktop()

    @command(Client.CHAT)
    def try_shortcuts(self) -> None:
        """Ask the system for the shortcuts once more.

        The result is reported by DesktopChanged.
        """
        self.windows.try_shortcuts()

    @command(Client.CHAT)
    def take_screenshot(self, area: Literal["screen", "region"]) -> None:
        """A picture of the screen for the composer.

        Returns immediately; the image arrives like a dropped file. Raises ScreenshotImpossible.

        The monitor at the pointer, or what the owner frames.
        """
        if not self.windows.take_screenshot(area, self._took):
            raise ScreenshotImpossible()

    def _took(self, picture: bytes | None) -> None:
        """Runs on its own thread."""
        if picture is None:
            return
        from pet.workspace.images import prepare_image  # lazy: importing Pillow is slow

        name = self.texts()("desktop.screenshot_name", at=f"{self.clock.now():%Y-%m-%d %H.%M.%S}")
        try:
            ready = prepare_image(picture, name)
        except AttachmentRefused as refused:
            _log.warning("a screenshot: %s", refused.problem)
            self.emit(DesktopChanged(error=ErrorInfo.of(refused)))
            return
        name += ".png" if ready.kind == "image/png" else ".jpg"
        file = GivenFile(name=name, data=pieces(base64.b64encode(ready.data).decode()))
        self.drop_box.put(DroppedThings(text="", files=[file]))

"""Tray state, folded from events: the pet's picture, the unread badge, and the status as tooltip."""

from __future__ import annotations

import base64
import binascii
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pet.desktop.core.client import CoreClient
from pet.desktop.platforms.base import Platform, TraySpec
from pet.desktop.windows.titles import PetState, tray_tooltip
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.events import Event


_PROGRAM = "soulpet"
"""Body that the program's own icon shows."""


class PetTray:
    """``create`` and ``refresh`` on the GUI thread, ``on_event`` from any."""

    def __init__(self, platform: Platform, core: CoreClient, settings: Callable[[], Settings]) -> None:
        self._platform = platform
        self._core = core
        self._settings = settings
        self._state = PetState()
        self._stamp = ""
        self._picture: bytes | None = None
        self._loading = threading.Lock()
        self.there = False

    def create(self, spec: Callable[[str], TraySpec]) -> None:
        """Add the tray icon. ``spec`` builds it for a tooltip."""
        status = self._core.status()
        if status is not None:
            self._state = replace(self._state, paused=status.paused, unread=status.unread)
        self.there = self._platform.add_tray(spec(self._tooltip()))
        if self.there:
            self.refresh()
            self._load_picture_later()

    def refresh(self) -> None:
        """Update after a change of name, language or status."""
        if self.there:
            unread = self._state.unread > 0
            self._platform.update_tray(self._tooltip(), unread=unread, picture=self._picture)

    def on_event(self, event: Event) -> None:
        from pet.events import MemoryPaused, MoodChanged, SettingsChanged, UnreadChanged

        before = self._state
        match event:
            case MoodChanged(mood=mood):
                self._state = replace(before, mood=mood.value)
            case MemoryPaused(paused=paused):
                self._state = replace(before, paused=paused)
            case UnreadChanged(conversations=waiting):
                self._state = replace(before, unread=len(waiting))
            case SettingsChanged():
                self._load_picture_later()  # a change of skin is reported this way too
                return
            case _:
                return
        if self._state != before:
            self._platform.post(self.refresh)

    def _tooltip(self) -> str:
        state = replace(self._state, undisturbed=self._settings().do_not_disturb)
        return tray_tooltip(self._core.pet_name(), self._core.texts(), state)

    # --- the pet's picture ----------------------------------------------------------------------

    def _load_picture_later(self) -> None:
        if self.there:
            threading.Thread(target=self._load_picture, name="tray-picture", daemon=True).start()

    def _load_picture(self) -> None:
        """Load the picture of the current skin if it changed."""
        with self._loading:
            sheet = self._core.sheet(self._stamp)
            if sheet is None or sheet.stamp == self._stamp:
                return
            self._stamp = sheet.stamp
            self._picture = None if sheet.skin == _PROGRAM else self._still(sheet.skin)
        self._platform.post(self.refresh)

    def _still(self, skin: str) -> bytes | None:
        still = self._core.still(skin, pixels=True)
        try:
            return base64.b64decode(still.image.partition(",")[2], validate=True) or None if still else None
        except binascii.Error:
            return None

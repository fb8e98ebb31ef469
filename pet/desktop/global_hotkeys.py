"""Registration of the global hotkeys that the settings name.

There is no notification when another program releases a key: registration is retried only when the settings change or
on request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pet.desktop.platform import Action, Hotkey
from pet.i18n import Texts
from pet.services.desktop_port import Shortcuts
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.desktop.qt_desktop import QtDesktop


class GlobalHotkeys(Shortcuts):
    """Registers hotkeys. ``apply`` and ``set`` on the GUI thread."""

    def __init__(self, platform: QtDesktop, changed: Callable[[], None]) -> None:
        self._platform = platform
        self._changed = changed
        self._hotkeys: Sequence[Hotkey] = ()

    def apply(self, settings: Settings, texts: Texts, acts: Mapping[str, Action]) -> None:
        """Register exactly the hotkeys of the settings. ``acts``: what each does, by its name."""
        self.set(
            [
                Hotkey(
                    keys=getattr(settings, f"shortcut_{name}"),
                    name=name,
                    label=texts(f"settings.about.shortcut_{name}"),
                    act=act,
                )
                for name, act in acts.items()
            ]
        )

    def set(self, hotkeys: Sequence[Hotkey]) -> None:
        """Register exactly these, unless they are registered already."""
        wanted = [hotkey for hotkey in hotkeys if hotkey.keys]
        if [(each.keys, each.name) for each in wanted] == [(each.keys, each.name) for each in self._hotkeys]:
            return  # another setting changed: refused keys are retried only on request
        self._hotkeys = wanted
        self._register()

    def retry(self) -> None:
        self._platform.post(self._register)

    def _register(self) -> None:
        self._platform.register_hotkeys(self._hotkeys, self._on_refused)

    def _on_refused(self, refused: frozenset[str]) -> None:
        taken = tuple(each.keys for each in self._hotkeys if each.keys in refused)
        if taken != self.taken:
            self.taken = taken
            self._changed()

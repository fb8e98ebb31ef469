"""Registration of the global hotkeys that the settings name.

There is no notification when another program releases a key: registration is retried only when the settings change or
on request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pet.desktop.platform import Hotkey
from pet.i18n import Texts
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.desktop.qt_desktop import QtDesktop


class GlobalHotkeys:
    """Registers hotkeys. ``apply``, ``set`` and ``retry`` on the GUI thread, ``taken`` from any."""

    def __init__(self, platform: QtDesktop, changed: Callable[[], None]) -> None:
        self._platform = platform
        self._changed = changed
        self._hotkeys: Sequence[Hotkey] = ()
        self.taken: tuple[str, ...] = ()

    def apply(
        self,
        settings: Settings,
        texts: Texts,
        toggle_chat: Callable[[], None],
        toggle_pet: Callable[[], None],
        say: Callable[[], None],
        ask: Callable[[], None],
        take_screenshot: Callable[[], None],
    ) -> None:
        """Register exactly the hotkeys of the settings. ``toggle_pet`` is called on the GUI thread."""
        post = self._platform.post
        shortcuts = (
            ("chat", settings.shortcut_chat, toggle_chat),
            ("pet", settings.shortcut_pet, lambda: post(toggle_pet)),
            ("say", settings.shortcut_say, say),
            ("ask", settings.shortcut_ask, ask),
            ("screenshot", settings.shortcut_screenshot, take_screenshot),
        )
        labels = {name: texts(f"settings.about.shortcut_{name}") for name, *_ in shortcuts}
        self.set([Hotkey(keys=keys, name=name, label=labels[name], act=act) for name, keys, act in shortcuts])

    def set(self, hotkeys: Sequence[Hotkey]) -> None:
        """Register exactly these, unless they are registered already."""
        wanted = [hotkey for hotkey in hotkeys if hotkey.keys]
        if [(each.keys, each.name) for each in wanted] == [(each.keys, each.name) for each in self._hotkeys]:
            return  # another setting changed: refused keys are retried only on request
        self._hotkeys = wanted
        self.retry()

    def retry(self) -> None:
        self._platform.register_hotkeys(self._hotkeys, self._on_refused)

    def _on_refused(self, refused: frozenset[str]) -> None:
        taken = tuple(each.keys for each in self._hotkeys if each.keys in refused)
        if taken != self.taken:
            self.taken = taken
            self._changed()

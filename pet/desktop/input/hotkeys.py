"""Global hotkeys: register them and report which ones the system refused.

Keeps the last result. Does not retry by itself, since there is no notification when another program releases a key:
registration is retried when the settings change or the owner asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pet.desktop.hotkey import Hotkey
from pet.desktop.platforms.base import Platform


class GlobalHotkeys:
    """``want`` and ``again`` on the GUI thread, ``taken`` from any."""

    def __init__(self, platform: Platform, changed: Callable[[], None]) -> None:
        self._platform = platform
        self._changed = changed
        self._hotkeys: Sequence[Hotkey] = ()
        self.taken: tuple[str, ...] = ()

    def set(self, hotkeys: Sequence[Hotkey]) -> None:
        """Register exactly these."""
        wanted = [hotkey for hotkey in hotkeys if hotkey.keys]
        if [(each.keys, each.name) for each in wanted] == [(each.keys, each.name) for each in self._hotkeys]:
            return  # another setting changed: refused keys are retried only on request
        self._hotkeys = wanted
        self.retry()

    def retry(self) -> None:
        self._platform.register_hotkeys(self._hotkeys, self._heard)

    def _heard(self, refused: frozenset[str]) -> None:
        taken = tuple(each.keys for each in self._hotkeys if each.keys in refused)
        if taken != self.taken:
            self.taken = taken
            self._changed()

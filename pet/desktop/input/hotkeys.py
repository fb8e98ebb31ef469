"""Global hotkeys: register them and report which ones the system refused.

Keeps the last result. Does not retry by itself, since there is no notification when another program releases a key:
registration is retried when the settings change or the owner asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pet.desktop.platforms.base import Platform

Acts = Mapping[str, Callable[[], None]]


class GlobalHotkeys:
    """``want`` and ``again`` on the GUI thread, ``taken`` from any."""

    def __init__(self, platform: Platform, changed: Callable[[], None]) -> None:
        self._platform = platform
        self._changed = changed
        self._acts: Acts = {}
        self.taken: tuple[str, ...] = ()

    def set(self, acts: Acts) -> None:
        """Register exactly these keys, in the settings' notation; "" is none."""
        wanted = {keys: act for keys, act in acts.items() if keys}
        if wanted.keys() == self._acts.keys():
            return  # another setting changed: refused keys are retried only on request
        self._acts = wanted
        self.retry()

    def retry(self) -> None:
        self._platform.register_hotkeys(self._acts, self._heard)

    def _heard(self, refused: frozenset[str]) -> None:
        taken = tuple(keys for keys in self._acts if keys in refused)
        if taken != self.taken:
            self.taken = taken
            self._changed()

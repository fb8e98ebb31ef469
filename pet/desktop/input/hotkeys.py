"""The owner's keys for everywhere: what they do, and which of them the system refused.

Owns the last answer of the system. Refuses to ask again by itself: nothing tells when another program lets go of a
key, so it is tried when the wishes change and when the owner says so.
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
        """These and no others, as the settings write them; "" is none."""
        wanted = {keys: act for keys, act in acts.items() if keys}
        if wanted.keys() == self._acts.keys():
            return  # another setting changed: what was refused stays refused until somebody asks
        self._acts = wanted
        self.retry()

    def retry(self) -> None:
        self._platform.register_hotkeys(self._acts, self._heard)

    def _heard(self, refused: frozenset[str]) -> None:
        taken = tuple(keys for keys in self._acts if keys in refused)
        if taken != self.taken:
            self.taken = taken
            self._changed()

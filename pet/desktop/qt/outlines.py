"""Cut windows to their painted outline while no compositor runs: transparent pixels would be black."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pet.desktop.click_region import click_outline
from pet.desktop.geometry import Rect

if TYPE_CHECKING:
    from pet.desktop.x11.server import XServer

_NOTHING = (Rect(0, 0, 1, 1),)


class Outlines:
    """Outlines by native handle, in device pixels. ``server`` is called on first use."""

    def __init__(self, server: Callable[[], XServer], *, blends: bool) -> None:
        self._server = server
        self.blends = blends
        self._outlines: dict[int, Sequence[Rect] | None] = {}  # clickable
        self._painted: dict[int, Sequence[Rect]] = {}  # painted

    def begin(self, handle: int) -> None:
        """Hide the window until its outline is known."""
        if not self.blends:
            self._server().set_bounding_shape(handle, _NOTHING)

    def painted(self, handle: int, alpha: Sequence[bytes]) -> None:
        self._painted[handle] = click_outline(alpha, grow=1)

    def set(self, handle: int, outline: Sequence[Rect] | None) -> None:
        self._outlines[handle] = outline
        self._cut(handle)

    def compositor_changed(self, there: bool) -> None:
        self.blends = there
        for handle in self._outlines:
            self._cut(handle)

    def _cut(self, handle: int) -> None:
        body = self._painted.get(handle, self._outlines[handle])
        self._server().set_bounding_shape(handle, None if self.blends else body)

"""Base class of the Windows and macOS platforms: timers, and defaults for unsupported features."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pet.desktop.geometry import Rect
from pet.desktop.platform import Hotkey, MoveSettle
from pet.services.desktop_port import Area

# ruff: noqa: ARG002  (signatures given by the interface)


class UnprovenDesktop(ABC):
    """Base of platforms without click-through: there the window is only as large as the pet."""

    def __init__(self) -> None:
        self._reacts_to_wake = False
        self._woken: Callable[[], None] | None = None
        self._ending: Callable[[], None] | None = None

    def on_abilities_changed(self, react: Callable[[], None]) -> None:
        return  # none comes or goes

    @abstractmethod
    def post(self, work: Callable[[], object]) -> None: ...

    @abstractmethod
    def _watch_wake(self) -> None:
        """Call ``_woke`` after each sleep and unlock, for as long as the program runs."""

    def after(self, milliseconds: int, work: Callable[[], object]) -> None:
        timer = threading.Timer(milliseconds / 1000, lambda: self.post(work))
        timer.daemon = True
        timer.start()

    def on_moved(self, window: Any, react: Callable[[], None]) -> None:
        resting = MoveSettle(self.after, lambda: False, react)
        window.events.moved += lambda *_where: self.post(resting.moved)

    def on_wake(self, react: Callable[[], None] | None) -> None:
        self._woken = react
        if react is not None and not self._reacts_to_wake:
            self._reacts_to_wake = True
            self._watch_wake()

    def _woke(self) -> None:
        if self._woken is not None:
            self.post(self._woken)

    def on_model_dropped(self, react: Callable[[Path], None]) -> None:
        return  # only the page gets drops here, and rejects the file as too large

    def take_dropped(self) -> Path | None:
        return None

    def on_session_end(self, react: Callable[[], None]) -> None:
        self._ending = react

    def _session_ends(self) -> None:
        if self._ending is not None:
            self._ending()

    def prerender(self, window: Any) -> None:
        return

    def capture_alpha(self, window: Any) -> tuple[list[bytes], float] | None:
        return None

    def scale(self, window: Any) -> float:
        return 1.0  # only used for outlines

    def pointer(self) -> tuple[int, int] | None:
        return None

    def set_outline(self, window: Any, rects: Sequence[Rect] | None) -> None:
        return

    def on_fullscreen(self, react: Callable[[frozenset[str]], None] | None) -> None:
        return

    def register_hotkeys(self, hotkeys: Sequence[Hotkey], refused: Callable[[frozenset[str]], None]) -> None:
        return

    def screenshot(self, area: Area, hint: str, taken: Callable[[bytes | None], None]) -> None:
        taken(None)

    def dark(self) -> bool:
        return False  # menus keep the system's look

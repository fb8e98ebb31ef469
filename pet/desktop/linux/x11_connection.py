"""Connections to the X server that know only what they use.

The library loads fifteen extensions and the keyboard's map for each connection: 3 MB, and 10 ms before an answer.
"""

from __future__ import annotations

from Xlib.display import Display


class XConnection(Display):  # type: ignore[misc]
    """``extensions``: by the server's names; ``keyboard``: whether keys are named. Raises DisplayError, OSError."""

    def __init__(self, *extensions: str, keyboard: bool = False) -> None:
        self._wanted = extensions
        self._keyboard = keyboard
        super().__init__()

    def list_extensions(self) -> list[str]:
        return [each for each in super().list_extensions() if each in self._wanted]

    def _update_keymap(self, first_keycode: int, count: int) -> None:
        if self._keyboard:
            super()._update_keymap(first_keycode, count)

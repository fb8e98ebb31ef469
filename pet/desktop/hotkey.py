"""Global hotkeys, which work while another program is in front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotkey:
    keys: str  # in the settings' notation, such as Ctrl+Alt+P; "" disables it
    name: str  # stable when keys and language change
    label: str  # its action, in the owner's language
    act: Callable[[], None]  # on any thread

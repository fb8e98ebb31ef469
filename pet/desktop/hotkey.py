"""A global hotkey: keys that work while another program is in front."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotkey:
    keys: str  # in the settings' notation, such as Ctrl+Alt+P; "" is none
    name: str  # stays the same when keys and language change
    label: str  # what it does, in the owner's language
    act: Callable[[], None]  # on any thread

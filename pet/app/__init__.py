"""Builds the object graph of one pet by hand; used by shell, terminal and tests alike.

Owns the wiring and nothing else. Windows and, in tests, clock and provider are passed in.
"""

from pet.app.core import App
from pet.app.pet_selection import choose_pet, fix_choice
from pet.app.wiring import Channel, compose

__all__ = ["App", "Channel", "choose_pet", "compose", "fix_choice"]

"""Composition root: one pet and its parts, for the desktop, the terminal and tests.

pet = Pet(home, channel="terminal")
try:
    live = pet.conversations.create(memory=True)
finally:
    pet.close()
"""

from pet.app.pet import Channel, Pet

__all__ = ["Channel", "Pet"]

"""Composition root: the object graph of one pet, for the desktop, the terminal and tests.

app = compose(home, channel="terminal")
try:
    live = app.conversations.create(memory=True)
finally:
    app.close()
"""

from pet.app.core import App
from pet.app.wiring import Channel, compose

__all__ = ["App", "Channel", "compose"]

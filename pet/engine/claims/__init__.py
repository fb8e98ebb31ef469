"""What a reply says it did for the memory, and what a message asks of it (PRODUCT §3.5, §4.6); pure.

``find_claim`` tells the engine to look whether something really was written. Refuses to understand: rules over
sentences, no model, in time that grows with the length of the text and no faster.
"""

from __future__ import annotations

import re

__all__ = ["asks_to_remember", "find_claim"]

_CLAIM = re.compile(r"i(?:'ve| have) (?:noted|saved)|saved!|记住了|记下|i(?:'ll| will) remember", re.IGNORECASE)
_ASK = re.compile(r"^(?:please )?remember that|记住|记一下", re.IGNORECASE)


def find_claim(reply: str) -> str | None:
    """The first sentence of a reply that says something was, or will be, remembered; None: there is none."""
    for sentence in re.split(r"(?<=[.!?。！？])|\n", reply):
        if _CLAIM.search(sentence):
            return sentence.strip()
    return None


def asks_to_remember(message: str) -> bool:
    """Whether the owner wants something kept."""
    return bool(_ASK.search(message.strip()))

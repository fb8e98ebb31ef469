"""Reasoning of earlier rounds: to whom it goes back, and what a server's refusal says about it. Pure.

Kimi's and DeepSeek's thinking models refuse a request in which an assistant message with tool calls lacks its
reasoning, in all later turns too; others refuse the field. What a server refused is kept for it and its model.
"""

from __future__ import annotations

import re
from typing import Literal

from pet.model import OpaquePart

Returned = Literal["as_sent", "empty", "blank", "none"]
"""``empty``, ``blank``: an assistant message without reasoning gets an empty text, or a space, in its place.
``none``: the server takes no reasoning back."""

_MISSING = re.compile(
    r"reasoning_content is missing|(?:reasoning_content|\[\]\.thinking)\W.{0,40}must be passed back", re.I | re.S
)
_UNWANTED = re.compile(
    r"reasoning_content|reasoning_details|`?signature`?.{0,20}`?thinking|thinking\.signature"
    r"|invalid_encrypted_content|encrypted content .{0,40}could not be|of type 'reasoning' was provided"
    r"|'rs_\w+' not found|item with id 'rs_",
    re.I,
)
_BOUND = re.compile(r"claude", re.I)
"""Models whose signed thinking is valid only for the prompt that it was made with, and that do without it later."""


def goes_back(part: OpaquePart, server: str, model: str) -> bool:
    """Whether reasoning of an earlier turn is sent to this model: only if it is its own."""
    return (part.server, part.model) == (server, model) and bool(server) and not _BOUND.search(model)


def after_refusal(returned: Returned, message: str) -> Returned | None:
    """Return what to send once more after a refusal with this message; None if it isn't about reasoning."""
    if returned == "none":
        return None
    if _MISSING.search(message):
        return {"as_sent": "empty", "empty": "blank", "blank": None}[returned]
    return "none" if _UNWANTED.search(message) else None


def filler(returned: Returned) -> str | None:
    """Return the text in place of reasoning that isn't there; None: the field is left out."""
    return {"as_sent": None, "empty": "", "blank": " ", "none": None}[returned]

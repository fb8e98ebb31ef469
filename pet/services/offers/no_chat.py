"""What the pet says where its chat can't open: the web view is missing or doesn't start."""

from __future__ import annotations

from dataclasses import replace

from pet.services.offers.offer import Answer, BubbleLine, Desk
from pet.services.offers.replies import FAILED

NO_CHAT = replace(FAILED, kind="no_chat", held="never")  # the owner asked for the chat


def no_chat_line(desk: Desk, reason: str) -> BubbleLine:
    """Return what is wrong, and where one can talk meanwhile: beside the pet and in the terminal."""
    return BubbleLine(
        offer=NO_CHAT,
        words=lambda texts: texts("bubble.no_chat", reason=reason),
        answers=(Answer(id="field", text="bubble.say", style="main", act=desk.open_field, keeps=True),),
    )

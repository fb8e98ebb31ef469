"""The speech bubble's page, and the poke that may bring it up."""

from __future__ import annotations

from pet.bridge.command import Client, command
from pet.services.bubble.speech import BubblePlace, BubbleView
from pet.services.bubble.speech_bubble import SpeechBubble


class BubbleCommands:
    def __init__(self, bubble: SpeechBubble) -> None:
        self._bubble = bubble

    @command(Client.BUBBLE)
    def get_bubble(self) -> BubbleView:
        """What the speech bubble says now."""
        return self._bubble.view()

    @command(Client.BUBBLE)
    def size_bubble(self, width: int, height: int, reading: bool = False) -> BubblePlace:
        """It is drawn and needs this room: show it.

        What the bubble needs, with the room for its shadow. ``reading``: the owner opened it to read on, and its
        keys are wanted; it may be less high than that.
        """
        return self._bubble.place(width, height, reading=reading)

    @command(Client.BUBBLE)
    def close_bubble(self, number: int | None = None) -> None:
        """Read, or closed.

        ``number``: of what was shown there, as with the other answers; what came since is not meant.
        """
        self._bubble.dismiss(number)

    @command(Client.BUBBLE)
    def open_bubble(self, number: int | None = None) -> None:
        """Go on in the chat, where it was said."""
        self._bubble.continue_in_chat(number)

    @command(Client.BUBBLE)
    def say_in_bubble(self, text: str, number: int | None = None) -> None:
        """Answer the reply that it shows, in its conversation, with a short one chosen in the bubble."""
        self._bubble.answer(text, number)

    @command(Client.BUBBLE)
    def leave_alone(self, number: int | None = None) -> None:
        """Don't ask about this any more."""
        self._bubble.leave_alone(number)

    @command(Client.PET)
    def touched(self) -> None:
        """The owner poked the pet, or set it down."""
        self._bubble.owner_came()

"""Commands of the speech bubble's page, and the poke that may show it."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.services.bubble.speech import BubblePlace, BubbleView
from pet.services.bubble.speech_bubble import SpeechBubble


@dataclass(frozen=True, slots=True)
class BubbleCommands:
    """``number``: of the text that the owner saw; a newer one is left alone. None: of any."""

    bubble: SpeechBubble

    @command(Client.BUBBLE)
    def get_bubble(self) -> BubbleView:
        """Return the current speech bubble."""
        return self.bubble.view()

    @command(Client.BUBBLE)
    def size_bubble(self, width: int, height: int, reading: bool = False) -> BubblePlace:
        """Show the drawn bubble at this size, in pixels with its shadow.

        ``reading``: the owner opened the whole text, so the window takes the focus, and may be lower than ``height``.
        """
        return self.bubble.place(width, height, reading=reading)

    @command(Client.BUBBLE)
    def close_bubble(self, number: int | None = None) -> None:
        """Close the bubble: the owner has read or dismissed it."""
        self.bubble.dismiss(number)

    @command(Client.BUBBLE)
    def open_bubble(self, number: int | None = None) -> None:
        """Continue in the chat, in the bubble's conversation."""
        self.bubble.continue_in_chat(number)

    @command(Client.BUBBLE)
    def say_in_bubble(self, text: str, number: int | None = None) -> None:
        """Send a short answer to the shown reply, in its conversation."""
        self.bubble.answer(text, number)

    @command(Client.BUBBLE)
    def leave_alone(self, number: int | None = None) -> None:
        """Never ask about this again."""
        self.bubble.leave_alone(number)

    @command(Client.PET)
    def touched(self) -> None:
        """Report that the owner poked the pet or put it down."""
        self.bubble.owner_came()

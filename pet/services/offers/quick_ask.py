"""Questions about a text that is selected in another program: each in a separate temporary conversation."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.errors import PetError

if TYPE_CHECKING:
    from pet.app.pet import Pet

LONGEST_QUOTE = 20_000
"""Characters of a text that a question goes with."""


def quoted_text(text: str, *, cut: bool) -> tuple[str, bool]:
    """Return a text of another program as it is quoted, bounded, and whether it has more."""
    quote = text.replace("\0", "").strip()
    return quote[:LONGEST_QUOTE], cut or len(quote) > LONGEST_QUOTE


@dataclass(slots=True)
class QuickAsk:
    """``conversation``: of the last question, until it ends or goes on in the chat. ``awaited``: the conversation
    whose next reply belongs beside the pet, where it is shown whatever else holds bubbles back."""

    pet: Pet
    conversation: str | None = None
    awaited: str | None = None

    def suggestions(self) -> list[str]:
        """Return what may be asked with one click: the owner's, or the shipped ones."""
        return (self.pet.effective.current().ask_suggestions or self.pet.texts()("bubble.suggestions")).splitlines()

    def begin(self) -> str:
        """Create the conversation of a question, in place of the last one, and return its id."""
        self.drop()
        reads = self.pet.effective.current().ask_memory == "read"
        self.conversation = self.pet.conversations.create(memory=False, temporary=True, reads=reads).id
        return self.conversation

    def send(self, conversation: str, text: str, quote: str = "", files: Sequence[str] = ()) -> None:
        """Send the owner's words; with ``quote`` beside them, marked as a file is, and attachments. Raises
        TurnRunning, or AttachmentRefused for the text of a memory file while memory is off.
        """
        live = self.pet.conversations.open(conversation)
        sent = [self.pet.attachments.describe(each) for each in files]
        if quote:
            data = quote.encode("utf-8", "replace")
            sent.insert(0, self.pet.attachments.add(self.pet.texts()("bubble.quote_name"), data, temporary=live.id))
        live.send(text, tuple(sent))

    def drop(self) -> None:
        """Delete the conversation, unless it went on in the chat."""
        ended, self.conversation = self.conversation, None
        if ended is not None:
            with suppress(PetError):  # a reply that still runs: it was never on disk, and ends with the program
                self.pet.conversations.delete(ended)

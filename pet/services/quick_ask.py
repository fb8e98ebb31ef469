"""Questions about a text that is selected in another program: each in a separate temporary conversation."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from pet.engine.conversations import Conversations
from pet.errors import PetError
from pet.i18n import Texts
from pet.services.bubble_text import Speech
from pet.settings.schema import Settings
from pet.workspace.attachments import Attachments

LONGEST_QUOTE = 20_000
"""Characters of a text that a question goes with."""

QUOTE_SHOWN = 400


def quoting_field(text: str, *, cut: bool) -> Speech | None:
    """Return the field with this text quoted above it, bounded; None without a text."""
    quote = text.replace("\0", "").strip()
    more = cut or len(quote) > LONGEST_QUOTE
    return Speech(kind="field", text=quote[:LONGEST_QUOTE], more=more) if quote else None


@dataclass(slots=True, kw_only=True)
class QuickAsk:
    """``conversation``: of the last question, until it ends or goes on in the chat."""

    conversations: Conversations
    attachments: Attachments
    settings: Callable[[], Settings]
    texts: Callable[[], Texts]
    conversation: str | None = None

    def suggestions(self) -> list[str]:
        """Return what may be asked with one click: the owner's, or the shipped ones."""
        return (self.settings().ask_suggestions or self.texts()("bubble.suggestions")).splitlines()

    def begin(self) -> str:
        """Create the conversation of a question, in place of the last one, and return its id."""
        self.drop()
        reads = self.settings().ask_memory == "read"
        self.conversation = self.conversations.create(memory=False, temporary=True, reads=reads).id
        return self.conversation

    def send(self, conversation: str, text: str, quote: str = "") -> None:
        """Send the owner's words; with ``quote`` beside them, marked as a file is. Raises TurnRunning, or
        AttachmentRefused for the text of a memory file while memory is off.
        """
        live = self.conversations.open(conversation)
        if not quote:
            live.send(text)
            return
        data = quote.encode("utf-8", "replace")
        live.send(text, (self.attachments.add(self.texts()("bubble.quote_name"), data, temporary=live.id),))

    def drop(self) -> None:
        """Delete the conversation, unless it went on in the chat."""
        ended, self.conversation = self.conversation, None
        if ended is not None:
            with suppress(PetError):  # a reply that still runs: it was never on disk, and ends with the program
                self.conversations.delete(ended)

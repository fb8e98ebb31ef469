"""Questions about a text that is selected in another program: each in a separate temporary conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pet.engine.conversations import Conversations
from pet.errors import PetError
from pet.i18n import Texts
from pet.settings.schema import Settings
from pet.workspace.attachments import Attachments

LONGEST_QUOTE = 20_000
"""Characters of a text that a question goes with."""


def quoted_text(text: str, *, cut: bool) -> tuple[str, bool]:
    """Return a text of another program as it is quoted, bounded, and whether it has more."""
    quote = text.replace("\0", "").strip()
    return quote[:LONGEST_QUOTE], cut or len(quote) > LONGEST_QUOTE


@dataclass(slots=True, kw_only=True)
class QuickAsk:
    """``conversation``: of the last question, until it ends or goes on in the chat. ``awaited``: the conversation
    whose next reply belongs beside the pet, where it is shown whatever else holds bubbles back."""

    conversations: Conversations
    attachments: Attachments
    settings: Callable[[], Settings]
    texts: Callable[[], Texts]
    conversation: str | None = None
    awaited: str | None = None

    def suggestions(self) -> list[str]:
        """Return what may be asked with one click: the owner's, or the shipped ones."""
        return (self.settings().ask_suggestions or self.texts()("bubble.suggestions")).splitlines()

    def begin(self) -> str:
        """Create the conversation of a question, in place of the last one, and return its id."""
        self.drop()
        reads = self.settings().ask_memory == "read"
        self.conversation = self.conversations.create(memory=False, temporary=True, reads=reads).id
        return self.conversation

    def send(self, conversation: str, text: str, quote: str = "", files: Sequence[str] = ()) -> None:
        """Send the owner's words; with ``quote`` beside them, marked as a file is, and attachments. Raises
        TurnRunning, or AttachmentRefused for the text of a memory file while memory is off.
        """
        live = self.conversations.open(conversation)
        sent = [self.attachments.describe(each) for each in files]
        if quote:
            data = quote.encode("utf-8", "replace")
            sent.insert(0, self.attachments.add(self.texts()("bubble.quote_name"), data, temporary=live.id))
        live.send(text, tuple(sent))

    def drop(self) -> None:
        """Delete the conversation, unless it went on in the chat."""
        ended, self.conversation = self.conversation, None
        if ended is not None:
            with suppress(PetError):  # a reply that still runs: it was never on disk, and ends with the program
                self.conversations.delete(ended)

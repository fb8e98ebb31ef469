"""The owner's history search and conversation export.

Not indexed, and not part of any request: results go to the owner's window only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pet.bridge.command import Client, command
from pet.engine.conversation.conversations import Conversations
from pet.errors import BadArguments
from pet.i18n import Texts
from pet.services.file_transfer import SavedFile, save_to_downloads
from pet.transcripts.conversation.export import ExportFormat, exported
from pet.transcripts.search import HistoryHit, search_transcripts
from pet.transcripts.store import TranscriptStore


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryHits:
    """The conversation that was written to last comes first. ``more``: there are others."""

    hits: list[HistoryHit]
    more: bool


_MOST = 500


@dataclass(frozen=True, slots=True)
class HistoryCommands:
    transcripts: TranscriptStore
    conversations: Conversations
    texts: Callable[[], Texts]
    pet_name: Callable[[], str]
    downloads: Callable[[], Path]

    @command(Client.CHAT)
    def search_history(self, query: str, count: int = 50) -> HistoryHits:
        """The owner's search through all that was said.

        ``count``: hits at most.
        """
        if not 1 <= count <= _MOST:
            raise BadArguments(where="count", why="value")
        found = search_transcripts(self.transcripts.files(), query, count + 1)
        return HistoryHits(hits=found[:count], more=len(found) > count)

    @command(Client.CHAT)
    def export_conversation(self, conversation: str, format: ExportFormat) -> SavedFile:  # noqa: A002  as on the wire
        """Put a conversation into the downloads folder."""
        folded = self.conversations.open(conversation).folded()
        name, data = exported(folded, format, self.texts(), self.pet_name())
        return SavedFile(path=str(save_to_downloads(self.downloads(), name, data)))

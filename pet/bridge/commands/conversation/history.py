"""Search in the owner's conversations, and their export.

The search uses no index and is part of no request: its results go to the owner's window only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pet.bridge.command import Client, command
from pet.engine.conversations import Conversations
from pet.errors import BadArguments
from pet.i18n import Texts
from pet.services.file_transfer import SavedFile, save_to_downloads
from pet.transcripts.conversation.export import ExportFormat, exported
from pet.transcripts.search import HistoryHit, search_transcripts
from pet.transcripts.store import TranscriptStore


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryHits:
    """Hits, from the conversation written to last. ``more``: there are more than these."""

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
        """Search all saved conversations.

        ``count``: the maximum of hits.
        """
        if not 1 <= count <= _MOST:
            raise BadArguments(where="count", why="value")
        hits = search_transcripts(self.transcripts.files(), query, count + 1)
        return HistoryHits(hits=hits[:count], more=len(hits) > count)

    @command(Client.CHAT)
    def export_conversation(self, conversation: str, format: ExportFormat) -> SavedFile:  # noqa: A002  as on the wire
        """Save a conversation in the downloads folder. Raises WriteFailed."""
        folded = self.conversations.open(conversation).folded()
        name, data = exported(folded, format, self.texts(), self.pet_name())
        return SavedFile(path=str(save_to_downloads(self.downloads(), name, data)))

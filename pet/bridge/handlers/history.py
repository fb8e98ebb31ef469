"""Handlers for the owner's history search and conversation export.

Not indexed, and not part of any request: results go to the owner's window only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from pet.bridge.api import (
    ExportArgs,
    HistoryHit,
    HistoryHits,
    HistorySearchArgs,
    SavedFile,
    SnippetPiece,
)
from pet.engine.conversation.conversations import Conversations
from pet.errors import BadArguments
from pet.i18n import Texts
from pet.services.file_transfer import save_to_downloads
from pet.transcripts.export import file_stem, to_json, to_markdown
from pet.transcripts.fold import Conversation
from pet.transcripts.search import FoundText, search_transcripts
from pet.transcripts.store import TranscriptStore

Format = Literal["markdown", "json"]
_MOST = 500
_ENDINGS: dict[Format, str] = {"markdown": "md", "json": "json"}


def exported(conversation: Conversation, kind: Format, texts: Texts, pet_name: str) -> tuple[str, bytes]:
    """Return the conversation as a file: name and bytes."""
    text = to_json(conversation) if kind == "json" else to_markdown(conversation, texts, pet_name)
    return f"{file_stem(conversation.title)}.{_ENDINGS[kind]}", text.encode("utf-8", "replace")


class HistoryCommands:
    """Every public method is the handler of the row of its name."""

    def __init__(
        self,
        transcripts: TranscriptStore,
        conversations: Conversations,
        texts: Callable[[], Texts],
        pet_name: Callable[[], str],
        downloads: Callable[[], Path],
    ) -> None:
        self._transcripts = transcripts
        self._conversations = conversations
        self._texts = texts
        self._pet_name = pet_name
        self._downloads = downloads

    def search_history(self, args: HistorySearchArgs) -> HistoryHits:
        if not 1 <= args.count <= _MOST:
            raise BadArguments(where="count", why="value")
        found = search_transcripts(self._transcripts.files(), args.query, args.count + 1)
        return HistoryHits(hits=[_hit(each) for each in found[: args.count]], more=len(found) > args.count)

    def export_conversation(self, args: ExportArgs) -> SavedFile:
        conversation = self._conversations.open(args.conversation).folded()
        name, data = exported(conversation, args.format, self._texts(), self._pet_name())
        return SavedFile(path=str(save_to_downloads(self._downloads(), name, data)))


def _hit(found: FoundText) -> HistoryHit:
    return HistoryHit(
        conversation=found.conversation,
        title=found.title,
        turn=found.turn,
        at=found.at,
        who=found.who,
        snippet=list(_pieces(found)),
    )


def _pieces(found: FoundText) -> Iterator[SnippetPiece]:
    """Split the snippet at its marks: JavaScript counts UTF-16 units, not code points."""
    at = 0
    for start, end in found.marks:
        if start > at:
            yield SnippetPiece(text=found.snippet[at:start], found=False)
        yield SnippetPiece(text=found.snippet[start:end], found=True)
        at = end
    if at < len(found.snippet):
        yield SnippetPiece(text=found.snippet[at:], found=False)

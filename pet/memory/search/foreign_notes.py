"""Foreign parts of found entries: notes of other agents, and what was said beside something foreign."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.errors import PetError, UnknownConversation
from pet.memory.store.daily_log import agent_of, read_log
from pet.model import ForeignSource, UsedMemory
from pet.transcripts.conversation import Conversation
from pet.transcripts.foreign import own_words, source, union
from pet.workspace.file_names import LOG_FOLDER, conversation_of, is_transcript

if TYPE_CHECKING:
    from pet.memory.search.recall_selection import Hit


def in_note(path: str, text: str, first: int = 1, last: int | None = None) -> tuple[ForeignSource, ...]:
    """Return the agents whose notes are among these lines of a file below ``memory``."""
    if not path.startswith(f"{LOG_FOLDER}/"):
        return ()
    entries = read_log(text)
    names = (agent_of(each.text) for each in entries if each.end_line >= first and each.start_line <= (last or 10**9))
    return union(source("agent", name) for name in names if name)


def in_talk(talk: Conversation, turn: str | None = None, text: str = "") -> tuple[ForeignSource, ...]:
    """Return what of others a text of a conversation may be made of; () for the owner's own words. Without ``turn``,
    of all of it. A turn that is no longer there counts as foreign: the index may be older than the conversation."""
    of = [each for each in talk.turns if turn in (None, each.id)]
    if turn is not None and not of:
        return (source("conversation"),)
    utterance = " ".join(text.strip(" …").partition(": " if ": " in text[:20] else "：")[2].split())
    if utterance and all(utterance in " ".join(own_words(each.text).split()) for each in of):
        of = [each for each in of if any(mark.kind == "import" for mark in each.foreign)]
    return union(*(each.foreign for each in of))


def no_talk(_id: str) -> Conversation:
    """Open no conversation, so that what was said in one counts as foreign."""
    raise UnknownConversation


@dataclass(frozen=True, slots=True)
class FoundSources:
    """``read``: returns a file's text; ``open_talk``: a conversation by its id. Both raise PetError."""

    read: Callable[[str], str]
    open_talk: Callable[[str], Conversation] = no_talk

    def of(self, entries: Iterable[Hit | UsedMemory]) -> tuple[ForeignSource, ...]:
        """Return what of others is in these entries. What can't be read counts as foreign."""
        return union(*map(self._of, entries))

    def of_talk(self, path: str, turn: str | None = None, text: str = "") -> tuple[ForeignSource, ...]:
        """Return what of others is in a conversation, by the path of its transcript; see ``in_talk``."""
        try:
            return in_talk(self.open_talk(conversation_of(path)), turn, text)
        except PetError:
            return (source("conversation"),)

    def _of(self, each: Hit | UsedMemory) -> tuple[ForeignSource, ...]:
        if is_transcript(each.path):
            return self.of_talk(each.path, each.turn, each.snippet)
        if not each.path.startswith(f"{LOG_FOLDER}/"):
            return ()
        try:
            return in_note(each.path, self.read(each.path), each.start_line, each.end_line)
        except PetError:
            return (source("agent"),)

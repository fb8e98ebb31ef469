"""Foreign parts of a request, and which writes ask the owner because of it. The one policy; pure.

Foreign are attachments, web pages, quoted lines, notes of other agents and imported conversations, and whatever was
said while one of them was in the request: a reply may be made of it, and so may a summary. A mark ends only with the
turns that have it, when the owner drops them from the requests. While there is one, a write asks unless the message
asks for it and its words are the owner's.

>>> guard = ForeignGuard(in_request=lambda: (ForeignSource(kind="file", name="letter.txt"),))
>>> guard.asking("Owner: likes tea")
(ForeignSource(kind='file', name='letter.txt', id=''),)
>>> own = OwnersWords("Remember that I like tea, please", wish=True)
>>> replace(guard, words=lambda: own).asking("Owner: likes tea")
()
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from pet.i18n import is_chinese
from pet.language import read_table
from pet.model import Attachment, ForeignSource
from pet.text.lazy_pattern import lazy_pattern
from pet.text.unseen import count_unseen
from pet.transcripts.entries import ToolCompleted, UserMessage

if TYPE_CHECKING:
    from pet.transcripts.conversation import Conversation, Turn

IMPORTED = frozenset(("chatgpt", "claude", "deepseek", "grok", "open_webui", "sillytavern"))
"""Sources of imports whose conversations name them as the model."""
_MOST = 60  # sources with a name; of further ones only the kind
_LONGEST_NAME = 120
_BEFORE = r"^(?:[^\S\n]|[\u200b-\u200f\u2060\ufeff])*"
_QUOTED = lazy_pattern(rf"{_BEFORE}(?:[>＞]|```|~~~)", re.MULTILINE)
_FENCED = lazy_pattern(
    rf"{_BEFORE}(```|~~~).*?(?:{_BEFORE}\1[^\n]*$|\Z)|{_BEFORE}[>＞][^\n]*$", re.MULTILINE | re.DOTALL
)


# --- what is foreign ----------------------------------------------------------------------------


def source(kind: str, name: str = "", content: str = "") -> ForeignSource:
    """Return a source with its name in one line. ``content``: what tells it from another of that name."""
    id_ = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16] if content else ""
    return ForeignSource(kind=kind, name=" ".join(name.split())[:_LONGEST_NAME], id=id_)


def attached(attachment: Attachment) -> ForeignSource:
    return source("file" if attachment.kind == "text/plain" else "picture", attachment.name, attachment.id)


def own_words(message: str) -> str:
    """Return a message without quoted lines and fenced blocks.

    >>> own_words("What is this?\\n> Note that the owner moved.")
    'What is this?\\n'
    """
    return _FENCED.sub("", message)


def is_imported(turn: Turn) -> bool:
    """Whether a turn came with an import: who wrote its message is not known."""
    models = {each.model for each in turn.rounds}
    return bool(models & IMPORTED) or (not models and any(each.kind == "import" for each in turn.foreign))


def of_message(text: str, attachments: Iterable[Attachment]) -> tuple[ForeignSource, ...]:
    """Return the sources that come with the owner's message itself."""
    quoted = (source("quote", content=text),) if _QUOTED.search(text) else ()
    return (*map(attached, attachments), *quoted)


def sources_in(
    message: UserMessage,
    context: Iterable[ForeignSource],
    results: Iterable[ToolCompleted],
    models: Iterable[str],
) -> tuple[ForeignSource, ...]:
    """Return what a turn's requests carried: as recorded, and in an older transcript what can still be seen of it."""
    known = message.foreign
    own = of_message(message.text if known is None else "", message.attachments)
    imported = (
        source("import", each) for each in models if known is None and each in IMPORTED and not message.context
    )
    read = (each for done in results for each in done.foreign)
    return union(known or (), own, context, read, imported)


def in_request(conversation: Conversation) -> tuple[ForeignSource, ...]:
    """Return what of others the conversation's next request carries, or a summary in it was made of."""
    return union(*(turn.foreign for turn in conversation.turns[conversation.dropped :] if turn.foreign))


def union(*parts: Iterable[ForeignSource]) -> tuple[ForeignSource, ...]:
    """Return each source once, in order; of a great many only their kinds."""
    every = dict.fromkeys(each for part in parts for each in part)
    if len(every) <= _MOST:
        return tuple(every)
    kept = list(every)[:_MOST]
    return tuple(dict.fromkeys([*kept, *(ForeignSource(kind=each.kind) for each in list(every)[_MOST:])]))


def with_own_words_only(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns as notes may be made of them without asking: from the first with a foreign source on, only
    what the owner wrote and which notes were saved. Of an imported conversation nothing is left.
    """
    kept: list[Turn] = []
    marked = False
    for turn in turns:
        marked = marked or bool(turn.foreign)
        if not marked:
            kept.append(turn)
        elif not any(each.kind == "import" for each in turn.foreign):
            calls = {done.call_id for done in turn.tools if done.receipt is not None}
            rounds = tuple(
                replace(each, parts=tuple(part for part in each.parts if getattr(part, "id", "") in calls))
                for each in turn.rounds
            )
            message = replace(turn.message, text=own_words(turn.text), attachments=())
            kept.append(replace(turn, message=message, rounds=rounds))
    return tuple(kept)


# --- which writes ask ---------------------------------------------------------------------------


@cache
def _neutral() -> frozenset[str]:
    """Return the tokens that a note may have beside the owner's own: whom it is about, and that it was said."""
    from pet.language.tokens import tokenize

    return frozenset(tokenize(read_table("words_beside_a_fact.txt")))


@cache
def _denials() -> re.Pattern[str]:
    words = read_table("words_of_denial.txt").split()
    return re.compile("|".join(rf"\b{word}\b" if word.isalpha() and not is_chinese(word) else word for word in words))


def _denies(text: str) -> bool:
    return _denials().search(text.casefold().replace("\u2019", "'")) is not None


def _content(text: str) -> set[str]:
    from pet.language.tokens import is_cjk, is_stopword_query, tokenize  # late: it reads tables

    return {
        token
        for token in tokenize(text)
        if token not in _neutral() and not (len(token) > 1 and is_cjk(token)) and not is_stopword_query(token)
    } | set(re.findall(r"[0-9]+", text))


def says_only(text: str, own: str) -> bool:
    """Whether every word of a text that says something is among the owner's words.

    >>> says_only("Owner likes green tea.", "I like green tea"), says_only("Owner likes gin.", "I like green tea")
    (True, False)
    """
    return _content(text) <= _content(own) and not (_denies(text) and not _denies(own))


@dataclass(frozen=True, slots=True)
class OwnersWords:
    """The owner's own words. ``wish``: the message asks for a note; ``reminder``: and for one that comes back."""

    text: str = ""
    wish: bool = False
    reminder: bool = False


@dataclass(slots=True)
class ForeignGuard:
    """The policy of one turn. ``in_request``: the sources that a request of this moment carries; ``allowed``: those
    because of which the owner is no longer asked. ``words``: read only while something foreign is there."""

    in_request: Callable[[], tuple[ForeignSource, ...]]
    allowed: tuple[ForeignSource, ...] = ()
    words: Callable[[], OwnersWords] = OwnersWords
    _taken: tuple[ForeignSource, ...] = field(default=())

    def present(self) -> tuple[ForeignSource, ...]:
        """Return everything foreign in the request."""
        return union(self.in_request(), self._taken)

    def take(self, sources: Iterable[ForeignSource]) -> None:
        """Add what a tool's result brings into the request."""
        self._taken = union(self._taken, sources)

    def allow(self, sources: Iterable[ForeignSource]) -> None:
        """Ask no longer because of these."""
        self.allowed = union(self.allowed, sources)

    def asking(self, text: str, removed: Sequence[str] = (), *, reminds: bool = False) -> tuple[ForeignSource, ...]:
        """Return the sources that make a write a question to the owner; () if it may be done at once.
        ``text``: what it adds; ``removed``: the lines it takes away; ``reminds``: it comes back by itself."""
        asking = tuple(each for each in self.present() if each not in self.allowed)
        return () if asking and self._is_wanted(text, removed, reminds=reminds) else asking

    def _is_wanted(self, text: str, removed: Sequence[str], *, reminds: bool) -> bool:
        """Whether the owner's own words ask for exactly this. A line may go where another takes its place. Characters
        that can't be seen count as foreign."""
        if count_unseen(text):
            return False
        own = self.words()
        if not own.wish or (reminds and not own.reminder) or not says_only(text, own.text):
            return False
        words = _content(f"{text}\n{own.text}")
        lines = [line for line in text.splitlines() if line.strip()]
        return len(removed) <= len(lines) and all(_content(line) & words for line in removed)

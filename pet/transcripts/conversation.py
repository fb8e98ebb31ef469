"""A folded conversation: turns with rounds, dividers, summaries and its title. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from pet.access import MemoryMode
from pet.errors import UnknownTurn
from pet.events import ErrorInfo
from pet.language.title_words import title_words
from pet.model import (
    DEMO,
    Attachment,
    ContextPart,
    ForeignSource,
    ModelChoice,
    RecallWay,
    ReplyPart,
    StopReason,
    TextPart,
    TurnEnd,
    TurnKind,
    Usage,
    UsedMemory,
)
from pet.text.plain_markdown import without_formulas
from pet.transcripts.entries import ReceiptChanged, ReceiptState, ToolCompleted, UserMessage

_END = 32_000  # characters at each end of a long reply
_TITLE_FROM = 2_000  # characters of the message that are read
_MESSAGES = 4  # that are read for a title
_TITLE_WIDTH = 48  # columns; a wide character counts twice


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One model call. ``stop``: None for a cancelled one; ``parts`` is then the partial text.

    ``off``: part of it came after memory went OFF during the turn.
    """

    number: int
    parts: tuple[ReplyPart, ...]
    stop: StopReason | None = None
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    results: tuple[ToolCompleted, ...] = ()
    off: bool = False

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """``memory``, ``read_only``, ``memory_files``: as in its message. ``foreign``: what of others its requests
    carried, so that its reply may be made of it."""

    message: UserMessage
    context: tuple[ContextPart, ...]
    rounds: tuple[Round, ...]
    end: TurnEnd | None  # None: it is running
    error: ErrorInfo | None
    used: tuple[UsedMemory, ...] = ()  # recalled for its message
    recall_way: RecallWay = "meaning"
    besides: tuple[ToolCompleted, ...] = ()  # writes without a call of the reply
    changes: tuple[ReceiptChanged, ...] = ()  # the last change of each receipt
    variants: tuple[str, ...] = ()  # it and its alternatives, oldest first; empty without any
    left: tuple[Turn, ...] = ()  # inactive turns in its place whose changes are on disk
    foreign: tuple[ForeignSource, ...] = ()

    @property
    def id(self) -> str:
        return self.message.turn

    @property
    def kind(self) -> TurnKind:
        return self.message.turn_kind

    @property
    def at(self) -> str:
        return self.message.at

    @property
    def text(self) -> str:
        return self.message.text

    @property
    def memory(self) -> bool:
        return self.message.memory

    @property
    def supersedes(self) -> str | None:
        return self.message.supersedes

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return self.message.attachments

    @property
    def memory_files(self) -> tuple[str, ...]:
        return self.message.memory_files

    @property
    def read_only(self) -> bool:
        return self.message.read_only

    @property
    def gated(self) -> bool:
        """Whether gated files were visible in it: while OFF, all of it but visible text is masked."""
        return self.memory or self.read_only

    @property
    def by_demo(self) -> bool:
        """Whether the demo answered it. It says that nothing leaves this computer: no model gets the turn later."""
        return bool(self.rounds) and all(round_.model == DEMO for round_ in self.rounds)

    @property
    def tools(self) -> tuple[ToolCompleted, ...]:
        """All tool results in order of execution."""
        done = (*(each for round_ in self.rounds for each in round_.results), *self.besides)
        return tuple(sorted(done, key=lambda each: each.at))

    def change_of(self, done: ToolCompleted) -> ReceiptChanged | None:
        return next((change for change in self.changes if change.done == done.id), None)

    def state_of(self, done: ToolCompleted) -> ReceiptState:
        """Return the receipt state of the change made by ``done``."""
        if done.receipt is not None and done.receipt.before == done.receipt.after:
            return "forgotten"
        change = self.change_of(done)
        return change.state if change else "standing"

    @property
    def reply(self) -> str:
        """Visible reply text."""
        return "\n".join(round_.text for round_ in self.rounds if round_.text)

    @property
    def reply_ends(self) -> str:
        """The reply, or its first and last _END characters, for checks that read every word."""
        reply = self.reply
        return reply if len(reply) <= 2 * _END else f"{reply[:_END]}\n{reply[-_END:]}"

    @property
    def usage(self) -> Usage:
        return Usage.total(round_.usage for round_ in self.rounds)


DividerKind = Literal["memory_on", "memory_read", "memory_off", "memory_unreadable", "earlier_dropped", "compacted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Divider:
    """A divider in the chat after ``after_turn`` (None: before the first turn)."""

    after_turn: str | None
    at: str
    kind: DividerKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Replaces the first ``turns`` turns in requests; ``memory``: only while memory is on."""

    turns: int
    memory: bool
    text: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    id: str
    turns: tuple[Turn, ...]  # active ones
    dividers: tuple[Divider, ...]
    memory: bool
    given_title: str  # by the owner, else ""
    dropped: int  # leading turns that are no longer sent
    updated_at: str  # time of the last message
    summaries: tuple[Summary, ...] = ()  # in order of creation
    opening: str = ""  # the pet's question before the first message
    opening_about: str = ""  # the note it is about
    removed: tuple[str, ...] = ()  # removed turns that can be restored
    read_only: bool = False  # the switch is at READ; ``memory`` is then false
    model: ModelChoice | None = None  # None: the pet's, or the default
    allowed: tuple[ForeignSource, ...] = ()  # sources because of which the owner is no longer asked

    @property
    def memory_mode(self) -> MemoryMode:
        return MemoryMode.of(self.memory, read_only=self.read_only)

    @property
    def title(self) -> str:
        """The owner's title, else what the first messages are about, else ""."""
        return self.given_title or talk_title(turn for turn in self.turns if turn.kind != "continue")

    def turn(self, turn_id: str) -> Turn:
        """Return an active turn. Raises UnknownTurn."""
        for turn in self.turns:
            if turn.id == turn_id:
                return turn
        raise UnknownTurn()

    def with_receipts(self) -> Iterator[Turn]:
        """Yield the turns whose receipts are shown: the active ones, each after those that it replaced."""
        for turn in self.turns:
            yield from turn.left
            yield turn


def talk_title(messages: Iterable[Turn]) -> str:
    """Return the title of a conversation: what the first message that is no greeting is about, in a few words; before
    that, the first message as it is, or what it brings. Nothing but these messages is read."""
    begun = list(islice(messages, _MESSAGES))
    for each in begun:
        if words := title_words(without_formulas(each.text[:_TITLE_FROM])):
            return words
    names = (name for each in begun for name in (each.text, *(file.name for file in each.attachments)))
    return next(filter(None, map(title_from, names)), "")


def title_from(text: str) -> str:
    """Return the first words of a text on one line, short enough for a tab.

    >>> title_from("What is the\\n capital of France?")
    'What is the capital of France?'
    """
    words = " ".join(without_formulas(text[:_TITLE_FROM]).split())
    width = 0
    for at, char in enumerate(words):
        width += 2 if ord(char) > 0x2E7F else 1
        if width > _TITLE_WIDTH:
            cut = words[:at]
            space = cut.rfind(" ")
            return (cut[:space] if space > at // 2 else cut).rstrip() + "…"
    return words


def branch_title(title: str) -> str:
    """Return the title of a branch: "Tea" becomes "Tea (2)", and that "Tea (3)"."""
    numbered = re.fullmatch(r"(.*) \((\d{1,4})\)", title)
    return f"{numbered[1]} ({int(numbered[2]) + 1})" if numbered else f"{title} (2)"


def file_stem(title: str) -> str:
    """Return a file name stem of at most 60 characters that is valid on every file system."""
    safe = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]+', " ", title)
    return " ".join(safe.split())[:60].strip(" .") or "conversation"

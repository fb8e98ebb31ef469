"""Events for every window: one frozen dataclass per kind, listed in ``EVENTS``.

The emitter numbers and batches them; the page folds them in one reducer. None carries the API key or the text of a
gated file, except the whole text of a proposal, which the owner approves, and the snippets of "used memory". Events
go to the owner's windows only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from logging import Logger
from typing import Literal, dataclass_transform

from pet.errors import ArgValue, PetError, places_of
from pet.ids import new_id
from pet.model import Attachment, Author, Proposal, Receipt, TurnEnd, TurnKind, Usage, UsedMemory, Version
from pet.moods import Mood as Mood


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorInfo:
    """An error as the page gets it: a code with arguments, worded there. Never a traceback."""

    code: str
    args: dict[str, ArgValue] = field(default_factory=dict)
    retryable: bool = False

    @staticmethod
    def of(error: PetError) -> ErrorInfo:
        return ErrorInfo(
            code=error.error_code, args=dict(error.args_), retryable=bool(getattr(error, "retryable", False))
        )

    @staticmethod
    def of_bug(bug: BaseException, what: str, log: Logger) -> ErrorInfo:
        """Log a bug with a new id, which is all that the page gets: the message may quote a file."""
        incident = new_id()
        log.error("%s failed [%s]: %s", what, incident, places_of(bug))
        return ErrorInfo(code="internal", args={"id": incident})


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A reply that needs a mark. ``saved``: it claims a write that did not happen. ``asked``: the owner asked to
    remember something and nothing was written. ``asked_off``: the same while memory was off; ``asked_read``: in read
    only. ``temporary``: either of them in a temporary conversation, so saving must not be offered. ``quote``: the
    sentence. ``never_calls``: the model had tools before too, and has called no tool in this conversation: it may
    take notes as small models do.
    """

    kind: Literal["saved", "asked", "asked_off", "asked_read", "temporary"]
    quote: str
    never_calls: bool = False


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class Event:
    """Base class; each kind is a subclass, in ``EVENTS``, and a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


class ConversationEvent(Event):
    """An event in one conversation, by its id."""

    conversation: str


class TurnEvent(ConversationEvent):
    """An event in one turn of a conversation."""

    turn: str


class TurnStarted(TurnEvent):
    at: str  # ISO 8601 with zone, as every time on the wire
    text: str  # the owner's message
    memory: bool
    supersedes: str | None  # the turn this one replaces (regenerate, edit and resend)
    kind: TurnKind
    attachments: list[Attachment] = field(default_factory=list)


class RoundStarted(TurnEvent):
    """A request was sent. ``round`` counts from 1; the pet is thinking until the first delta. Once more for the same
    round: its text so far was thinking."""

    round: int


class TextDelta(TurnEvent):
    round: int
    text: str


class ThinkingDelta(TurnEvent):
    """Progress of the model's thinking, without its text."""

    round: int
    characters: int


class ToolStarted(TurnEvent):
    round: int
    call: str
    tool: str
    file: str | None


class ToolEnded(TurnEvent):
    call: str
    error: ErrorInfo | None
    receipt: Receipt | None


class ToolsMissing(TurnEvent):
    """The turn does without tools that an extra would have, for this reason."""

    error: ErrorInfo


class RetryWaiting(TurnEvent):
    """A request failed and is sent again after ``seconds``; the owner can stop it."""

    error: ErrorInfo
    seconds: float
    attempt: int


class ProposalAsked(TurnEvent):
    proposal: Proposal


class ProposalClosed(TurnEvent):
    proposal: str
    outcome: Literal["allowed", "edited", "refused"]


class TurnEnded(TurnEvent):
    end: TurnEnd
    error: ErrorInfo | None
    usage: Usage
    claim: Claim | None = None


class ContextUsed(TurnEvent):
    """Entries recalled for this turn's message: those shown under the reply, and at its end the others (``sent``)."""

    used: list[UsedMemory]
    sent: list[UsedMemory] = field(default_factory=list)


class CompactionStarted(ConversationEvent):
    """Older turns are being summarised; can be stopped like a turn."""


class CompactionEnded(ConversationEvent):
    """``error`` None: from now on requests carry a summary in place of the turns up to ``after_turn``."""

    after_turn: str | None
    at: str
    error: ErrorInfo | None


class MemorySwitched(ConversationEvent):
    """The owner moved the memory switch: a divider in the chat."""

    memory: bool
    at: str
    read_only: bool = False  # READ; ``memory`` is then false


class ExtraSwitched(ConversationEvent):
    """The owner moved an extra's switch of the conversation."""

    name: str
    on: bool


class EarlierDropped(ConversationEvent):
    """The owner chose "continue without earlier messages"."""

    at: str


class TurnsRemoved(ConversationEvent):
    """The owner removed these turns from the conversation, or restored them if ``removed`` is False."""

    turns: list[str]
    removed: bool


class VariantChosen(TurnEvent):
    """The owner chose another variant of a turn: read the conversation again."""


class ConversationChanged(ConversationEvent):
    """Title or place in the list changed, or the conversation is new. ``title``: "" without one."""

    title: str = ""


class ConversationClosed(ConversationEvent):
    """Its tab was closed, or a terminal left it."""


class ConversationDeleted(ConversationEvent):
    """The conversation was deleted, on disk too."""


class MemoryPaused(Event):
    paused: bool


class WorkspaceChanged(Event):
    """A file has a new version. ``lost``: the kept version that another editor overwrote from an older text."""

    file: str
    version: Version
    author: Author
    lost: str | None = None


class IndexProgress(Event):
    """Number of memory entries with embeddings, and of all."""

    done: int
    total: int


class ReceiptsChanged(ConversationEvent):
    """A change of this conversation was undone, redone or kept: read its receipts again."""


class Forgotten(Event):
    """A text was erased: read files and conversations again."""

    conversations: list[str]


class CopiesFound(Event):
    """``count`` conflict copies of sync programs exist."""

    count: int


class RemindersChanged(Event):
    """A reminder came due, was done or put off."""


class DayChanged(Event):
    """A new local day began."""


class LifeChanged(Event):
    """The pet's things, clothes or abilities changed: its page reads its look again."""


class PetsChanged(Event):
    """A pet was created, renamed or deleted."""


class SettingsChanged(Event):
    """Settings or the key's state changed: read them again."""


class MoodChanged(Event):
    mood: Mood


class TabMemoryChanged(Event):
    """The open conversation's memory is off, or not: shown by the pet's sprout."""

    off: bool


class PetTravels(Event):
    """Move the pet on the screen, by units of the desktop. ``how``: on foot, on foot to the end of an edge, falling,
    in a leap, climbing, running, half behind its chat or off the screen and back after a while, or not at all: a
    wave, a stretch, sitting on an edge, getting up, following the pointer, attending to what is dragged, kicking a
    ball, a leap of joy, or another pet at this distance, which it greets, watches, goes to sleep beside or leans to
    in its sleep. ``walk``: the number of a walk, for ``move_pet``; 0: it stays where it is."""

    dx: int
    dy: int
    how: Literal[
        "walk",
        "walk_to_edge",
        "run",
        "hop",
        "climb",
        "fall",
        "peek",
        "leave",
        "back",
        "wave",
        "sit",
        "stretch",
        "rise",
        "kick",
        "play",
        "follow",
        "drag",
        "greet",
        "look",
        "join",
        "lean",
    ] = "walk"
    walk: int = 0


class PetReplaced(Event):
    """Another pet comes instead of this one: draw its body already. "" if it has not come after all."""

    body: str


class SilenceAsked(Event):
    """The owner wants silence: what sounds ends at once."""


class MoodSaid(TurnEvent):
    """The reply named its mood (the tag is removed from the text). The face may show another one."""

    mood: Mood


class ChatShown(Event):
    """The chat window was shown (the composer takes the focus) or hidden."""

    shown: bool


class UnreadChanged(Event):
    """Conversations with an unread reply, failure or question."""

    conversations: list[str]


class PageAsked(Event):
    """Show a view of the chat window, for example from the tray."""

    view: Literal["chat", "settings", "history"]


class ConversationAsked(ConversationEvent):
    """Show this conversation in the chat window: the owner answers a bubble."""


class DroppedOnPet(Event):
    """A file or text for the composer; the chat page reads it."""


class DesktopChanged(Event):
    """Starting at login, or the available shortcuts. ``error``: a command of the menu failed."""

    error: ErrorInfo | None = None


class MemoryGiven(Event):
    """Another program was given lines of memory: mark it on the pet."""


class BubbleChanged(Event):
    """The speech bubble changed or closed: read it again."""


EVENTS: tuple[type[Event], ...] = tuple(
    kind
    for kind in vars().copy().values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind not in (Event, ConversationEvent, TurnEvent)
)
"""Every kind of event, in the order above."""

"""What happened, told to every window: one frozen dataclass per event, listed in ``EVENTS``.

The emitter numbers and batches them; the page folds them in one reducer. Nothing here may carry the API key or
the text of a gated file, except the whole text of a proposal, which the owner has to see, and the snippets of "used
memory". Events go to the owner's windows only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from logging import Logger
from typing import Literal, dataclass_transform

from pet.errors import ArgValue, PetError, places_of
from pet.ids import new_id
from pet.model import Attachment, Author, Proposal, Receipt, TurnEnd, TurnKind, Usage, UsedMemory, Version


class Mood(StrEnum):
    """What the pet's face shows."""

    NEUTRAL = "neutral"
    HAPPY = "happy"
    SAD = "sad"
    SURPRISED = "surprised"
    THINKING = "thinking"
    TALKING = "talking"
    WAITING = "waiting"  # for the owner: a proposal is open
    ASLEEP = "asleep"
    ERROR = "error"
    LISTENING = "listening"  # the owner is typing
    REMEMBERED = "remembered"  # something was written down: shown once, then the mood before
    READY = "ready"  # a reply nobody has seen yet


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
        """Log what failed and where, under a new id, which is all that the page learns. The message of a bug may
        quote a file, so it goes nowhere."""
        incident = new_id()
        log.error("%s failed [%s]: %s", what, incident, places_of(bug))
        return ErrorInfo(code="internal", args={"id": incident})


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A reply that needs a mark. ``saved``: it says it saved something and nothing was written.
    ``asked``: the owner asked to remember something and nothing was written. ``asked_off``: the same while memory was
    off; ``asked_read``: in read only.
    ``temporary``: either of them where nothing can be saved, so that saving must not be offered. ``quote`` is the
    sentence."""

    kind: Literal["saved", "asked", "asked_off", "asked_read", "temporary"]
    quote: str


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class Event:
    """Something that happened; each kind is a subclass, in ``EVENTS``, and a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)


class ConversationEvent(Event):
    """In one conversation, by its id."""

    conversation: str


class TurnEvent(ConversationEvent):
    """In one turn of a conversation."""

    turn: str


class TurnStarted(TurnEvent):
    at: str  # ISO 8601 with zone, as every time on the wire
    text: str  # the owner's message
    memory: bool
    supersedes: str | None  # the turn this one replaces (regenerate, edit and resend)
    kind: TurnKind
    attachments: list[Attachment] = field(default_factory=list)


class RoundStarted(TurnEvent):
    """A request went out. ``round`` counts from 1; the pet is thinking until the first delta."""

    round: int


class TextDelta(TurnEvent):
    round: int
    text: str


class ThinkingDelta(TurnEvent):
    """The model is thinking; how much, not what."""

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


class RetryWaiting(TurnEvent):
    """A request failed and will be sent again after ``seconds``; the owner can stop it."""

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
    """What was recalled for this turn's message."""

    used: list[UsedMemory]


class CompactionStarted(ConversationEvent):
    """Older turns are being summarised; it can be stopped like a turn."""


class CompactionEnded(ConversationEvent):
    """``error`` None: from now on requests carry a summary in place of the turns up to ``after_turn``."""

    after_turn: str | None
    at: str
    error: ErrorInfo | None


class MemorySwitched(ConversationEvent):
    """The owner flipped the brain switch: the divider in the chat."""

    memory: bool
    at: str
    read_only: bool = False  # READ; then ``memory`` is false


class EarlierDropped(ConversationEvent):
    """The owner chose "continue without earlier messages"."""

    at: str


class TurnsRemoved(ConversationEvent):
    """The owner took these turns out of the conversation, or with ``removed`` False put them back."""

    turns: list[str]
    removed: bool


class VariantChosen(TurnEvent):
    """The owner chose another variant of a turn: the conversation is to be read again."""


class ConversationChanged(ConversationEvent):
    """Title or place in the list changed, or it is new. ``title``: as a list shows it, "" while it has none."""

    title: str = ""


class ConversationDeleted(ConversationEvent):
    """It is gone, here and on disk."""


class BrainPaused(Event):
    paused: bool


class WorkspaceChanged(Event):
    """A file has a new version. ``lost`` names the kept version that a stale foreign editor overwrote."""

    file: str
    version: Version
    author: Author
    lost: str | None = None


class IndexProgress(Event):
    """How many entries of the memory can be found by meaning, of how many."""

    done: int
    total: int


class ReceiptsChanged(ConversationEvent):
    """Something written in this conversation was undone, redone or kept: it is to be asked for again."""


class Forgotten(Event):
    """Something was forgotten: views of files and conversations are to be asked for again."""

    conversations: list[str]


class CopiesFound(Event):
    """Conflict copies of a sync program lie beside the pet's files, so many."""

    count: int


class PromisesChanged(Event):
    """A todo came due, was done or put off."""


class PetsChanged(Event):
    """A pet was made, renamed or deleted."""


class SettingsChanged(Event):
    """Settings or key state are other than before; the page asks for them again."""


class MoodChanged(Event):
    mood: Mood


class TabBrainChanged(Event):
    """The conversation that the chat has open has its brain off or on: the pet's sprout follows."""

    off: bool


class PetTravels(Event):
    """The pet is to go to another place on the screen, by so many units of the desktop."""

    dx: int
    dy: int


class MoodSaid(TurnEvent):
    """The reply named its mood (its tag is taken out of the text). What the face shows follows from it."""

    mood: Mood


class ChatShown(Event):
    """The chat window was shown (the composer takes the focus) or hidden."""

    shown: bool


ImportPhase = Literal["none", "reading", "ready", "writing", "done", "failed"]


class ImportMoved(Event):
    """An import is on its way, or its state is another one. ``done`` and ``total`` in bytes; ``total`` 0: unknown."""

    phase: ImportPhase
    done: int = 0
    total: int = 0


class UnreadChanged(Event):
    """Which conversations hold something nobody has seen: a reply, a failure or a question."""

    conversations: list[str]


class PageAsked(Event):
    """The chat window is asked to show one of its views, for example from the tray."""

    view: Literal["chat", "settings", "history"]


class ConversationAsked(ConversationEvent):
    """The chat window is asked to show this conversation: the owner answers a bubble."""


class DroppedOnPet(Event):
    """Something for the composer; the chat page takes it."""


class DesktopChanged(Event):
    """Starting at login, or which shortcuts are to be had; ``error``: what the owner asked for by the menu failed."""

    error: ErrorInfo | None = None


class SkinArriving(Event):
    """A download goes on: so many bytes of so many; ``of`` None where nobody said how many there are."""

    done: int
    of: int | None


class BubbleChanged(Event):
    """The speech bubble says something else, or nothing any more; its page asks what."""


MindPhase = Literal["absent", "starting", "ready", "asleep", "failed"]


class MindChanged(Event):
    """The model on this computer starts, is ready, ended or failed. ``problem``: with ``failed``, an error's code."""

    mind: str
    phase: MindPhase
    problem: str


class MindArriving(Event):
    """A model is being downloaded: ``done`` of ``total`` bytes, ``speed`` in bytes a second (0: not known yet).
    ``checking``: what is here already is being read again."""

    mind: str
    done: int
    total: int
    speed: int
    seconds_left: int | None
    host: str
    checking: bool


class MindOffered(Event):
    """A model file was dropped on the pet or chosen: its owner is asked whether it may think. ``error``: why it
    can't. ``size`` and ``need`` (of memory) in bytes."""

    mind: str
    name: str
    size: int
    need: int
    error: ErrorInfo | None


class MindArrived(Event):
    """A download is over; ``error``: why, unless the model is here and checked."""

    mind: str
    error: ErrorInfo | None


EVENTS: tuple[type[Event], ...] = tuple(
    kind
    for kind in vars().copy().values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind not in (Event, ConversationEvent, TurnEvent)
)
"""Every kind of event, in the order above."""

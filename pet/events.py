"""What happened, told to every window: one frozen dataclass per event, listed in ``EVENTS``.

The emitter numbers and batches them; the page folds them in one reducer. Nothing here may carry the API key or
the text of a gated file, except the whole text of a proposal, which the owner has to see, and the snippets of "used
memory". Events go to the owner's windows only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from pet.errors import ArgValue, PetError
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A reply that needs a mark. ``saved``: it says it saved something and nothing was written.
    ``asked_off``: the owner asked to remember something while the brain was off; ``asked_read``: in read only.
    ``temporary``: either of them where nothing can be saved, so that saving must not be offered. ``quote`` is the
    sentence."""

    kind: Literal["saved", "asked_off", "asked_read", "temporary"]
    quote: str


class Event:
    """Something that happened; each kind is a subclass, in ``EVENTS``."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEvent(Event):
    """In one conversation, by its id."""

    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEvent(ConversationEvent):
    """In one turn of a conversation."""

    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(TurnEvent):
    at: str  # ISO 8601 with zone, as every time on the wire
    text: str  # the owner's message
    memory: bool
    supersedes: str | None  # the turn this one replaces (regenerate, edit and resend)
    kind: TurnKind
    attachments: list[Attachment] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted(TurnEvent):
    """A request went out. ``round`` counts from 1; the pet is thinking until the first delta."""

    round: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(TurnEvent):
    round: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingDelta(TurnEvent):
    """The model is thinking; how much, not what."""

    round: int
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted(TurnEvent):
    round: int
    call: str
    tool: str
    file: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEnded(TurnEvent):
    call: str
    error: ErrorInfo | None
    receipt: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryWaiting(TurnEvent):
    """A request failed and will be sent again after ``seconds``; the owner can stop it."""

    error: ErrorInfo
    seconds: float
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalAsked(TurnEvent):
    proposal: Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalClosed(TurnEvent):
    proposal: str
    outcome: Literal["allowed", "edited", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(TurnEvent):
    end: TurnEnd
    error: ErrorInfo | None
    usage: Usage
    claim: Claim | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextUsed(TurnEvent):
    """What was recalled for this turn's message."""

    used: list[UsedMemory]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionStarted(ConversationEvent):
    """Older turns are being summarised; it can be stopped like a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionEnded(ConversationEvent):
    """``error`` None: from now on requests carry a summary in place of the turns up to ``after_turn``."""

    after_turn: str | None
    at: str
    error: ErrorInfo | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySwitched(ConversationEvent):
    """The owner flipped the brain switch: the divider in the chat."""

    memory: bool
    at: str
    read_only: bool = False  # READ; then ``memory`` is false


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierDropped(ConversationEvent):
    """The owner chose "continue without earlier messages"."""

    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsRemoved(ConversationEvent):
    """The owner took these turns out of the conversation, or with ``removed`` False put them back."""

    turns: list[str]
    removed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantChosen(TurnEvent):
    """The owner chose another variant of a turn: the conversation is to be read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationChanged(ConversationEvent):
    """Title or place in the list changed, or it is new. ``title``: as a list shows it, "" while it has none."""

    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationDeleted(ConversationEvent):
    """It is gone, here and on disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrainPaused(Event):
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceChanged(Event):
    """A file has a new version. ``lost`` names the kept version that a stale foreign editor overwrote."""

    file: str
    version: Version
    author: Author
    lost: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexProgress(Event):
    """How many entries of the memory can be found by meaning, of how many."""

    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptsChanged(ConversationEvent):
    """Something written in this conversation was undone, redone or kept: it is to be asked for again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten(Event):
    """Something was forgotten: views of files and conversations are to be asked for again."""

    conversations: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiesFound(Event):
    """Conflict copies of a sync program lie beside the pet's files, so many."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PromisesChanged(Event):
    """A todo came due, was done or put off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PetsChanged(Event):
    """A pet was made, renamed or deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsChanged(Event):
    """Settings or key state are other than before; the page asks for them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoodChanged(Event):
    mood: Mood


@dataclass(frozen=True, slots=True, kw_only=True)
class TabBrainChanged(Event):
    """The conversation that the chat has open has its brain off or on: the pet's sprout follows."""

    off: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PetTravels(Event):
    """The pet is to go to another place on the screen, by so many units of the desktop."""

    dx: int
    dy: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MoodSaid(TurnEvent):
    """The reply named its mood (its tag is taken out of the text). What the face shows follows from it."""

    mood: Mood


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatShown(Event):
    """The chat window was shown (the composer takes the focus) or hidden."""

    shown: bool


ImportPhase = Literal["none", "reading", "ready", "writing", "done", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportMoved(Event):
    """An import is on its way, or its state is another one. ``done`` and ``total`` in bytes; ``total`` 0: unknown."""

    phase: ImportPhase
    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadChanged(Event):
    """Which conversations hold something nobody has seen: a reply, a failure or a question."""

    conversations: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAsked(Event):
    """The chat window is asked to show one of its views, for example from the tray."""

    view: Literal["chat", "settings", "history"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationAsked(ConversationEvent):
    """The chat window is asked to show this conversation: the owner answers a bubble."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedOnPet(Event):
    """Something for the composer; the chat page takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopChanged(Event):
    """Starting at login, or which shortcuts are to be had; ``error``: what the owner asked for by the menu failed."""

    error: ErrorInfo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinArriving(Event):
    """A download goes on: so many bytes of so many; ``of`` None where nobody said how many there are."""

    done: int
    of: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BubbleChanged(Event):
    """The speech bubble says something else, or nothing any more; its page asks what."""


MindPhase = Literal["absent", "starting", "ready", "asleep", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MindChanged(Event):
    """The model on this computer starts, is ready, ended or failed. ``problem``: with ``failed``, an error's code."""

    mind: str
    phase: MindPhase
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MindOffered(Event):
    """A model file was dropped on the pet or chosen: its owner is asked whether it may think. ``error``: why it
    can't. ``size`` and ``need`` (of memory) in bytes."""

    mind: str
    name: str
    size: int
    need: int
    error: ErrorInfo | None


@dataclass(frozen=True, slots=True, kw_only=True)
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

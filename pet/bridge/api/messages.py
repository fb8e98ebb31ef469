"""Turns: sending and stopping, once more and further on, and the answer to a proposed change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pet.bridge.api.base import CHAT, Command, ConversationArgs, Nothing
from pet.events import Claim, ErrorInfo
from pet.model import Attachment, Proposal, Receipt, TurnEnd, TurnKind, Usage, UsedMemory
from pet.transcripts.entries import ReceiptState


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolView:
    """One tool call as the chat shows it, folded."""

    call: str
    round: int
    tool: str
    file: str | None
    running: bool
    error: ErrorInfo | None
    receipt: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptStateView:
    """What became of the change that a call wrote. ``kept``: a masked secret was put back, by this receipt."""

    call: str
    state: ReceiptState
    kept: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftView:
    """A reply that another one took the place of, and that wrote something down: its receipts stay in sight."""

    turn: str
    at: str
    tools: list[ToolView]
    receipts: list[ReceiptStateView]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    round: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    turn: str
    kind: TurnKind
    at: str
    text: str  # the owner's message
    memory: bool
    rounds: list[RoundView]
    tools: list[ToolView]
    end: TurnEnd | None  # None while it runs
    error: ErrorInfo | None
    usage: Usage
    proposal: Proposal | None  # open, waiting for the owner
    used: list[UsedMemory] = field(default_factory=list)  # what was recalled: the chips under the reply
    claim: Claim | None = None
    attachments: list[Attachment] = field(default_factory=list)
    receipts: list[ReceiptStateView] = field(default_factory=list)  # of those that do not stand as they were written
    variants: list[str] = field(default_factory=list)  # it and the other replies to choose from; [] if there is none
    left: list[LeftView] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStartedReply:
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnArgs:
    conversation: str
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SendArgs:
    """``attachments``: ids that ``add_attachment`` gave; with one the text may be empty."""

    conversation: str
    text: str
    attachments: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResendArgs:
    """Replace a turn: with ``text`` edit and resend, without it regenerate. ``attachments`` None: the same again,
    an empty list: without them."""

    conversation: str
    turn: str
    text: str | None = None
    attachments: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalArgs:
    """``text`` only with ``edit``: what the owner made of the proposal."""

    conversation: str
    proposal: str
    answer: Literal["allow", "edit", "refuse"]
    text: str | None = None


ROWS: tuple[Command, ...] = (
    Command("send_message", SendArgs, TurnStartedReply, CHAT, "Store the message, start a turn, return at once."),
    Command("stop_turn", ConversationArgs, Nothing, CHAT, "Stop the running turn; what was said stays."),
    Command("resend", ResendArgs, TurnStartedReply, CHAT, "Regenerate, retry, or edit and resend a turn."),
    Command("continue_turn", TurnArgs, TurnStartedReply, CHAT, "Go on with a reply that was cut or stopped."),
    Command("answer_proposal", ProposalArgs, Nothing, CHAT, "Allow, edit or refuse a proposed change."),
)

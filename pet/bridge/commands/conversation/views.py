"""A folded conversation as the pages see it: pure mapping, nothing decided here."""

from __future__ import annotations

from dataclasses import dataclass, field

from pet.access.policy import Brain
from pet.engine.claim_detection.check import check_claim
from pet.engine.conversation.conversation import ConversationSnapshot, LiveConversation
from pet.engine.request.shown_memories import shown_memories
from pet.events import Claim, ErrorInfo
from pet.model import Attachment, ModelChoice, Proposal, Receipt, ToolCallPart, TurnEnd, TurnKind, Usage, UsedMemory
from pet.tools.toolset import named_file, words_of
from pet.transcripts.conversation.model import Divider, Round, Turn
from pet.transcripts.records.entries import ReceiptState, ToolCompleted
from pet.transcripts.store import ConversationSummary


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
class ConversationInfo:
    id: str
    title: str  # "" while nothing was said
    memory: bool
    temporary: bool
    updated_at: str
    turns: int
    running: bool
    read_only: bool = False  # the switch stands at "read only"; then ``memory`` is false
    chosen: ModelChoice | None = None  # the model of this conversation; None: its pet's, or the default


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationView:
    info: ConversationInfo
    turns: list[TurnView]  # superseded ones are left out
    dividers: list[Divider]
    damaged_lines: int  # lines of the transcript that could not be read and were kept aside
    compacting: bool = False
    earlier: int = 0  # turns before the first one here that were left out, as ``newest`` asked for
    opening: str = ""  # what the pet had asked before the first message
    seq: int = 0  # events up to this number are already in it (``Emitter.fence``); the page applies only later ones


_MARKED = 200
"""Turns back from the last that show their mark: reading a claim out of a reply takes time, and old ones are past."""


def view_of(live: LiveConversation, look: ConversationSnapshot, newest: int | None = None) -> ConversationView:
    """The conversation, the text that streams at this moment included; of its turns the ``newest`` or all."""
    conversation = look.conversation
    total = len(conversation.turns)
    earlier = 0 if newest is None else max(0, total - newest)
    return ConversationView(
        info=info_of(live, look),
        turns=[
            _turn(turn, look, marked=place >= total - _MARKED, keeps=not live.gate.temporary)
            for place, turn in enumerate(conversation.turns[earlier:], start=earlier)
        ],
        dividers=list(conversation.dividers),
        damaged_lines=live.transcript.damaged_lines,
        compacting=look.compacting,
        earlier=earlier,
        seq=look.seq,
        opening=live.opening,
    )


def info_of(live: LiveConversation, look: ConversationSnapshot) -> ConversationInfo:
    """A conversation in the list, from its live state."""
    conversation = look.conversation
    return ConversationInfo(
        id=live.id,
        title=conversation.title,
        memory=live.gate.switched_on,
        read_only=live.gate.brain is Brain.READ,
        temporary=live.gate.temporary,
        updated_at=conversation.updated_at,
        turns=len(conversation.turns),
        running=look.running is not None,
        chosen=conversation.model,
    )


def info_of_summary(summary: ConversationSummary, *, running: bool) -> ConversationInfo:
    """A conversation in the list, from its file alone."""
    return ConversationInfo(
        id=summary.id,
        title=summary.title,
        memory=summary.memory,
        read_only=summary.read_only,
        temporary=summary.temporary,
        updated_at=summary.updated_at,
        turns=summary.turns,
        running=running,
    )


def _turn(turn: Turn, look: ConversationSnapshot, *, marked: bool, keeps: bool) -> TurnView:
    running = turn.id == look.running
    rounds = {each.number: each.text for each in turn.rounds}
    proposal: Proposal | None = None
    if running:
        if look.text:
            rounds[look.round] = look.text
        proposal = look.proposals[0] if look.proposals else None
    return TurnView(
        turn=turn.id,
        kind=turn.kind,
        at=turn.at,
        text=turn.text,
        memory=turn.memory,
        rounds=[RoundView(round=number, text=text) for number, text in sorted(rounds.items())],
        tools=_all_tools(turn, running=running),
        end=turn.end,
        error=turn.error,
        usage=turn.usage,
        proposal=proposal,
        used=list(shown_memories(turn)),
        attachments=list(turn.attachments),
        claim=check_claim(turn, keeps=keeps) if marked else None,
        receipts=_receipts(turn),
        variants=list(turn.variants),
        left=[
            LeftView(turn=each.id, at=each.at, tools=_written(each), receipts=_receipts(each)) for each in turn.left
        ],
    )


def _all_tools(turn: Turn, *, running: bool) -> list[ToolView]:
    return [
        *map(_beside, turn.besides),
        *(tool for each in turn.rounds for tool in _tools(each, running=running)),
    ]


def _written(turn: Turn) -> list[ToolView]:
    return [tool for tool in _all_tools(turn, running=False) if tool.receipt is not None]


def _receipts(turn: Turn) -> list[ReceiptStateView]:
    views: list[ReceiptStateView] = []
    for done in turn.tools:
        state = turn.state_of(done)
        if done.receipt is not None and state != "standing":
            change = turn.change_of(done)
            kept = change.receipt if change and state == "kept" else None
            views.append(ReceiptStateView(call=done.call_id, state=state, kept=kept))
    return views


def _beside(done: ToolCompleted) -> ToolView:
    """What was written for the turn outside its rounds."""
    return ToolView(
        call=done.call_id,
        round=0,
        tool=done.tool,
        file=done.file,
        running=False,
        error=done.error,
        receipt=done.receipt,
    )


def _tools(round_: Round, *, running: bool) -> list[ToolView]:
    """Calls in the order of the reply. One without a result runs, or was never run."""
    done = {result.call_id: result for result in round_.results}
    views: list[ToolView] = []
    for call in round_.parts:
        if not isinstance(call, ToolCallPart):
            continue
        result = done.get(call.id)
        views.append(
            ToolView(
                call=call.id,
                round=round_.number,
                tool=call.name,
                file=(result.file if result else named_file(call)) or words_of(call),
                running=running and result is None,
                error=result.error if result else None,
                receipt=result.receipt if result else None,
            )
        )
    return views

"""Views of a conversation for the pages. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pet.access.policy import MemoryMode
from pet.engine.claim_detection.check import check_claim
from pet.engine.conversation import ConversationSnapshot, LiveConversation
from pet.engine.request.shown_memories import shown_memories
from pet.events import Claim, ErrorInfo
from pet.model import Attachment, ModelChoice, Proposal, Receipt, ToolCallPart, TurnEnd, TurnKind, Usage, UsedMemory
from pet.serde import vars_of
from pet.tools.toolset import named_file, words_of
from pet.transcripts.conversation.model import Divider, Round, Turn
from pet.transcripts.records.entries import ReceiptState, ToolCompleted
from pet.transcripts.store import ConversationSummary


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolView:
    """A tool call."""

    call: str
    round: int
    tool: str
    file: str | None
    running: bool
    error: ErrorInfo | None
    receipt: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptStateView:
    """State of the change that a call wrote. ``kept``: the receipt by which a masked secret was restored."""

    call: str
    state: ReceiptState
    kept: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftView:
    """A replaced reply that wrote to files, with its receipts."""

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
    used: list[UsedMemory] = field(default_factory=list)  # recalled for the message
    claim: Claim | None = None
    attachments: list[Attachment] = field(default_factory=list)
    receipts: list[ReceiptStateView] = field(default_factory=list)  # of changes whose state is no longer "standing"
    variants: list[str] = field(default_factory=list)  # this and the other replies to choose from; [] without others
    left: list[LeftView] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationInfo:
    id: str
    title: str  # "" without a message
    memory: bool
    temporary: bool
    updated_at: str
    turns: int
    running: bool
    read_only: bool = False  # memory is read only; then ``memory`` is false
    chosen: ModelChoice | None = None  # the model of this conversation; None: its pet's, or the default


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationView:
    info: ConversationInfo
    turns: list[TurnView]  # without superseded ones
    dividers: list[Divider]
    damaged_lines: int  # unreadable lines of the transcript, set aside
    compacting: bool = False
    earlier: int = 0  # earlier turns left out because of ``newest``
    opening: str = ""  # the pet's question before the first message
    seq: int = 0  # includes events up to this number (``Emitter.fence``); the page applies only later ones


_MARKED = 200
"""Number of last turns whose replies are checked for claims, which takes time."""


def view_of(live: LiveConversation, snapshot: ConversationSnapshot, newest: int | None = None) -> ConversationView:
    """Return the conversation, with the streaming text; ``newest``: at most this many turns, from the end."""
    conversation = snapshot.conversation
    total = len(conversation.turns)
    earlier = 0 if newest is None else max(0, total - newest)
    return ConversationView(
        info=info_of(live, snapshot),
        turns=[
            _turn(turn, snapshot, marked=place >= total - _MARKED, keeps=not live.gate.temporary)
            for place, turn in enumerate(conversation.turns[earlier:], start=earlier)
        ],
        dividers=list(conversation.dividers),
        damaged_lines=live.transcript.damaged_lines,
        compacting=snapshot.compacting,
        earlier=earlier,
        seq=snapshot.seq,
        opening=live.opening,
    )


def info_of(live: LiveConversation, snapshot: ConversationSnapshot) -> ConversationInfo:
    """Return a conversation for the list, from its live state."""
    conversation = snapshot.conversation
    return ConversationInfo(
        id=live.id,
        title=conversation.title,
        memory=live.gate.switched_on,
        read_only=live.gate.memory_mode is MemoryMode.READ_ONLY,
        temporary=live.gate.temporary,
        updated_at=conversation.updated_at,
        turns=len(conversation.turns),
        running=snapshot.running is not None,
        chosen=conversation.model,
    )


def info_of_summary(summary: ConversationSummary, *, running: bool) -> ConversationInfo:
    """Return a conversation for the list, from its file."""
    known = vars_of(summary)
    del known["removed"]
    return ConversationInfo(**known, running=running)


def _turn(turn: Turn, snapshot: ConversationSnapshot, *, marked: bool, keeps: bool) -> TurnView:
    running = turn.id == snapshot.running
    rounds = {each.number: each.text for each in turn.rounds}
    proposal: Proposal | None = None
    if running:
        if snapshot.text:
            rounds[snapshot.round] = snapshot.text
        proposal = snapshot.proposals[0] if snapshot.proposals else None
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
        *(_tool(done.call_id, 0, done.tool, done.file, done) for done in turn.besides),  # outside the rounds
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


def _tools(round_: Round, *, running: bool) -> Iterator[ToolView]:
    """Yield the calls of a round in its order. One without a result is running or was never run."""
    results = {result.call_id: result for result in round_.results}
    for call in round_.parts:
        if isinstance(call, ToolCallPart):
            result = results.get(call.id)
            file = (result.file if result else named_file(call)) or words_of(call)
            pending = running and result is None
            yield _tool(call.id, round_.number, call.name, file, result, running=pending)


def _tool(
    call: str, number: int, tool: str, file: str | None, result: ToolCompleted | None, *, running: bool = False
) -> ToolView:
    return ToolView(
        call=call,
        round=number,
        tool=tool,
        file=file,
        running=running,
        error=result.error if result else None,
        receipt=result.receipt if result else None,
    )

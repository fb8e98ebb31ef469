"""Conversations: list, open, change, search and export; their view for the pages.

The owner's search is not indexed and part of no request: its results go to the owner's window only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pet.access import MemoryMode
from pet.bridge.command import Client, command
from pet.engine.claim_check import check_claim
from pet.engine.conversation import ConversationSnapshot, LiveConversation
from pet.engine.recall import other_memories, shown_memories
from pet.errors import BadArguments
from pet.events import Claim, ErrorInfo
from pet.model import Attachment, ModelChoice, Proposal, Receipt, ToolCallPart, TurnEnd, TurnKind, Usage, UsedMemory
from pet.serde import vars_of
from pet.services.file_transfer import SavedFile, save_to_downloads
from pet.text.markup import unwrap
from pet.tools.toolset import named_file, words_of
from pet.transcripts.conversation import Divider, Round, Turn
from pet.transcripts.entries import ReceiptState, ToolCompleted
from pet.transcripts.export import ExportFormat, exported
from pet.transcripts.search import HistoryHit, search_transcripts
from pet.transcripts.store import ConversationSummary

if TYPE_CHECKING:
    from pet.app.pet import Pet


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
class CallView:
    """Arguments and result of another program's tool call, cut at ``_SHOWN`` characters. ``result``
    "": not yet, or it failed."""

    arguments: str
    result: str
    pictures: list[Attachment]


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
    used: list[UsedMemory] = field(default_factory=list)  # recalled for the message, shown under the reply
    sent: list[UsedMemory] = field(default_factory=list)  # the others that were recalled, of an ended turn
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
    switches: list[str] = field(default_factory=list)  # of extras that are on; known of an opened one only


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


_SHOWN = 20_000
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
        switches=sorted(live.gate.access().switches),
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
        sent=other_memories(turn),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationList:
    conversations: list[ConversationInfo]


@dataclass(frozen=True, slots=True)
class ConversationCommands:
    app: Pet

    @command(Client.CHAT, Client.TERMINAL)
    def list_conversations(self) -> ConversationList:
        """Return the saved conversations, newest first, without temporary ones."""
        running = {live.id for live in self.app.conversations.live() if live.running_turn}
        return ConversationList(
            conversations=[
                info_of_summary(summary, running=summary.id in running) for summary in self.app.conversations.saved()
            ]
        )

    @command(Client.CHAT)
    def open_conversation(self, conversation: str, newest: int | None = None) -> ConversationView:
        """Return a conversation with its turns. Raises UnknownConversation.

        ``newest``: at most this many turns, from the end; None: all of them.
        """
        if newest is not None and newest < 1:
            raise BadArguments(where="newest", why="value")
        return self._view(self.app.conversations.open(conversation), newest)

    @command(Client.CHAT)
    def new_conversation(
        self, memory: bool | None = None, read_only: bool = False, temporary: bool = False
    ) -> ConversationView:
        """Create an empty conversation.

        ``memory`` None: the default of the settings. ``read_only``: with ``memory`` false: memory is read only.
        """
        if memory is None and not read_only:
            mode = self.app.effective.current().default_memory_mode
        else:
            mode = MemoryMode.of(bool(memory), read_only=read_only)
        return self._view(self.app.conversations.create(memory=mode, temporary=temporary))

    @command(Client.CHAT)
    def rename_conversation(self, conversation: str, title: str) -> None:
        """Set the title."""
        self.app.conversations.open(conversation).record.rename(title)

    @command(Client.CHAT)
    def delete_conversation(self, conversation: str) -> None:
        """Delete the transcript."""
        self.app.conversations.delete(conversation)

    @command(Client.CHAT, Client.TERMINAL)
    def branch_conversation(self, conversation: str, turn: str) -> ConversationView:
        """Create a conversation with the turns up to this one."""
        return self._view(self.app.conversations.branch(conversation, turn))

    @command(Client.CHAT)
    def keep_conversation(self, conversation: str) -> ConversationView:
        """Store a temporary conversation as an ordinary one, and return that."""
        return self._view(self.app.conversations.keep(conversation))

    @command(Client.CHAT)
    def set_memory(self, conversation: str, memory: bool, read_only: bool = False) -> None:
        """Set the memory mode of one conversation.

        ``read_only``: with ``memory`` false: memory is read only.
        """
        self.app.conversations.open(conversation).set_memory(MemoryMode.of(memory, read_only=read_only))

    @command(Client.CHAT)
    def read_call(self, conversation: str, turn: str, call: str) -> CallView:
        """Return what a call sent and what came back. Raises UnknownConversation, UnknownTurn."""
        rounds = self.app.conversations.open(conversation).folded().turn(turn).rounds
        parts = [part for each in rounds for part in each.parts if isinstance(part, ToolCallPart) and part.id == call]
        results = [each for round_ in rounds for each in round_.results if each.call_id == call and not each.is_error]
        return CallView(
            arguments=parts[0].arguments[:_SHOWN] if parts else "",
            result=unwrap(results[0].text)[:_SHOWN].strip() if results else "",
            pictures=list(results[0].pictures) if results else [],
        )

    @command(Client.CHAT)
    def set_switch(self, conversation: str, name: str, on: bool) -> None:
        """Move an extra's switch of one conversation. Raises BadArguments, ConversationTemporary."""
        self.app.conversations.open(conversation).set_switch(name, on)

    @command(Client.CHAT)
    def drop_earlier(self, conversation: str) -> None:
        """Continue without the earlier messages in requests."""
        self.app.conversations.open(conversation).record.drop_earlier()

    @command(Client.CHAT)
    def compact(self, conversation: str) -> None:
        """Start to summarise the earlier messages; returns at once."""
        self.app.conversations.open(conversation).compact()

    def _view(self, live: LiveConversation, newest: int | None = None) -> ConversationView:
        return view_of(live, live.snapshot(self.app.emitter.fence), newest)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryHits:
    """Hits, from the conversation written to last. ``more``: there are more than these."""

    hits: list[HistoryHit]
    more: bool


_MOST = 500


@dataclass(frozen=True, slots=True)
class HistoryCommands:
    app: Pet

    @command(Client.CHAT)
    def search_history(self, query: str, count: int = 50) -> HistoryHits:
        """Search all saved conversations.

        ``count``: the maximum of hits.
        """
        if not 1 <= count <= _MOST:
            raise BadArguments(where="count", why="value")
        hits = search_transcripts(self.app.transcripts.files(), query, count + 1)
        return HistoryHits(hits=hits[:count], more=len(hits) > count)

    @command(Client.CHAT)
    def export_conversation(self, conversation: str, format: ExportFormat) -> SavedFile:  # noqa: A002  as on the wire
        """Save a conversation in the downloads folder. Raises WriteFailed."""
        folded = self.app.conversations.open(conversation).folded()
        name, data = exported(folded, format, self.app.texts(), self.app.name())
        return SavedFile(path=str(save_to_downloads(self.app.downloads(), name, data)))

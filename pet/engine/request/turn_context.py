"""What a turn is made of: everything is passed in, nothing is looked for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pet.access.policy import Access, TurnGate
from pet.clock import Clock
from pet.engine.request.attachments import AttachmentRenderer
from pet.engine.request.recall import RecallLimits
from pet.engine.request.token_budget import TokenEstimator
from pet.engine.transcript_writer import TranscriptWriter
from pet.events import Event
from pet.i18n import Texts
from pet.model import Message, Receipt, SystemBlock
from pet.prompt.context import summary_context
from pet.providers.base import Provider
from pet.providers.retry import RetryPolicy
from pet.tools.spec import Confirm, ToolContext
from pet.transcripts.conversation.model import Conversation
from pet.transcripts.conversation.replay import first_sent, to_messages
from pet.workspace.attachments import Attachments
from pet.workspace.gated_files import GatedFiles, Snapshot

if TYPE_CHECKING:
    from pet.memory.gated_memory import GatedMemory
    from pet.tools.spec import Forgetter
    from pet.workspace.skills import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionLimits:
    """When and how far to compact. ``window``: the model's context in tokens, 0 if unknown."""

    window: int = 0
    share: float = 0.8
    keep_turns: int = 10


FILES_SHARE = 0.4
"""Of a small model's window, for SOUL.md, USER.md and MEMORY.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MindLimits:
    """Of a small model: ``window`` in tokens, ``reply_tokens`` of one reply; ``notes``: whether it is asked what to
    note."""

    window: int = 4_096
    reply_tokens: int = 300
    notes: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """The settings a turn needs, as they were when it began. ``notebook``: for small models, which are asked without
    tools (pet.engine.notebook)."""

    model: str
    max_tokens: int
    effort: str
    thinking: str
    max_rounds: int
    file_characters: int
    losing_share: float = 0.25
    search_count: int = 6
    search_min_score: float = 0.0
    recall: RecallLimits = field(default_factory=RecallLimits)
    compaction: CompactionLimits = field(default_factory=CompactionLimits)
    notebook: MindLimits | None = None


PromptMaker = Callable[[Snapshot, Access, "tuple[Skill, ...]"], tuple[SystemBlock, ...]]


class MessageHistory:
    """The conversation as requests carry it, up to and with the running turn's message; made once for each access."""

    def __init__(
        self,
        folded: Callable[[], Conversation],
        turn: str | None,
        texts: Texts,
        *,
        attachments: Attachments,
        blind: Callable[[], bool],
    ) -> None:
        self._folded = folded
        self._attachments = attachments
        self._blind = blind  # whether the model is known to take no pictures
        self._turn = turn
        self._texts = texts
        self._conversation: Conversation | None = None
        self._made: dict[bool, tuple[Message, ...]] = {}

    @property
    def conversation(self) -> Conversation:
        if self._conversation is None:
            self._conversation = self._folded()
        return self._conversation

    def messages(self, access: Access) -> tuple[Message, ...]:
        if access.replays_gated not in self._made:
            self._made[access.replays_gated] = to_messages(
                self.conversation,
                access,
                self._texts("tool.masked"),
                upto=self._turn,
                framed=lambda summary: summary_context(summary.text, self._texts, gated=summary.memory),
                shown=self._shown(access),
            )
        return self._made[access.replays_gated]

    def _shown(self, access: Access) -> AttachmentRenderer:
        turns = list(self.conversation.turns)
        upto = next((place for place, turn in enumerate(turns) if turn.id == self._turn), len(turns) - 1)
        sent = turns[first_sent(self.conversation, access) : upto + 1]
        gated = () if access.replays_gated else self._attachments.gated(a for turn in sent for a in turn.attachments)
        return AttachmentRenderer(
            sent, self._attachments.read, self._texts, blind=self._blind(), withheld={each.id for each in gated}
        )

    def renew(self) -> None:
        """Something was added that requests carry: context, a summary."""
        self._conversation = None
        self._made.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """Everything one turn is made of."""

    conversation: str
    turn: str
    said: str  # the owner's message
    gate: TurnGate
    files: GatedFiles
    provider: Callable[[], Awaitable[Provider]]
    mark: Callable[[], AbstractContextManager[None]]  # held while a request with memory may be leaving
    make_prompt: PromptMaker
    replay: MessageHistory
    journal: TranscriptWriter
    emit: Callable[[Event], None]
    confirm: Confirm
    texts: Texts
    limits: TurnLimits
    retry: RetryPolicy
    clock: Clock
    sizes: TokenEstimator
    open_memory: Callable[[], GatedMemory | None] = lambda: None
    find_skills: Callable[[], tuple[Skill, ...]] = tuple
    forget: Forgetter | None = None
    is_forgotten: Callable[[str], bool] = lambda _text: False
    tidy: Callable[[], list[Receipt]] = list


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnSnapshot:
    """What was read for a turn when it began, and stays so."""

    snapshot: Snapshot
    skills: tuple[Skill, ...]
    memory: GatedMemory | None


async def load_snapshot(p: TurnContext) -> TurnSnapshot:
    """Files, skills and the way to the index, each on a thread of its own; the index only where the gate allows."""

    def open_memory() -> GatedMemory | None:
        return p.open_memory() if p.gate.access().recalls else None

    snapshot, skills, memory = await asyncio.gather(
        asyncio.to_thread(p.files.snapshot), asyncio.to_thread(p.find_skills), asyncio.to_thread(open_memory)
    )
    return TurnSnapshot(snapshot=snapshot, skills=skills, memory=memory)


def tool_context(p: TurnContext, equipment: TurnSnapshot, *, said: str, confirm: Confirm) -> ToolContext:
    """What the tools of a turn may use. ``said``: the owner's words that may name what was forgotten."""
    return ToolContext(
        files=p.files,
        gate=p.gate,
        confirm=confirm,
        snapshot=equipment.snapshot,
        texts=p.texts,
        file_characters=p.limits.file_characters,
        losing_share=p.limits.losing_share,
        said=said,
        now=p.clock.now,
        memory=equipment.memory,
        forget=p.forget,
        skills=equipment.skills,
        search_count=p.limits.search_count,
        search_min_score=p.limits.search_min_score,
    )

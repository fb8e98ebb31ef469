"""One turn: its conversation, gate, files, limits and history, beside the services that all turns share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.access.policy import TurnGate
from pet.engine.request.message_history import MessageHistory
from pet.engine.request.services import EngineServices, PromptMaker
from pet.engine.request.token_budget import TokenEstimator
from pet.engine.request.turn_limits import TurnLimits
from pet.engine.transcript_writer import TranscriptWriter
from pet.engine.usage import metered
from pet.events import Event
from pet.i18n import Texts
from pet.model import Receipt, Source
from pet.providers.base import Provider
from pet.settings.schema import Settings
from pet.tools.spec import Confirm, ToolContext
from pet.transcripts.conversation.fold import fold, model_of
from pet.transcripts.store import Transcript
from pet.workspace.gated_files import GatedFiles

if TYPE_CHECKING:
    from pet.memory.gated_memory import GatedMemory

_LOSING_SHARE = 0.25
"""A write that takes more of the lines than this asks the owner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """What differs from turn to turn. ``services``: what does not."""

    services: EngineServices
    conversation: str
    turn: str
    said: str  # the owner's message
    gate: TurnGate
    files: GatedFiles
    provider: Callable[[], Awaitable[Provider]]
    make_prompt: PromptMaker
    replay: MessageHistory
    journal: TranscriptWriter
    emit: Callable[[Event], object]
    confirm: Confirm
    texts: Texts
    limits: TurnLimits
    sizes: TokenEstimator
    written_down: set[str]  # turns of which a flush was made, also if the summary after it failed

    @property
    def settings(self) -> Settings:
        return self.limits.settings

    @property
    def window(self) -> int:
        """Tokens that a request and its reply may have together."""
        return self.sizes.window(self.settings.context_window)

    def mark(self) -> AbstractContextManager[None]:
        """Hold this while a request with memory may be leaving."""
        return self.services.in_flight.marked(self.conversation)

    def tidy(self) -> list[Receipt]:
        """Maintain nearly full files if that is due. Raises PetError."""
        return self.services.tidy(self.gate, Source(conversation=self.conversation, turn=self.turn))

    async def load_tools(self, said: str, confirm: Confirm) -> ToolContext:
        """Read files, skills and the way to the index, each on a thread of its own; the index only where the gate
        allows. They stay so for the turn. ``said``: the owner's words that may name what was forgotten."""

        def open_memory() -> GatedMemory | None:
            return self.services.open_memory(self.gate, self.conversation) if self.gate.access().recalls else None

        snapshot, skills, memory = await asyncio.gather(
            asyncio.to_thread(self.files.snapshot),
            asyncio.to_thread(self.services.find_skills),
            asyncio.to_thread(open_memory),
        )
        return ToolContext(
            files=self.files,
            gate=self.gate,
            confirm=confirm,
            snapshot=snapshot,
            texts=self.texts,
            file_characters=self.settings.prompt_file_characters,
            losing_share=_LOSING_SHARE,
            said=said,
            now=self.services.clock.now,
            memory=memory,
            forget=self.services.forget,
            skills=skills,
            search_count=self.settings.search_count,
            search_min_score=self.settings.search_min_score,
        )


def build_turn_context(
    services: EngineServices,
    transcript: Transcript,
    gate: TurnGate,
    *,
    turn: str,
    said: str,
    running: bool,
    emit: Callable[[Event], object],
    confirm: Confirm,
    written_down: set[str],
) -> TurnContext:
    """Build the context of a turn; ``running`` False: for an act after that turn, with its full history.
    ``written_down``: the conversation's own, which flushes add to.

    Its requests all go to the model that the conversation uses now.
    """
    used = services.model_in_use(model_of(transcript.entries))
    texts, limits = services.texts(), services.limits(used)
    sizes = services.sizes.of(limits.settings.model)
    upto = turn if running else None
    return TurnContext(
        services=services,
        conversation=transcript.id,
        turn=turn,
        said=said,
        gate=gate,
        files=GatedFiles(services.store, gate, Source(conversation=transcript.id, turn=turn)),
        provider=metered(
            lambda: services.provider(used),
            lambda: services.is_local(used),
            services.usage,
            sizes.tokens,
            keep=not transcript.temporary,
        ),
        make_prompt=services.make_prompt(used),
        replay=MessageHistory(
            lambda: fold(transcript.entries, running=upto),
            upto,
            texts,
            attachments=services.attachments,
            blind=lambda: sizes.blind,
        ),
        journal=TranscriptWriter(
            transcript,
            turn,
            services.clock,
            off=gate.was_revoked,
            read_only=gate.started.memory and not gate.started.learns,
        ),
        emit=emit,
        confirm=confirm,
        texts=texts,
        limits=limits,
        sizes=sizes,
        written_down=written_down,
    )

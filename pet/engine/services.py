"""Dependencies shared by all conversations of a pet, and the construction of a turn's context."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.access.policy import TurnGate
from pet.clock import Clock
from pet.engine.event_loop import EngineLoop
from pet.engine.request.token_budget import TokenEstimators
from pet.engine.request.turn_context import MessageHistory, PromptMaker, TurnContext, TurnLimits
from pet.engine.transcript_writer import TranscriptWriter
from pet.engine.usage import UsageLedger, metered
from pet.events import Event
from pet.i18n import Texts
from pet.model import ContextPart, ModelChoice, Receipt, Source
from pet.providers.base import Provider
from pet.providers.retry import RetryPolicy
from pet.settings.connections import ModelInUse
from pet.tools.spec import Confirm
from pet.transcripts.conversation.fold import fold, model_of
from pet.transcripts.store import Transcript
from pet.workspace.attachments import Attachments
from pet.workspace.gated_files import GatedFiles
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.versioned.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.memory.gated_memory import GatedMemory
    from pet.tools.spec import Forgetter
    from pet.workspace.skills import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineServices:
    """Dependencies injected by the composition root."""

    loop: EngineLoop
    store: WorkspaceStore
    attachments: Attachments
    clock: Clock
    emit: Callable[[Event], None]
    model_in_use: Callable[[ModelChoice | None], ModelInUse]
    provider: Callable[[ModelInUse], Awaitable[Provider]]
    is_local: Callable[[ModelInUse], Awaitable[bool]]
    in_flight: RequestsInFlight
    usage: UsageLedger
    make_prompt: Callable[[ModelInUse], PromptMaker]
    make_context: Callable[[], tuple[ContextPart, ...]]
    texts: Callable[[], Texts]
    limits: Callable[[ModelInUse], TurnLimits]
    retry: RetryPolicy
    sizes: TokenEstimators
    open_memory: Callable[[TurnGate, str], GatedMemory | None]
    find_skills: Callable[[], tuple[Skill, ...]]
    forget: Forgetter | None
    is_forgotten: Callable[[str], bool]
    tidy: Callable[[TurnGate, Source], list[Receipt]]


def build_turn_context(
    around: EngineServices,
    transcript: Transcript,
    gate: TurnGate,
    *,
    turn: str,
    said: str,
    running: bool,
    emit: Callable[[Event], None],
    confirm: Confirm,
) -> TurnContext:
    """Build the context of a turn; ``running`` False: for an act after that turn, with its full history.

    Its requests all go to the model that the conversation uses now.
    """
    used = around.model_in_use(model_of(transcript.entries))
    texts, limits = around.texts(), around.limits(used)
    source, sizes = Source(conversation=transcript.id, turn=turn), around.sizes.of(limits.model)
    upto = turn if running else None
    return TurnContext(
        conversation=transcript.id,
        turn=turn,
        said=said,
        gate=gate,
        files=GatedFiles(around.store, gate, source),
        provider=metered(
            lambda: around.provider(used),
            lambda: around.is_local(used),
            around.usage,
            keep=not transcript.temporary,
        ),
        mark=lambda: around.in_flight.marked(transcript.id),
        make_prompt=around.make_prompt(used),
        replay=MessageHistory(
            lambda: fold(transcript.entries, running=upto),
            upto,
            texts,
            attachments=around.attachments,
            blind=lambda: sizes.blind,
        ),
        journal=TranscriptWriter(
            transcript,
            turn,
            around.clock,
            off=gate.was_revoked,
            read_only=gate.started.memory and not gate.started.learns,
        ),
        emit=emit,
        confirm=confirm,
        texts=texts,
        limits=limits,
        retry=around.retry,
        clock=around.clock,
        sizes=sizes,
        open_memory=lambda: around.open_memory(gate, transcript.id),
        find_skills=around.find_skills,
        forget=around.forget,
        is_forgotten=around.is_forgotten,
        tidy=lambda: around.tidy(gate, source),
    )

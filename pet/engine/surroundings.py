"""What every conversation of a pet shares, and how a turn's parts are taken from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.clock import Clock
from pet.engine.journal import Journal
from pet.engine.loop import EngineLoop
from pet.engine.parts import PromptMaker, Replay, TurnLimits, TurnParts
from pet.engine.sizes import SizesByModel
from pet.engine.usage import UsageBook, metered
from pet.events import Event
from pet.gate import TurnGate
from pet.model import ContextPart, Receipt, Source
from pet.providers.base import Provider
from pet.providers.retry import RetryPolicy
from pet.texts import Texts
from pet.tools.spec import Confirm
from pet.transcripts.fold import fold
from pet.transcripts.store import Transcript
from pet.workspace.attachments import Attachments
from pet.workspace.gated import GatedFiles
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.memory.gated import GatedMemory
    from pet.tools.spec import Forgetter
    from pet.workspace.skills import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Passed in by ``compose``."""

    loop: EngineLoop
    store: WorkspaceStore
    attachments: Attachments
    clock: Clock
    emit: Callable[[Event], None]
    provider: Callable[[], Awaitable[Provider]]
    in_flight: RequestsInFlight
    usage: UsageBook
    make_prompt: PromptMaker
    make_context: Callable[[], tuple[ContextPart, ...]]
    texts: Callable[[], Texts]
    limits: Callable[[], TurnLimits]
    retry: RetryPolicy
    sizes: SizesByModel
    open_memory: Callable[[TurnGate, str], GatedMemory | None]
    find_skills: Callable[[], tuple[Skill, ...]]
    forget: Forgetter | None
    is_forgotten: Callable[[str], bool]
    tidy: Callable[[TurnGate, Source], list[Receipt]]


def turn_parts(
    around: Surroundings,
    transcript: Transcript,
    gate: TurnGate,
    *,
    turn: str,
    said: str,
    running: bool,
    emit: Callable[[Event], None],
    confirm: Confirm,
) -> TurnParts:
    """The parts of a turn; with ``running`` False of an act after that turn, which carries all that was said."""
    texts, limits = around.texts(), around.limits()
    source, sizes = Source(conversation=transcript.id, turn=turn), around.sizes.of(limits.model)
    upto = turn if running else None
    return TurnParts(
        conversation=transcript.id,
        turn=turn,
        said=said,
        gate=gate,
        files=GatedFiles(around.store, gate, source),
        provider=metered(around.provider, around.usage, keep=not transcript.temporary),
        mark=lambda: around.in_flight.marked(transcript.id),
        make_prompt=around.make_prompt,
        replay=Replay(
            lambda: fold(transcript.entries, running=upto),
            upto,
            texts,
            read=around.attachments.read,
            blind=lambda: sizes.blind,
        ),
        journal=Journal(transcript, turn, around.clock, off=gate.shrank),
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

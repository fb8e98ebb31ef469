"""What all conversations of a pet share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.access.policy import TurnGate, VisibleFiles
from pet.clock import Clock
from pet.engine.event_loop import EngineLoop
from pet.engine.request.token_budget import TokenEstimators
from pet.engine.request.turn_limits import TurnLimits
from pet.engine.usage import UsageLedger
from pet.events import Event
from pet.i18n import Texts
from pet.model import ContextPart, ModelChoice, Receipt, Source, SystemBlock
from pet.providers.base import Provider
from pet.providers.retry import RetryPolicy
from pet.settings.connections import ModelInUse
from pet.workspace.attachments import Attachments
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.versioned.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.memory.gated_memory import GatedMemory
    from pet.tools.spec import Forgetter
    from pet.workspace.skills import Skill

PromptMaker = Callable[[VisibleFiles, "tuple[Skill, ...]"], tuple[SystemBlock, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineServices:
    """Dependencies injected by the composition root."""

    loop: EngineLoop
    store: WorkspaceStore
    attachments: Attachments
    clock: Clock
    emit: Callable[[Event], object]
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
    wait_for_embedders: Callable[[float], bool]  # at most so many seconds
    find_skills: Callable[[], tuple[Skill, ...]]
    forget: Forgetter | None
    is_forgotten: Callable[[str], bool]
    tidy: Callable[[TurnGate, Source], list[Receipt]]

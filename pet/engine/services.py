"""The services that all conversations of a pet share, as ports that the composition root implements."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Protocol

from pet.access import TurnGate, VisibleFiles
from pet.clock import Clock
from pet.engine.event_loop import EngineLoop
from pet.engine.token_budget import FittingProvider, TokenEstimator, TokenEstimators
from pet.engine.usage import MeteredProvider, UsageLedger
from pet.events import Event
from pet.i18n import Texts
from pet.model import ContextPart, ModelChoice, Receipt, Source, SystemBlock, UsedMemory
from pet.providers.base import Provider
from pet.providers.faults import RetryPolicy
from pet.settings.connections import ModelInUse
from pet.settings.schema import Settings
from pet.workspace.attachments import Attachments
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:  # lazy at runtime: the index is slow to import
    from pet.memory.embedders import Vectors
    from pet.memory.gated_memory import GatedMemory
    from pet.net.fetch import FetchPolicy
    from pet.tools.tool import Forgetter, TurnTools
    from pet.workspace.skills import Skill

FILES_SHARE = 0.4
"""Share of a small model's window for SOUL.md, USER.md and MEMORY.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelLimits:
    """Limits of a small model: ``window`` and ``reply_tokens`` in tokens. ``notes``: whether notes are taken.
    ``warms``: whether reading ahead is free and stays computed, as in a process of our own."""

    window: int = 4_096
    reply_tokens: int = 300
    notes: bool = True
    warms: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """Limits of a turn, from the settings when it begins. ``settings``: with the model in use, narrowed to a small
    model's limits. ``notebook``: set for small models without tools."""

    settings: Settings
    notebook: LocalModelLimits | None = None


def turn_limits(settings: Settings, local_model: LocalModelLimits | None = None) -> TurnLimits:
    """Return the settings' limits, narrowed to those of a small model on this computer."""
    if local_model is not None:
        reply = min(settings.max_tokens, local_model.reply_tokens)
        settings = replace(settings, max_tokens=reply, context_window=local_model.window)
    return TurnLimits(settings=settings, notebook=local_model)


class Models(Protocol):
    """The models that requests go to."""

    def in_use(self, choice: ModelChoice | None, /) -> ModelInUse:
        """Return the model for a conversation that chose ``choice``; None: its pet's, or the default."""

    async def provider(self, used: ModelInUse, /) -> Provider:
        """Raises ProviderFault, SettingsInvalid."""

    async def ask_window(self, used: ModelInUse, /) -> int:
        """Ask the model's server for its window and tools unless they are known; return the window in tokens, 0 if
        unknown. Never raises."""

    async def tools_refused(self, used: ModelInUse, /) -> None:
        """Remember that the server refused tools for this model."""

    async def is_local(self, used: ModelInUse, /) -> bool:
        """Whether its tokens cost nothing."""

    def limits(self, used: ModelInUse, /) -> TurnLimits: ...


class Memory(Protocol):
    """The pet's memory index, and what is maintained of its files."""

    @property
    def forgetter(self) -> Forgetter | None: ...

    def open(self, gate: TurnGate, conversation: str, /) -> GatedMemory | None:
        """Return a turn's access to the index; None if there is no usable index."""

    def wait_until_warm(self, seconds: float, /) -> bool:
        """Load what recall needs; whether it is loaded within ``seconds``."""

    def prepare(self, draft: str, /) -> None:
        """Prepare recall for a message that is being typed; "" drops it. Returns at once."""

    def embed_quickly(self, texts: Sequence[str], /) -> Vectors | None:
        """Return one vector per text if a quick embedder is loaded, else None. Loads nothing and keeps nothing."""

    def is_forgotten(self, text: str, /) -> bool: ...

    def earlier(self, gate: TurnGate, message: str, hits: Sequence[UsedMemory], today: date, /) -> list[UsedMemory]:
        """Return what the recalled entries of core files replaced, for a message about the past; else nothing.
        Raises PetError."""

    def maintain(self, gate: TurnGate, source: Source, /) -> list[Receipt]:
        """Maintain nearly full files if that is due. Raises PetError."""


class Prompting(Protocol):
    """The program's own texts in a request."""

    def texts(self) -> Texts: ...

    def skills(self) -> tuple[Skill, ...]:
        """Return the skills on offer, read from disk."""

    def system(
        self, used: ModelInUse, files: VisibleFiles, skills: tuple[Skill, ...], /
    ) -> tuple[SystemBlock, ...]: ...

    def message_context(self) -> tuple[ContextPart, ...]:
        """Return what accompanies every message: the time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineServices:
    """Dependencies injected by the composition root."""

    loop: EngineLoop
    clock: Clock
    emit: Callable[[Event], object]
    store: WorkspaceStore
    attachments: Attachments
    in_flight: RequestsInFlight
    usage: UsageLedger
    retry: RetryPolicy
    sizes: TokenEstimators
    models: Models
    memory: Memory
    prompting: Prompting
    fetches: Callable[[], FetchPolicy] | None  # of web pages, for tests
    more_tools: Callable[[str, TurnGate], Awaitable[TurnTools]]  # of extras, for a turn of a conversation

    async def provider(self, used: ModelInUse, sizes: TokenEstimator, *, keep: bool) -> Provider:
        """Return the model's provider, its calls counted and limited. ``keep`` False: a temporary conversation.
        Raises ProviderFault, SettingsInvalid."""
        inner, local = FittingProvider(await self.models.provider(used), sizes), await self.models.is_local(used)
        return MeteredProvider(inner, self.usage, sizes.tokens, keep=keep, local=local)

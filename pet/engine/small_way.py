"""The port to small models, which get no tools: a short prompt, and a question about what to note."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pet.extra import is_provided, provided

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pet.access import Access, MemoryMode
    from pet.engine.model_limits import LocalModelLimits
    from pet.engine.system_prompt import PromptView
    from pet.engine.turn import ReplyStrategy
    from pet.engine.turn_context import TurnContext
    from pet.i18n import Texts
    from pet.model import ContextPart, Request
    from pet.workspace.gated_files import GatedFiles
    from pet.workspace.store import WorkspaceStore


class SmallWay(Protocol):
    def strategy(self, context: TurnContext, limits: LocalModelLimits, *, recalled: bool = False) -> ReplyStrategy:
        """Return the strategy of one turn. ``recalled``: whether the message has its recall results already."""

    def preview(
        self,
        store: WorkspaceStore,
        limits: LocalModelLimits,
        texts: Texts,
        *,
        memory: bool | MemoryMode,
        beside: Callable[[GatedFiles, Access], Sequence[ContextPart]] = ...,
    ) -> PromptView:
        """Return the prompt of the replies, as ``preview_prompt`` does."""

    def warming_requests(self, limits: LocalModelLimits, model: str, soul: str, texts: Texts) -> tuple[Request, ...]:
        """Return requests that make a server compute the beginning of each reply and question, without gated
        files."""


def small_way() -> SmallWay | None:
    """Return the way of small models; None without the extra: then every model gets the whole prompt and tools."""
    way = provided("small_models")
    return way() if way else None


def has_small_way() -> bool:
    """Return whether the extra is there; loads nothing of it."""
    return is_provided("small_models")

"""What a tool reaches beyond the pet's files: the owner's messages, and work that ends with the turn."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from pet.engine.cancellation import CancelScope, TurnAborted
from pet.engine.message_history import MessageHistory
from pet.errors import ToolRefused
from pet.model import TurnEnd

if TYPE_CHECKING:
    from pet.net.fetch import FetchPolicy

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TurnReach:
    """``fetches``: the fetch policy of tests; ``characters``: the most of a text from outside in a request."""

    scope: CancelScope
    history: MessageHistory
    fetches: Callable[[], FetchPolicy] | None
    characters: int

    def owner_texts(self) -> list[str]:
        """Return the owner's messages, this turn's too. What the program sends in their place is not among them."""
        return [turn.text for turn in self.history.conversation.turns if turn.kind != "continue"]

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result. Raises ToolRefused if the turn ends."""
        try:
            return await self.scope.run(work)
        except TurnAborted as aborted:
            raise ToolRefused("stopped" if aborted.end is TurnEnd.STOPPED else "memory_off") from None

"""Web pages in one turn: what the owner wrote in the conversation, and reading a page within the turn's scope."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pet.engine.cancellation import CancelScope, TurnAborted
from pet.engine.message_history import MessageHistory
from pet.engine.services import WebPages
from pet.errors import ToolRefused
from pet.model import TurnEnd, WebPage
from pet.net.web_address import WebAddress
from pet.prompt.fence import escape, one_line


@dataclass(frozen=True, slots=True)
class TurnPages:
    """``characters``: the most of a page that goes into a request."""

    scope: CancelScope
    history: MessageHistory
    pages: WebPages
    characters: int

    def owner_texts(self) -> list[str]:
        """Return the owner's messages, this turn's too. What the program sends in their place is not among them."""
        return [turn.text for turn in self.history.conversation.turns if turn.kind != "continue"]

    async def read(self, address: WebAddress) -> WebPage:
        """Return the page, its text bounded and escaped. Raises PageRefused, or ToolRefused if the turn ends."""
        try:
            page = await self.scope.run(self.pages.read(address, self.characters))
        except TurnAborted as aborted:
            raise ToolRefused("stopped" if aborted.end is TurnEnd.STOPPED else "memory_off") from None
        return replace(page, address=one_line(page.address, 2_000), text=escape(page.text))

"""What the shell itself asks of the core: through the table, as any page does, and only once the core is there.

Owns no state. Refuses to wait: before the core is there, there is nothing to ask.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Literal

from pet.shell.late import LateCore
from pet.texts import Texts

if TYPE_CHECKING:
    from pet.events import Event

Asker = Literal["pet", "chat", "socket"]


class Asking:
    """From any thread. ``first``: the texts until the core has its own."""

    def __init__(self, late: LateCore, first: Texts) -> None:
        self._late = late
        self._first = first

    def ask(self, asker: Asker, name: str, args: dict[str, object] | None = None) -> dict[str, object]:
        """The value of the reply; empty where there is none."""
        core = self._late.there()
        if core is None:
            return {}
        from pet.bridge.api import Client

        envelope = json.loads(core.commands.invoke(Client(asker), name, json.dumps(args or {})))
        value = envelope.get("value") if envelope.get("ok") else None
        return dict(value) if isinstance(value, dict) else {}

    def ask_later(self, asker: Asker, name: str, args: dict[str, object]) -> None:
        """On a thread of its own: whoever clicked does not wait for the answer."""
        threading.Thread(target=self.ask, args=(asker, name, args), name="asked", daemon=True).start()

    def status(self) -> dict[str, object]:
        return self.ask("socket", "get_status")

    def pet_name(self) -> str:
        return str(self.status().get("pet_name", ""))

    def tell(self, event: Event) -> None:
        core = self._late.there()
        if core is not None:
            core.emitter.emit(event)

    def texts(self) -> Texts:
        core = self._late.there()
        return core.texts() if core is not None else self._first

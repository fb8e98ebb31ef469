"""What the shell itself asks of the core: through the table, as any page does, and only once the core is there.

Owns no state. Refuses to wait: before the core is there, there is nothing to ask.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Literal

from pet.desktop.deferred_core import DeferredCore
from pet.i18n import Texts
from pet.outside_data import read_json

if TYPE_CHECKING:
    from pet.events import Event

Asker = Literal["pet", "chat", "socket"]


class CoreClient:
    """From any thread. ``first``: the texts until the core has its own."""

    def __init__(self, late: DeferredCore, first: Texts) -> None:
        self._late = late
        self._first = first

    def call(self, asker: Asker, name: str, args: dict[str, object] | None = None) -> dict[str, object]:
        """The value of the reply; empty where there is none."""
        core = self._late.get_nowait()
        if core is None:
            return {}
        from pet.bridge.api import Client

        envelope = read_json(core.commands.invoke(Client(asker), name, json.dumps(args or {})))
        value = envelope.get("value") if envelope.get("ok") else None
        return dict(value) if isinstance(value, dict) else {}

    def call_async(self, asker: Asker, name: str, args: dict[str, object]) -> None:
        """On a thread of its own: whoever clicked does not wait for the answer."""
        threading.Thread(target=self.call, args=(asker, name, args), name="asked", daemon=True).start()

    def status(self) -> dict[str, object]:
        return self.call("socket", "get_status")

    def pet_name(self) -> str:
        return str(self.status().get("pet_name", ""))

    def emit(self, event: Event) -> None:
        core = self._late.get_nowait()
        if core is not None:
            core.emitter.emit(event)

    def texts(self) -> Texts:
        core = self._late.get_nowait()
        return core.texts() if core is not None else self._first

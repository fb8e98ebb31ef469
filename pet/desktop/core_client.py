"""Calls from the shell to the core, through the same command table as the pages.

Stateless. Never waits: without a core the call is dropped.
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
    """Thread-safe. ``first``: the catalogue to use until the core provides its own."""

    def __init__(self, late: DeferredCore, first: Texts) -> None:
        self._late = late
        self._first = first

    def call(self, asker: Asker, name: str, args: dict[str, object] | None = None) -> dict[str, object]:
        """Return the value of the reply; empty if there is none."""
        core = self._late.get_nowait()
        if core is None:
            return {}
        from pet.bridge.command import Client

        envelope = read_json(core.commands.invoke(Client(asker), name, json.dumps(args or {})))
        value = envelope.get("value") if envelope.get("ok") else None
        return dict(value) if isinstance(value, dict) else {}

    def call_async(self, asker: Asker, name: str, args: dict[str, object]) -> None:
        """Call on a separate thread, so that the GUI thread does not wait for the reply."""
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

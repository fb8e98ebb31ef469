"""Progress of an import."""

from __future__ import annotations

from typing import Literal

from pet.events import Event

ImportPhase = Literal["none", "reading", "ready", "writing", "done", "failed"]


class ImportMoved(Event):
    """Progress or state of an import. ``done`` and ``total`` in bytes; ``total`` 0: unknown."""

    phase: ImportPhase
    done: int = 0
    total: int = 0

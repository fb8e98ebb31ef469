"""HEARTBEAT.md: now and then the pet's model is asked whether there is something to say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts
from pet.extras.heartbeat.settings import HeartbeatSettings

if TYPE_CHECKING:
    from pet.app.pet import Pet


def _make(pet: Pet) -> ExtraParts:
    def start() -> None:
        from threading import Thread

        from pet.extras.heartbeat.heartbeat import Heartbeat

        heartbeat = Heartbeat(pet)
        pet.closing.callback(heartbeat.stop)
        Thread(target=heartbeat.run, name="heartbeat", daemon=True).start()

    return ExtraParts(start=start)


EXTRA = Extra(make=_make, settings=HeartbeatSettings)

"""HEARTBEAT.md: now and then the pet's model is asked whether there is something to say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pet.extra import Extra, ExtraParts
from pet.settings.setting import Number, Shown, Spec

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatSettings:
    heartbeat_daily_tokens: Annotated[
        int, Spec("company", Number(0, 1_000_000), row=Shown("advanced_desktop", 3, usual=(0, 10_000, 30_000)))
    ] = 10_000


def _make(pet: Pet) -> ExtraParts:
    def start() -> None:
        from threading import Thread

        from pet.extras.heartbeat.heartbeat import Heartbeat

        heartbeat = Heartbeat(pet)
        pet.closing.callback(heartbeat.stop)
        Thread(target=heartbeat.run, name="heartbeat", daemon=True).start()

    return ExtraParts(start=start)


EXTRA = Extra(make=_make, settings=HeartbeatSettings)

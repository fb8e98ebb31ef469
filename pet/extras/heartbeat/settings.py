"""The setting of HEARTBEAT.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pet.settings.setting import Number, Shown, Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatSettings:
    heartbeat_daily_tokens: Annotated[
        int, Spec("company", Number(0, 1_000_000), row=Shown("advanced_desktop", 3, usual=(0, 10_000, 30_000)))
    ] = 10_000

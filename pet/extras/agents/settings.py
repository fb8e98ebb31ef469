"""The setting of other agents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pet.settings.setting import Shown, Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    # what the pet shows of other agents' work
    agents_shown: Annotated[
        Literal["reactions", "states", "silence"], Spec("company", row=Shown("advanced_desktop", 8))
    ] = "reactions"

"""The limits of a turn, from the settings as they are when it begins; pet.toml wins over settings.toml."""

from __future__ import annotations

from pet.engine.turn import TurnLimits
from pet.settings.schema import Settings


def turn_limits(settings: Settings) -> TurnLimits:
    return TurnLimits(
        model=settings.model,
        max_tokens=settings.max_tokens,
        effort=settings.effort,
        thinking=settings.thinking,
        max_rounds=settings.max_rounds,
        file_characters=settings.prompt_file_characters,
    )

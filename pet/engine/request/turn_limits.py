"""The limits of a turn, from the settings as they are when it begins; pet.toml wins over settings.toml."""

from __future__ import annotations

from pet.engine.request.recall import RecallLimits
from pet.engine.request.turn_context import CompactionLimits, MindLimits, TurnLimits
from pet.settings.schema import Settings


def turn_limits(settings: Settings, mind: MindLimits | None = None, *, look_up_seconds: float = 0.15) -> TurnLimits:
    return TurnLimits(
        notebook=mind,
        model=settings.model,
        max_tokens=settings.max_tokens if mind is None else min(settings.max_tokens, mind.reply_tokens),
        effort=settings.effort,
        thinking=settings.thinking,
        max_rounds=settings.max_rounds,
        file_characters=settings.prompt_file_characters,
        search_count=settings.search_count,
        search_min_score=settings.search_min_score,
        recall=RecallLimits(
            on=settings.recall,
            count=settings.recall_count,
            characters=settings.recall_characters,
            threshold=settings.recall_threshold,
            seconds=look_up_seconds,
        ),
        compaction=CompactionLimits(
            window=settings.context_window if mind is None else mind.window,
            share=settings.compact_share,
            keep_turns=settings.compact_keep_turns,
        ),
    )

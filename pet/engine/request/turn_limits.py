"""The limits of a turn, from the settings as they are when it begins; pet.toml wins over settings.toml."""

from __future__ import annotations

from dataclasses import dataclass, field

from pet.engine.request.recall import RecallLimits
from pet.settings.schema import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionLimits:
    """When and how far to compact. ``window``: the model's context in tokens, 0 if unknown."""

    window: int = 0
    share: float = 0.8
    keep_turns: int = 10


FILES_SHARE = 0.4
"""Of a small model's window, for SOUL.md, USER.md and MEMORY.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MindLimits:
    """Of a small model: ``window`` in tokens, ``reply_tokens`` of one reply; ``notes``: whether it is asked what to
    note; ``warms``: whether what it reads ahead stays computed and costs nothing, as in a process of our own."""

    window: int = 4_096
    reply_tokens: int = 300
    notes: bool = True
    warms: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """The settings a turn needs, as they were when it began. ``notebook``: for small models, which are asked without
    tools (pet.engine.notebook)."""

    model: str
    max_tokens: int
    effort: str
    thinking: str
    max_rounds: int
    file_characters: int
    recall: RecallLimits
    losing_share: float = 0.25
    search_count: int = 6
    search_min_score: float = 0.0
    compaction: CompactionLimits = field(default_factory=CompactionLimits)
    notebook: MindLimits | None = None


def turn_limits(settings: Settings, mind: MindLimits | None = None, *, look_up_seconds: float) -> TurnLimits:
    """Return the settings' limits. ``mind``: the narrower ones of a small model on this computer."""
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

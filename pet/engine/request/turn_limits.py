"""The limits of a turn, from the settings as they are when it begins; pet.toml wins over settings.toml."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pet.settings.schema import Settings

FILES_SHARE = 0.4
"""Of a small model's window, for SOUL.md, USER.md and MEMORY.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelLimits:
    """Of a small model: ``window`` in tokens, ``reply_tokens`` of one reply; ``notes``: whether it is asked what to
    note; ``warms``: whether what it reads ahead stays computed and costs nothing, as in a process of our own."""

    window: int = 4_096
    reply_tokens: int = 300
    notes: bool = True
    warms: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """``settings``: with the model in use, narrowed to a small model's limits. ``recall_seconds``: how long a message
    waits for recall. ``notebook``: for small models, which are asked without tools (pet.engine.notebook)."""

    settings: Settings
    recall_seconds: float
    notebook: LocalModelLimits | None = None


def turn_limits(
    settings: Settings, local_model: LocalModelLimits | None = None, *, recall_seconds: float
) -> TurnLimits:
    """Return the settings' limits. ``local_model``: the narrower ones of a small model on this computer."""
    if local_model is not None:
        reply = min(settings.max_tokens, local_model.reply_tokens)
        settings = replace(settings, max_tokens=reply, context_window=local_model.window)
    return TurnLimits(settings=settings, recall_seconds=recall_seconds, notebook=local_model)

"""Limits of a turn, and settings of the model in use: a local one, a small one elsewhere, or none chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pet.engine.small_way import has_small_way
from pet.errors import LocalModelRefused
from pet.providers.endpoint import is_near
from pet.providers.local_models import LocalModels
from pet.settings.connections import UNCHOSEN, origin_of
from pet.settings.schema import Settings, as_used

if TYPE_CHECKING:
    from pet.settings.api_keys import KeyStore

FILES_SHARE = 0.4
"""Share of a small model's window for SOUL.md, USER.md and MEMORY.md."""
_SMALL_WINDOW = 8_192
_REPLY, _TINY_REPLY = 300, 80  # tokens; the tiny model loses coherence in longer replies


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelLimits:
    """Limits of a small model: ``window`` and ``reply_tokens`` in tokens. ``notes``: whether notes are taken.
    ``warms``: whether reading ahead is free and stays computed, as in a process of our own."""

    window: int = 4_096
    reply_tokens: int = 300
    notes: bool = True
    warms: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """Limits of a turn, from the settings when it begins. ``settings``: with the model in use, narrowed to a small
    model's limits. ``notebook``: set for small models without tools."""

    settings: Settings
    notebook: LocalModelLimits | None = None


def turn_limits(settings: Settings, local_model: LocalModelLimits | None = None) -> TurnLimits:
    """Return the settings' limits, narrowed to those of a small model on this computer."""
    if local_model is not None:
        reply = min(settings.max_tokens, local_model.reply_tokens)
        settings = replace(settings, max_tokens=reply, context_window=local_model.window)
    return TurnLimits(settings=settings, notebook=local_model)


def settings_without_choice(models: LocalModels, keys: KeyStore, settings: Settings) -> Settings:
    """Return the settings while no model is chosen: with a downloaded model that runs here, else with the demo. A key
    for the shipped address counts as a choice."""
    if keys.may_have(origin_of(settings.base_url)):
        return settings
    downloaded = models.downloaded()
    return replace(settings, connection=UNCHOSEN, local_model=downloaded, demo=not downloaded)


def local_model_limits(models: LocalModels, settings: Settings) -> LocalModelLimits | None:
    """Return the limits of a small model; None for a model that gets the whole prompt and tools."""
    if settings.notebook == "off" or not has_small_way():
        return None
    if not settings.local_model:
        small = 0 < settings.context_window <= _SMALL_WINDOW and is_near(settings.base_url)
        window = settings.context_window or _SMALL_WINDOW
        limits = LocalModelLimits(window=window, reply_tokens=_REPLY if window <= _SMALL_WINDOW else window // 8)
        return limits if small or settings.notebook == "on" else None
    try:
        local_model = models.check(settings.local_model, cached=True)
    except LocalModelRefused:
        return LocalModelLimits()  # the request itself will report the error
    if not local_model.notebook and settings.notebook != "on":
        return None
    reply = _TINY_REPLY if local_model.tiny else _REPLY
    return LocalModelLimits(window=local_model.context, notes=not local_model.tiny, reply_tokens=reply, warms=True)


def answers_well(models: LocalModels, settings: Settings) -> bool:
    """Return whether the model can decide if something is worth saying; false for the demo and small models."""
    return not settings.demo and local_model_limits(models, settings) is None


def settings_in_use(models: LocalModels, settings: Settings) -> Settings:
    """Return the settings with a local model in place of the address, and with its process's context window."""
    used = as_used(settings)
    if not settings.local_model:
        return used
    try:
        local_model = models.check(settings.local_model, cached=True)
    except LocalModelRefused:
        return used
    return replace(
        used, context_window=local_model.context, max_tokens=min(settings.max_tokens, local_model.context // 4)
    )

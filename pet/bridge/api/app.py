"""The frame of the chat page: all it needs before it has asked for anything else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pet.bridge.api.base import CHAT, Command, Nothing
from pet.bridge.api.conversations import TabState
from pet.bridge.api.settings import KeyState


@dataclass(frozen=True, slots=True, kw_only=True)
class AppState:
    version: str
    language: Literal["zh", "en"]
    theme: Literal["system", "light", "dark"]
    reduced_motion: Literal["system", "on", "off"]
    pet: str
    pet_name: str
    model: str
    base_url: str
    host: str  # who gets the memory while the brain is on
    host_told: bool  # the owner has been told so once
    key: KeyState
    key_needed: bool  # the endpoint asks for one (loopback does not)
    memory_default: bool
    memory_read_only: bool
    paused: bool
    shortcut_memory: str
    tabs: list[TabState]
    active_tab: str | None
    backend: str
    abilities: list[str]  # of this platform, e.g. "tray", "click_through"
    home: str
    demo: bool = False  # prepared answers instead of a model
    mind: str = ""  # the name of the model on this computer that thinks, if one does
    welcome: int = 0  # the step of the first start to go on with; 0: it is over
    quick_replies: bool = True
    unread: list[str] = field(default_factory=list)  # conversations that hold something nobody has seen


ROWS: tuple[Command, ...] = (
    Command("get_app_state", Nothing, AppState, CHAT, "Everything the page needs to draw its frame."),
)

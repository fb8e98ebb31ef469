"""Settings, the API key, the connection to the model, and what it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.bridge.api.base import CHAT, Command, Nothing
from pet.events import ErrorInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """All that leaves the core about the API key."""

    set: bool
    source: Literal["environment", "keyring", "session", "file", "none"]
    last4: str
    keyring_available: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsView:
    """Every setting the page shows; ``overridden`` names those an environment variable or pet.toml decides."""

    connection: str
    base_url: str
    model: str
    demo: bool  # prepared answers instead of a model
    protocol: Literal["auto", "anthropic", "openai"]
    mind: str  # a model on this computer, "" for the one at the address
    notebook: Literal["auto", "on", "off"]
    effort: str
    max_tokens: int
    thinking: Literal["default", "off"]
    memory_default: bool
    memory_read_only: bool
    language: Literal["system", "zh", "en"]
    theme: Literal["system", "light", "dark"]
    reduced_motion: Literal["system", "on", "off"]
    prompt_file_characters: int
    prompt_total_characters: int
    context_window: int
    max_rounds: int
    daily_tokens: int
    price_input: float
    price_output: float
    history_days: int
    recall: bool
    recall_count: int
    recall_characters: int
    recall_threshold: float
    search_count: int
    search_min_score: float
    search_weights: Literal["calibrated", "fixed"]
    search_meaning_weight: float
    search_word_weight: float
    search_half_life_days: int
    index_pieces: Literal["entries", "windows"]
    index_piece_tokens: int
    index_overlap_tokens: int
    compact_share: float
    compact_keep_turns: int
    upkeep: bool
    shortcut_memory: str
    pet_size: int
    pet_opacity: int
    fade_on_hover: bool
    fade_opacity: int
    hide_fullscreen: bool
    quick_replies: bool
    bubbles: bool
    bubble_seconds: int
    promise_bubbles: bool
    greetings: Literal["off", "daily", "twice"]
    ask_after: bool
    ask_after_count: int
    do_not_disturb: bool
    quiet_from: str
    quiet_until: str
    shortcut_chat: str
    shortcut_pet: str
    shortcut_screenshot: str
    overridden: list[str]
    problems: list[ErrorInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestReply:
    ok: bool
    model: str
    milliseconds: int
    error: ErrorInfo | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelList:
    models: list[str]
    error: ErrorInfo | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSection:
    name: str  # rules, IDENTITY.md, SOUL.md, ..., tools
    text: str
    characters: int
    tokens: int  # estimated
    cut: int  # characters left out


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptView:
    """``blocks``: the system blocks as sent, in order; ``sections``: the same characters by what they are about."""

    memory: bool
    read_only: bool
    blocks: list[str]
    sections: list[PromptSection]
    tools: list[str]
    characters: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsArgs:
    """Only what changes; names as in SettingsView."""

    changes: dict[str, str | int | float | bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyArgs:
    """The key goes in and never comes out. ``keep``: where it stays."""

    key: str
    keep: Literal["keyring", "session", "file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptArgs:
    memory: bool
    read_only: bool = False


ROWS: tuple[Command, ...] = (
    Command("get_settings", Nothing, SettingsView, CHAT, "Current settings."),
    Command("change_settings", SettingsArgs, SettingsView, CHAT, "Change some settings; all or none."),
    Command("set_key", KeyArgs, KeyState, CHAT, "Store the API key. Write-only."),
    Command("delete_key", Nothing, KeyState, CHAT, "Forget the API key."),
    Command("test_connection", Nothing, TestReply, CHAT, "Ask the model for one word."),
    Command("list_models", Nothing, ModelList, CHAT, "The models the server names."),
    Command("preview_prompt", PromptArgs, PromptView, CHAT, "What my pet sees."),
)

"""Settings: read, with what is decided elsewhere, and changed; what the pet sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from pet.access.policy import Brain
from pet.bridge.command import Client, command
from pet.events import ErrorInfo
from pet.services.prompt_preview import PromptView
from pet.settings.schema import NAMES, LanguageSetting
from pet.settings.store import PetSettings, SettingsStore


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """All that leaves the core about the API key."""

    set: bool
    source: Literal["environment", "keyring", "session", "file", "none"]
    last4: str
    keyring_available: bool
    locked: bool


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
    language: LanguageSetting
    theme: Literal["system", "light", "dark"]
    reduced_motion: Literal["system", "on", "off"]
    prompt_mode: Literal["full", "minimal", "none"]
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
    heartbeat_daily_tokens: int
    heartbeat_minutes: int
    do_not_disturb: bool
    quiet_from: str
    quiet_until: str
    shortcut_chat: str
    shortcut_pet: str
    shortcut_screenshot: str
    overridden: list[str]
    problems: list[ErrorInfo]


class Preview(Protocol):
    def __call__(self, *, memory: bool | Brain, conversation: str | None = None) -> PromptView: ...


class SettingsCommands:
    def __init__(
        self,
        store: SettingsStore,
        own: Callable[[], PetSettings],
        preview: Preview,
    ) -> None:
        self._store = store
        self._own = own
        self._preview = preview

    @command(Client.CHAT)
    def get_settings(self) -> SettingsView:
        """Current settings.

        Return the settings of this pet: those from its pet.toml count as overridden.
        """
        own = self._own()
        settings, overridden = own.over(self._store.current(), self._store.overridden())
        return SettingsView(
            **{name: getattr(settings, name) for name in NAMES},
            overridden=overridden,
            problems=[ErrorInfo.of(problem) for problem in (*self._store.problems(), *own.problems)],
        )

    @command(Client.CHAT)
    def change_settings(self, changes: dict[str, str | int | float | bool]) -> SettingsView:
        """Change some settings; all or none.

        Only what changes; names as in SettingsView.
        """
        self._store.change(changes)
        return self.get_settings()

    @command(Client.CHAT)
    def preview_prompt(self, memory: bool, read_only: bool = False, conversation: str | None = None) -> PromptView:
        """What my pet sees.

        ``conversation``: whose model it is for; None: the default.
        """
        brain = Brain.of(memory, read_only=read_only)
        return self._preview(memory=brain, conversation=conversation)

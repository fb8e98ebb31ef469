"""Settings, the API key, the connection to the model. The key can be stored but never read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from pet.access.policy import Brain
from pet.bridge.command import Client, command
from pet.clock import Clock
from pet.engine.event_loop import EngineLoop
from pet.errors import ProviderFault, SettingsInvalid
from pet.events import ErrorInfo, Event, SettingsChanged
from pet.model import Message, Request, TextPart
from pet.providers.base import Provider, RoundDone
from pet.providers.endpoint import endpoint_of
from pet.services.prompt_preview import PromptView
from pet.settings.api_keys import KeyStatus, KeyStore, origin_of
from pet.settings.schema import NAMES, Settings, as_used
from pet.settings.store import PetSettings, SettingsStore


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


_ASK_SECONDS = 120


class Preview(Protocol):
    def __call__(self, *, memory: bool | Brain) -> PromptView: ...


class ProviderSource(Protocol):
    async def __call__(self) -> Provider: ...


class SettingsCommands:
    def __init__(
        self,
        store: SettingsStore,
        own: Callable[[], PetSettings],
        keys: KeyStore,
        provider: ProviderSource,
        loop: EngineLoop,
        clock: Clock,
        emit: Callable[[Event], None],
        preview: Preview,
    ) -> None:
        self._store = store
        self._own = own
        self._keys = keys
        self._provider = provider
        self._loop = loop
        self._clock = clock
        self._emit = emit
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
    def change_settings(self, args: SettingsArgs) -> SettingsView:
        """Change some settings; all or none."""
        self._store.change(args.changes)
        return self.get_settings()

    @command(Client.CHAT)
    def set_key(self, args: KeyArgs) -> KeyState:
        """Store the API key. Write-only."""
        self._keys.set(self._origin(), args.key, args.keep)
        self._emit(SettingsChanged())
        return self.key_state()

    @command(Client.CHAT)
    def delete_key(self) -> KeyState:
        """Forget the API key."""
        self._keys.delete(self._origin())
        self._emit(SettingsChanged())
        return self.key_state()

    def forget_keys(self) -> None:
        """Delete all keys, of every origin. Not in the command table: used when erasing everything."""
        self._keys.forget_all(self._origin())

    def key_state(self) -> KeyState:
        status: KeyStatus = self._keys.status(self._origin())
        return KeyState(
            set=status.set,
            source=status.source,
            last4=status.last4,
            keyring_available=status.keyring_available,
        )

    @command(Client.CHAT)
    def test_connection(self) -> TestReply:
        """Ask the model for one word.

        Request one word from the model, with no file of the pet in the request.
        """
        settings = self._current()
        started = self._clock.monotonic()
        try:
            model = self._loop.submit(asyncio.wait_for(self._ask(settings), _ASK_SECONDS)).result()
        except (ProviderFault, SettingsInvalid) as fault:
            return TestReply(ok=False, model=settings.model, milliseconds=0, error=ErrorInfo.of(fault))
        except TimeoutError:
            return TestReply(ok=False, model=settings.model, milliseconds=0, error=_late(settings))
        milliseconds = round((self._clock.monotonic() - started) * 1000)
        return TestReply(ok=True, model=model or settings.model, milliseconds=milliseconds, error=None)

    @command(Client.CHAT)
    def list_models(self) -> ModelList:
        """The models the server names."""
        try:
            models = self._loop.submit(asyncio.wait_for(self._models(), _ASK_SECONDS)).result()
        except (ProviderFault, SettingsInvalid) as fault:
            return ModelList(models=[], error=ErrorInfo.of(fault))
        except TimeoutError:
            return ModelList(models=[], error=_late(self._current()))
        return ModelList(models=models, error=None)

    @command(Client.CHAT)
    def preview_prompt(self, args: PromptArgs) -> PromptView:
        """What my pet sees."""
        return self._preview(memory=Brain.of(args.memory, read_only=args.read_only))

    async def _ask(self, settings: Settings) -> str:
        provider = await self._provider()
        request = Request(
            model=settings.model,
            max_tokens=16,
            system=(),
            tools=(),
            messages=(Message(role="user", parts=(TextPart(text="Say: ok"),)),),
        )
        model = ""
        async for event in provider.stream(request):
            if isinstance(event, RoundDone):
                model = event.model
        return model

    async def _models(self) -> list[str]:
        return await (await self._provider()).list_models()

    def _current(self) -> Settings:
        return as_used(self._own().over(self._store.current(), self._store.overridden())[0])

    def _origin(self) -> str:
        """Return the origin of the configured URL, even while a local model is active."""
        return origin_of(self._own().over(self._store.current(), self._store.overridden())[0].base_url)


def _late(settings: Settings) -> ErrorInfo:
    return ErrorInfo.of(ProviderFault("timeout", retryable=True, host=endpoint_of(settings.base_url).host))

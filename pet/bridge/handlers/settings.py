"""Handlers for settings, the API key and the endpoint. The key can be stored but never read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from pet.bridge.api import KeyArgs, KeyState, ModelList, Nothing, SettingsArgs, SettingsView, TestReply
from pet.clock import Clock
from pet.engine.event_loop import EngineLoop
from pet.errors import ProviderFault, SettingsInvalid
from pet.events import ErrorInfo, Event, SettingsChanged
from pet.model import Message, Request, TextPart
from pet.providers.base import Provider, RoundDone
from pet.providers.endpoint import endpoint_of
from pet.settings.api_keys import KeyStatus, KeyStore, origin_of
from pet.settings.schema import NAMES, Settings, as_used
from pet.settings.store import PetSettings, SettingsStore

_ASK_SECONDS = 120


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
    ) -> None:
        self._store = store
        self._own = own
        self._keys = keys
        self._provider = provider
        self._loop = loop
        self._clock = clock
        self._emit = emit

    def get_settings(self, _args: Nothing) -> SettingsView:
        """Return the settings of this pet: those from its pet.toml count as overridden."""
        own = self._own()
        settings, overridden = own.over(self._store.current(), self._store.overridden())
        return SettingsView(
            **{name: getattr(settings, name) for name in NAMES},
            overridden=overridden,
            problems=[ErrorInfo.of(problem) for problem in (*self._store.problems(), *own.problems)],
        )

    def change_settings(self, args: SettingsArgs) -> SettingsView:
        self._store.change(args.changes)
        return self.get_settings(Nothing())

    def set_key(self, args: KeyArgs) -> KeyState:
        self._keys.set(self._origin(), args.key, args.keep)
        self._emit(SettingsChanged())
        return self.key_state()

    def delete_key(self, _args: Nothing) -> KeyState:
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

    def test_connection(self, _args: Nothing) -> TestReply:  # noqa: PT019  no test, a command of this name
        """Request one word from the model, with no file of the pet in the request."""
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

    def list_models(self, _args: Nothing) -> ModelList:
        try:
            models = self._loop.submit(asyncio.wait_for(self._models(), _ASK_SECONDS)).result()
        except (ProviderFault, SettingsInvalid) as fault:
            return ModelList(models=[], error=ErrorInfo.of(fault))
        except TimeoutError:
            return ModelList(models=[], error=_late(self._current()))
        return ModelList(models=models, error=None)

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

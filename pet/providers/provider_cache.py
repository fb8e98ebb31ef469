"""Choose and cache the provider of each connection in use.

An address of unknown protocol is tried with one after the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.errors import ProviderFault, SettingsInvalid
from pet.model import Request
from pet.providers.base import Provider, Streamed
from pet.providers.endpoint import Protocol, endpoint_of, host_of, protocols_of
from pet.providers.model_facts import ModelFactsBook
from pet.settings.api_keys import ApiKey, Headers, KeyStore
from pet.settings.connections import is_loopback, key_slot
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.providers.anthropic_provider import AnthropicProvider
    from pet.providers.openai_provider import OpenAIProvider

_ELSEWHERE, _RESPONSES_ONLY = "not_an_llm", "responses_only"
_PERHAPS = frozenset({"bad_request", "no_key", "bad_key", "forbidden", "server", "redirected", "cut"})
"""Faults with which servers also answer over a protocol that they don't speak."""


class FallbackProvider:
    """Implements ``Provider``: finds the protocol of each model on a server, and keeps to it.

    A refusal that names Responses leads there. Other faults lead to the next protocol until a first reply, those of
    ``_PERHAPS`` once and only where neither Messages nor chat completions is known of the address.
    """

    def __init__(self, order: Sequence[Protocol], make: Callable[[Protocol], Provider]) -> None:
        self._order = tuple(order)
        self._make = make
        self._made: dict[Protocol, Provider] = {}
        self._speaks: dict[str, Protocol] = {}  # by model
        self._asked_around: set[str] = set()  # models

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        protocol, tried = self._speaks.get(request.model, self._order[0]), list[Protocol]()
        first: ProviderFault | None = None
        advised: Protocol | None = None  # it named Responses
        while True:
            tried.append(protocol)
            answered = False
            try:
                async for event in self._provider(protocol).stream(request):
                    answered, self._speaks[request.model] = True, protocol
                    yield event
            except ProviderFault as fault:
                following = None if answered else self._next(request.model, tried, fault)
                if fault.kind == _RESPONSES_ONLY and following:
                    advised = protocol
                elif fault.kind == _ELSEWHERE and advised:
                    following, advised = advised, None  # Responses isn't there: as well as it goes without
                if following is None:
                    raise first or fault from None
                first = first or (fault if fault.kind in _PERHAPS else None)
                protocol = following
            else:
                return

    def _next(self, model: str, tried: list[Protocol], fault: ProviderFault) -> Protocol | None:
        """Return the protocol to try after this fault of the last one; None if the fault is final."""
        left = [each for each in self._order if each not in tried]
        if fault.kind == _RESPONSES_ONLY:
            left = [each for each in left if each == "responses"]
        elif model in self._speaks:
            return None
        elif fault.kind in _PERHAPS:
            known = model in self._asked_around or not {"anthropic", "openai"} <= {*self._order}
            left = [each for each in left if each != "responses" and not known]
            self._asked_around.add(model)
        elif fault.kind != _ELSEWHERE:
            return None
        return left[0] if left else None

    async def list_models(self, *, every: bool = False) -> list[str]:
        fault = ProviderFault(_ELSEWHERE)
        for protocol in (*self._speaks.values(), *self._order):
            try:
                return await self._provider(protocol).list_models(every=every)
            except ProviderFault as raised:
                if raised.kind != _ELSEWHERE:
                    raise
                fault = raised
        raise fault

    def prepare(self) -> None:
        """Make the first provider, which may import an SDK."""
        self._provider(self._order[0])

    async def close(self) -> None:
        for provider in self._made.values():
            await provider.close()

    def _provider(self, protocol: Protocol) -> Provider:
        if protocol not in self._made:
            self._made[protocol] = self._make(protocol)
        return self._made[protocol]


_MOST = 8  # providers kept
_EVERY: tuple[Protocol, ...] = ("anthropic", "openai", "responses")


@dataclass(frozen=True, slots=True)
class AddressOffer:
    """Models and abilities of an address. ``tools``: whether the model takes any, None if unknown. ``keyed``: it says
    more with a key."""

    protocols: tuple[Protocol, ...]
    models: tuple[str, ...]
    tools: bool | None
    keyed: bool


_Secrets = tuple[ApiKey | None, Headers]


class ProviderCache:
    """One provider per connection, so that HTTP connections are reused. Engine thread only."""

    def __init__(
        self,
        keys: KeyStore,
        address_problem: Callable[[str], SettingsInvalid | None] = lambda _connection: None,
        facts: ModelFactsBook | None = None,
        messages_at: str = "",
    ) -> None:
        """``address_problem``: return why a connection's address is unknown, or None. ``messages_at``: an address
        that was given as one of Messages."""
        self._messages_at = messages_at
        self.facts = facts or ModelFactsBook()
        self._address_problem = address_problem
        self._keys = keys
        self._made: dict[tuple[str, str, tuple[Protocol, ...]], tuple[_Secrets, Provider]] = {}
        self._earlier: list[Provider] = []  # may still be streaming
        self._lock = asyncio.Lock()

    async def __call__(self, settings: Settings) -> Provider:
        """Return the provider, with the key as stored now.

        Raises SettingsInvalid if the address is unknown, KeyStoreFailed if the keyring with the key is locked.
        """
        async with self._lock:  # concurrent conversations share one
            return await self._find(settings)

    async def ask_facts(self, settings: Settings) -> None:
        """Ask the server for the model's window and tools; never raises."""
        if self._address_problem(settings.connection) is None:
            await self.facts.ask(settings, *await self._secrets(settings))

    async def _find(self, settings: Settings) -> Provider:
        base_url, connection = settings.base_url, settings.connection
        if (problem := self._address_problem(connection)) is not None:
            raise problem
        messages = bool(self._messages_at) and host_of(base_url) == host_of(self._messages_at)
        address = (connection, base_url, protocols_of(base_url, settings.protocol, messages=messages))
        secrets = await self._secrets(settings)
        await asyncio.to_thread(_check_unlocked, self._keys, settings, secrets)
        made = self._made.pop(address, None)
        if made is None or _revealed(made[0]) != _revealed(secrets):
            if made is not None:
                self._earlier.append(made[1])
            made = (
                secrets,
                await asyncio.to_thread(_make, *address[1:], secrets),
            )  # may import an SDK, over a second
        self._made[address] = made  # most recently used last
        if len(self._made) > _MOST:
            self._earlier.append(self._made.pop(next(iter(self._made)))[1])
        return made[1]

    async def offer(self, settings: Settings) -> AddressOffer:
        """Ask what an address offers, with requests that are empty. Raises ProviderFault if it does not answer."""
        secrets, spoken, models = await self._secrets(settings), list[Protocol](), list[str]()
        keyed = False
        for protocol in _EVERY:
            provider = await asyncio.to_thread(_speaking, settings.base_url, protocol, secrets)
            try:
                known = await provider.is_spoken()
                keyed = keyed or known is None
                spoken += [protocol] if known else []
                with suppress(ProviderFault):
                    models = models or await provider.list_models()
            finally:
                await provider.close()
        await self.facts.ask(settings, *secrets)
        return AddressOffer(tuple(spoken), tuple(models), self.facts.of(settings).tools, keyed)

    async def is_free(self, settings: Settings) -> bool:
        """Whether the model costs nothing: a loopback address without a key or headers."""
        return is_loopback(settings.base_url) and not any(await self._secrets(settings))

    async def _secrets(self, settings: Settings) -> _Secrets:
        """Read key and headers on a thread: a keyring may prompt the owner."""
        slot = key_slot(settings.connection, settings.base_url)
        return await asyncio.to_thread(lambda: (self._keys.get(slot), self._keys.headers(slot)))

    async def close(self) -> None:
        self._earlier += [provider for _, provider in self._made.values()]
        self._made.clear()
        while self._earlier:
            await self._earlier.pop().close()


def _check_unlocked(keys: KeyStore, settings: Settings, secrets: _Secrets) -> None:
    key, headers = secrets
    slot = key_slot(settings.connection, settings.base_url)
    if not headers:
        keys.check_headers_unlocked(slot)
    if key is None and not headers and not is_loopback(settings.base_url):
        keys.check_unlocked(slot, always_needed=endpoint_of(settings.base_url).anthropic)


def _revealed(secrets: _Secrets) -> tuple[str | None, dict[str, str]]:
    key, headers = secrets
    return key.reveal() if key else None, {name: value.reveal() for name, value in headers.items()}


def _make(base_url: str, order: tuple[Protocol, ...], secrets: _Secrets) -> Provider:
    if len(order) == 1:
        return _speaking(base_url, order[0], secrets)
    provider = FallbackProvider(order, lambda each: _speaking(base_url, each, secrets, instead="responses" in order))
    provider.prepare()
    return provider


def _speaking(
    base_url: str, protocol: Protocol, secrets: _Secrets, *, instead: bool = False
) -> AnthropicProvider | OpenAIProvider:
    key, headers = secrets
    if protocol == "anthropic":
        from pet.providers.anthropic_provider import AnthropicProvider

        return AnthropicProvider(base_url, key, headers=headers)
    from pet.providers.openai_provider import OpenAIProvider

    return OpenAIProvider(base_url, key, responses=protocol == "responses", instead=instead, headers=headers)

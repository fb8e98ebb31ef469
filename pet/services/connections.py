"""Saved connections and their keys: add, change, remove, choose, test.

A key is deleted with its connection, and when the connection's host changes. The default is never replaced by another
connection unasked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from pet.errors import ProviderFault, SettingsInvalid
from pet.model import Message, ModelChoice, Request, TextPart, ToolSpec
from pet.providers.base import Provider, RoundDone
from pet.providers.endpoint import endpoint_of
from pet.providers.local_models import model_name
from pet.serde import vars_of
from pet.settings.api_keys import Keep, KeyStatus, KeyStore
from pet.settings.connections import (
    COMPUTER,
    MAIN,
    UNCHOSEN,
    Connection,
    ModelInUse,
    Protocol,
    is_loopback,
    key_slot,
    new_connection_id,
    origin_of,
    plain_http_warning,
    valid_connection,
)
from pet.settings.schema import Settings, check
from pet.settings.store import SettingsStore

ASK_SECONDS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionInfo:
    """``title``: the name, or the host. ``default``: in use unless a pet or a conversation chose another.
    ``plain_http``: requests are sent unencrypted."""

    id: str
    name: str
    title: str
    host: str
    base_url: str
    protocol: Protocol
    model: str
    default: bool
    key: KeyStatus
    key_needed: bool
    plain_http: bool


@dataclass(frozen=True, slots=True)
class Connections:
    """Reading key states may block on the keyring: not for the GUI thread."""

    store: SettingsStore
    keys: KeyStore
    in_use: Callable[[ModelChoice | None], ModelInUse]
    changed: Callable[[], object] = lambda: None

    def listed(self) -> list[ConnectionInfo]:
        """Return the saved connections; without the main one while it is only the shipped address, neither chosen nor
        written to the settings, and without a key."""
        default = self.default()
        shown: list[ConnectionInfo] = []
        for each in self.store.connections():
            status = self.keys.status(_slot(each))
            if each.id != MAIN or self._set_default() == MAIN or self.store.main_is_written() or status.set:
                shown.append(
                    ConnectionInfo(
                        **vars_of(each),
                        title=each.title,
                        host=endpoint_of(each.base_url).host,
                        default=each.id == default,
                        key=status,
                        key_needed=not is_loopback(each.base_url) and not status.headers,
                        plain_http=plain_http_warning(each.base_url),
                    )
                )
        return shown

    def default(self) -> str:
        """Return the id of the default: of a connection, COMPUTER, or "" for the demo. While none is chosen: the
        one that answers, not the shipped address."""
        default = self._set_default()
        if default == MAIN and (used := self.in_use(None).settings).connection == UNCHOSEN:
            return COMPUTER if used.local_model else ""
        return default

    def _set_default(self) -> str:
        settings = self.store.current()
        return COMPUTER if settings.local_model else "" if settings.demo else settings.connection

    def find(self, connection: str) -> Connection:
        """Return the connection of this id; "" for the default one, even while a local model is in use. Raises
        SettingsInvalid (connection_gone)."""
        connection = connection or self.store.current().connection
        for each in self.store.connections():
            if each.id == connection:
                return each
        raise SettingsInvalid(problem="connection_gone")

    def add(self, connection: Connection) -> Connection:
        """Save a new connection, with an id made from its name or host. Raises SettingsInvalid."""
        taken = [each.id for each in self.store.connections()]
        address = str(check("base_url", connection.base_url))
        id_ = new_connection_id(connection.name or _host(address), taken)
        made = valid_connection(replace(connection, id=id_, base_url=address))
        self.store.save_connection(made)
        return made

    def save(self, connection: Connection) -> None:
        """Change a connection. Raises SettingsInvalid, KeyStoreFailed."""
        before, connection = self.find(connection.id), valid_connection(connection)
        self.store.save_connection(connection)
        if connection.id != MAIN and _slot(before) != _slot(connection):
            self.keys.delete_all(_slot(before))

    def remove(self, connection: str) -> None:
        """Remove a connection and its key. Raises KeyStoreFailed, SettingsInvalid (connection_in_use: it is the
        default, and there are others)."""
        removed = self.find(connection)
        if self.default() == removed.id and len(self.listed()) > 1:
            raise SettingsInvalid(problem="connection_in_use")
        self.keys.delete_all(_slot(removed))
        self.store.remove_connection(removed.id)
        if self.store.current().connection == removed.id != MAIN:
            self.store.change({"connection": MAIN})

    def use(self, connection: str) -> None:
        """Make a connection the default. Raises SettingsInvalid."""
        connection = self.find(connection).id
        main = self.find(MAIN)
        if connection != MAIN and not self.store.main_is_written() and self.keys.status(_slot(main)).set:
            self.store.save_connection(main)  # it had only a key; without an entry it would be lost from the list
        self.store.change({"connection": connection, "local_model": "", "demo": False})

    def set_key(self, connection: str, key: str, keep: Keep) -> None:
        """Store a key; ``keep``: keyring, session or file. Raises SettingsInvalid, KeyStoreFailed."""
        given = self.find(connection)
        self.keys.set(_slot(given), key, keep)
        self._secret_changed(given)

    def set_header(self, connection: str, name: str, value: str, keep: Keep) -> None:
        """Store a header that goes with each request, "" removes it. Raises SettingsInvalid, KeyStoreFailed."""
        given = self.find(connection)
        self.keys.set_header(_slot(given), name, value, keep)
        self._secret_changed(given)

    def _secret_changed(self, given: Connection) -> None:
        if given.id == MAIN and not self.store.main_is_written():
            self.store.change({"base_url": given.base_url})  # chosen, also without the key after a restart
        self.changed()

    def delete_key(self, connection: str) -> None:
        """Delete a key. Raises SettingsInvalid, KeyStoreFailed."""
        self.keys.delete(_slot(self.find(connection)))
        self.changed()

    def choice(self, connection: str, model: str = "") -> ModelChoice:
        """Return the choice for a conversation; ``model`` "": the connection's. Raises SettingsInvalid."""
        if connection == COMPUTER:
            if not model:
                raise SettingsInvalid(problem="not_a_model", setting="model")
            return ModelChoice(connection=COMPUTER, model=model, name=model_name(model))
        chosen = self.find(connection)
        return ModelChoice(
            connection=chosen.id,
            model=model or chosen.model,
            origin=origin_of(chosen.base_url),
            name=chosen.title,
        )

    def key_in_use(self) -> KeyStatus:
        """Return the state of the key that this pet uses."""
        settings = self.in_use(None).settings
        return self.keys.status(key_slot(settings.connection, settings.base_url))

    def forget_keys(self) -> None:
        """Delete the keys of all connections. Raises KeyStoreFailed."""
        self.keys.forget_all(origin_of(self.store.current().base_url))


async def test_model(provider: Callable[[ModelInUse], Awaitable[Provider]], used: ModelInUse) -> str:
    """Request one word, with a tool as messages have some and without any file of the pet; return the model's name as
    reported by the server. Raises ProviderFault, SettingsInvalid."""
    schema = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
    request = Request(
        model=used.settings.local_model or used.settings.model,
        max_tokens=16,
        system=(),
        tools=(ToolSpec(name="say", description="Say a word.", schema=schema),),
        messages=(Message(role="user", parts=(TextPart(text="Say: ok"),)),),
    )
    if used.settings.local_model or used.settings.notebook == "on":
        request = replace(request, tools=())
    model = ""
    try:
        async with asyncio.timeout(ASK_SECONDS):
            try:
                model = await _model_of(await provider(used), request)
            except ProviderFault as fault:
                if fault.kind != "no_tools":  # then it is talked to as small models are
                    raise
                model = await _model_of(await provider(used), replace(request, tools=()))
    except TimeoutError:  # also an OSError, which a terminal would report as a disk error
        raise too_late(used.settings) from None
    return model


async def _model_of(provider: Provider, request: Request) -> str:
    model = ""
    async for event in provider.stream(request):
        if isinstance(event, RoundDone):
            model = event.model
    return model


def too_late(settings: Settings) -> ProviderFault:
    """Return the timeout error of these settings' server."""
    return ProviderFault("timeout", retryable=True, host=endpoint_of(settings.base_url).host)


def _slot(connection: Connection) -> str:
    return key_slot(connection.id, connection.base_url)


def _host(base_url: str) -> str:
    try:
        return origin_of(base_url).partition("://")[2].partition(":")[0]
    except ValueError:
        return ""

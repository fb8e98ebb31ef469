"""Saved connections for the pages and the terminal: each with its key, added, changed, removed, chosen.

A key goes with its connection: it is deleted with it, and when its address leads to another host. The default is
never replaced by another connection unasked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from pet.errors import ProviderFault, SettingsInvalid
from pet.minds.library import model_name
from pet.model import Message, ModelChoice, Request, TextPart
from pet.providers.base import Provider, RoundDone
from pet.providers.http.endpoint import endpoint_of
from pet.settings.api_keys import KeyStatus, KeyStore
from pet.settings.connections import COMPUTER, MAIN, Connection, ModelInUse, key_slot, new_connection_id
from pet.settings.schema import Settings
from pet.settings.server_address import is_loopback, origin_of
from pet.settings.store import SettingsStore

ASK_SECONDS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """``default``: the one that thinks unless a pet or a conversation chose another."""

    connection: Connection
    key: KeyStatus
    default: bool

    @property
    def key_needed(self) -> bool:
        return not is_loopback(self.connection.base_url)


@dataclass(frozen=True, slots=True)
class Connections:
    """Reading the state of keys may block on the keyring: not for the GUI thread."""

    store: SettingsStore
    keys: KeyStore
    in_use: Callable[[ModelChoice | None], ModelInUse]
    changed: Callable[[], object] = lambda: None

    def listed(self) -> list[Listed]:
        """All that were set up. The main one is left out while it is neither chosen, nor written down, nor has a
        key: then it is only the shipped address."""
        default = self.default()
        shown = []
        for each in self.store.connections():
            status = self.keys.status(_slot(each))
            if each.id != MAIN or default == MAIN or self.store.main_is_written() or status.set:
                shown.append(Listed(connection=each, key=status, default=each.id == default))
        return shown

    def default(self) -> str:
        """Id of the default: of a connection, COMPUTER, or "" for the demo."""
        settings = self.store.current()
        return COMPUTER if settings.mind else "" if settings.demo else settings.connection

    def find(self, connection: str) -> Connection:
        """The connection of this id; "" for the default one, even while a model on this computer thinks. Raises
        SettingsInvalid: connection_gone."""
        connection = connection or self.store.current().connection
        for each in self.store.connections():
            if each.id == connection:
                return each
        raise SettingsInvalid(problem="connection_gone")

    def add(self, connection: Connection) -> Connection:
        """Save a new one; its id is made of its name or host. Raises SettingsInvalid."""
        taken = [each.id for each in self.store.connections()]
        made = replace(connection, id=new_connection_id(connection.name or _host(connection.base_url), taken))
        self.store.save_connection(made)
        return made

    def save(self, connection: Connection) -> None:
        """Change one. Raises SettingsInvalid, KeyStoreFailed."""
        before = self.find(connection.id)
        self.store.save_connection(connection)
        if connection.id != MAIN and _slot(before) != _slot(connection):
            self.keys.delete(_slot(before))

    def remove(self, connection: str) -> None:
        """With its key. Raises SettingsInvalid (connection_in_use: it is the default, and there are others),
        KeyStoreFailed."""
        found = self.find(connection)
        if self.default() == found.id and len(self.listed()) > 1:
            raise SettingsInvalid(problem="connection_in_use")
        self.keys.delete(_slot(found))
        self.store.remove_connection(found.id)
        if self.store.current().connection == found.id != MAIN:
            self.store.change({"connection": MAIN})

    def use(self, connection: str) -> None:
        """Make it the default. Raises SettingsInvalid."""
        connection = self.find(connection).id
        main = self.find(MAIN)
        if connection != MAIN and not self.store.main_is_written() and self.keys.status(_slot(main)).set:
            self.store.save_connection(main)  # it has only a key so far: from now on it says where it leads
        self.store.change({"connection": connection, "mind": "", "demo": False})

    def set_key(self, connection: str, key: str, keep: str) -> None:
        """Raises SettingsInvalid, KeyStoreFailed."""
        match keep:
            case "keyring" | "session" | "file":
                self.keys.set(_slot(self.find(connection)), key, keep)
                self.changed()

    def delete_key(self, connection: str) -> None:
        """Raises SettingsInvalid, KeyStoreFailed."""
        self.keys.delete(_slot(self.find(connection)))
        self.changed()

    def choice(self, connection: str, model: str = "") -> ModelChoice:
        """The choice of a conversation, with the connection's model unless another is named. Raises
        SettingsInvalid."""
        if connection == COMPUTER:
            if not model:
                raise SettingsInvalid(problem="not_a_model", setting="model")
            return ModelChoice(connection=COMPUTER, model=model, name=model_name(model))
        found = self.find(connection)
        return ModelChoice(
            connection=found.id,
            model=model or found.model,
            origin=origin_of(found.base_url),
            name=found.title,
        )

    def key_in_use(self) -> KeyStatus:
        """State of the key of the connection that this pet uses."""
        settings = self.in_use(None).settings
        return self.keys.status(key_slot(settings.connection, settings.base_url))

    def forget_keys(self) -> None:
        """Delete all keys, of every connection. Raises KeyStoreFailed."""
        self.keys.forget_all(origin_of(self.store.current().base_url))


async def test_model(provider: Callable[[ModelInUse], Awaitable[Provider]], used: ModelInUse) -> str:
    """Ask for one word, with no file of the pet in the request; the model's name as the server says it. Raises
    ProviderFault, SettingsInvalid."""
    request = Request(
        model=used.settings.mind or used.settings.model,
        max_tokens=16,
        system=(),
        tools=(),
        messages=(Message(role="user", parts=(TextPart(text="Say: ok"),)),),
    )
    model = ""
    try:
        async with asyncio.timeout(ASK_SECONDS):
            async for event in (await provider(used)).stream(request):
                if isinstance(event, RoundDone):
                    model = event.model
    except TimeoutError:  # an OSError as well, which a terminal would take for trouble with the disk
        raise too_late(used.settings) from None
    return model


def too_late(settings: Settings) -> ProviderFault:
    """The server of these settings let the owner wait too long."""
    return ProviderFault("timeout", retryable=True, host=endpoint_of(settings.base_url).host)


def _slot(connection: Connection) -> str:
    return key_slot(connection.id, connection.base_url)


def _host(base_url: str) -> str:
    try:
        return origin_of(base_url).partition("://")[2].partition(":")[0]
    except ValueError:
        return ""

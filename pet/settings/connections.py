"""Saved connections to models, and the one that a pet or a conversation uses. Pure.

The connection ``MAIN`` is the top level of settings.toml (base_url, protocol, model); every other one is a table
``[connections.<id>]``, which versions without connections ignore. A connection that is gone, or leads to another host
than the one chosen, is a problem and never replaced: nothing may be sent to a host the owner did not choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal, cast

from pet.errors import ProviderFault, SettingsInvalid
from pet.model import ModelChoice
from pet.settings.schema import Settings, check, connection_id, with_place
from pet.settings.server_address import origin_of

MAIN = "main"
UNCHOSEN = ""
"""In place of a connection's id while the owner has chosen none: what this computer has answers meanwhile."""
COMPUTER = "computer"
"""Reserved id: the models that this program runs itself; the model is then the id of a mind."""
MOST = 30
_NAME_LENGTH = 60

Protocol = Literal["auto", "anthropic", "openai"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """``name`` is "" where the owner gave none; ``model`` the one to use unless another is chosen, "" while there is
    none."""

    id: str
    name: str = ""
    base_url: str
    protocol: Protocol = "auto"
    model: str

    @property
    def title(self) -> str:
        """The name, or the host."""
        return self.name or origin_of(self.base_url).partition("://")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInUse:
    """``settings`` with address, protocol and model of the connection in use. ``problem``: why there is none; nothing
    may be sent then."""

    settings: Settings
    problem: ProviderFault | SettingsInvalid | None = None


def key_slot(connection: str, base_url: str) -> str:
    """Name of the key of a connection in the key store. The origin is part of it, so that a connection whose address
    changes to another host has no key there. Raises ValueError for an invalid URL."""
    origin = origin_of(base_url)
    return origin if connection in (MAIN, COMPUTER) else f"{origin}#{connection}"


def main_connection(settings: Settings, name: str = "") -> Connection:
    return Connection(
        id=MAIN, name=name, base_url=settings.base_url, protocol=settings.protocol, model=settings.model
    )


def model_in_use(
    settings: Settings, connections: Iterable[Connection], chosen: ModelChoice | None = None, *, model: str = ""
) -> ModelInUse:
    """The model of a conversation (``chosen``), else of its pet, else the default.

    ``settings``: those of the pet. ``model``: set by pet.toml or the environment, wins over the connection's.
    """
    if chosen is None:
        if settings.mind or settings.demo or settings.connection == MAIN:
            return ModelInUse(settings=settings)
        found = _find(connections, settings.connection)
        if found is None:
            return _gone(settings, settings.connection)
        return _using(settings, found, model or found.model)
    if chosen.connection == COMPUTER:
        if not chosen.model:  # an address would take the place of a model on this computer
            return _gone(settings, chosen.name or COMPUTER)
        return ModelInUse(settings=replace(settings, connection=COMPUTER, mind=chosen.model, demo=False))
    found = _find((main_connection(settings), *connections), chosen.connection)
    if found is None or origin_of(found.base_url) != chosen.origin:
        return _gone(settings, chosen.name or chosen.connection)
    return _using(settings, found, chosen.model)


def _using(settings: Settings, found: Connection, model: str) -> ModelInUse:
    return ModelInUse(
        problem=None if model else ProviderFault("no_model", name=found.title),
        settings=replace(
            settings,
            connection=found.id,
            base_url=found.base_url,
            protocol=found.protocol,
            model=model,
            mind="",
            demo=False,
        ),
    )


def _gone(settings: Settings, name: str) -> ModelInUse:
    return ModelInUse(settings=settings, problem=ProviderFault("connection_gone", name=name))


def _find(connections: Iterable[Connection], wanted: str) -> Connection | None:
    return next((each for each in connections if each.id == wanted), None)


def valid_connection(connection: Connection) -> Connection:
    """As it is stored. Raises SettingsInvalid."""
    return _checked(connection.id, as_table(connection))


def _checked(id_: str, table: Mapping[str, object]) -> Connection:
    name, model = table.get("name", ""), table.get("model", "")
    if not isinstance(name, str):
        raise SettingsInvalid(problem="not_a_text", setting="name")
    name = " ".join(name.split())
    if len(name) > _NAME_LENGTH:
        raise SettingsInvalid(problem="not_a_name", setting="name")
    return Connection(
        id=connection_id("connection", id_),
        name=name,
        base_url=str(check("base_url", table.get("base_url", ""))),
        protocol=cast("Protocol", check("protocol", table.get("protocol", "auto"))),
        model=str(check("model", model)) if id_ == MAIN or model != "" else "",
    )


def new_connection_id(name: str, taken: Iterable[str]) -> str:
    """An id made of a name, none of those that are taken."""
    base = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:24] or "connection"
    taken = {*taken, MAIN, COMPUTER}
    count = 1
    while (made := base if count == 1 else f"{base}-{count}") in taken:
        count += 1
    return made


def decode_connections(raw: object) -> tuple[str, tuple[Connection, ...], tuple[SettingsInvalid, ...]]:
    """The name of the main connection, the further connections, and what is wrong with others, which are left out."""
    tables = raw if isinstance(raw, Mapping) else {}
    found: list[Connection] = []
    problems: list[SettingsInvalid] = []
    for id_, table in tables.items():
        if id_ == MAIN or not isinstance(table, Mapping):
            continue
        try:
            found.append(_checked(str(id_), table))
        except SettingsInvalid as problem:
            place = f"connections.{str(id_)[:40]}: {problem.args_.get('setting', '')}"
            problems.append(with_place(problem, place))
    named = tables.get(MAIN)
    name = named.get("name") if isinstance(named, Mapping) else ""
    return (
        (" ".join(name.split())[:_NAME_LENGTH] if isinstance(name, str) else ""),
        tuple(found[:MOST]),
        tuple(problems),
    )


def as_table(connection: Connection) -> dict[str, object]:
    """All but the id, which is the table's name."""
    return {name: value for name, value in asdict(connection).items() if name != "id"}

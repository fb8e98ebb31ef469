"""Saved connections to models, their addresses, and the one that a pet or a conversation uses. Pure.

The connection ``MAIN`` is the top level of settings.toml (base_url, protocol, model); every other one is a table
``[connections.<id>]``, which versions without connections ignore. A connection that is gone, or leads to another host
than the one chosen, is a problem and never replaced: nothing may be sent to a host the owner did not choose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Literal, cast
from urllib.parse import urlsplit

from pet.errors import ProviderFault, SettingsInvalid
from pet.settings.schema import Settings, check, with_place
from pet.settings.setting import connection_id

if TYPE_CHECKING:
    from pet.model import ModelChoice


def origin_of(base_url: str) -> str:
    """Return the normalised scheme, host and port that a key belongs to. Raises ValueError for an invalid URL.

    >>> origin_of("https://API.example.com:443/v1")
    'https://api.example.com'
    """
    parts = urlsplit(base_url)
    host = (parts.hostname or "").rstrip(".")
    shown = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}.get(parts.scheme)
    port = "" if parts.port in (None, default) else f":{parts.port}"
    return f"{parts.scheme}://{shown}{port}"


def is_loopback(base_url: str) -> bool:
    """Whether the URL is on this machine, where no key is required."""
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def plain_http_warning(base_url: str) -> bool:
    """Whether requests would be sent unencrypted to another machine."""
    return urlsplit(base_url).scheme == "http" and not is_loopback(base_url)


MAIN = "main"
UNCHOSEN = ""
"""Connection id while the owner has chosen none: a local model or server answers meanwhile."""
COMPUTER = "computer"
"""Reserved id: the models that this program runs itself; ``model`` is then a local model's id."""
MOST = 30
_NAME_LENGTH = 60

Protocol = Literal["auto", "anthropic", "openai", "responses"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """A model server. ``name``: "" if the owner gave none. ``model``: the default one, "" for none."""

    id: str
    name: str = ""
    base_url: str
    protocol: Protocol = "auto"
    model: str

    @property
    def title(self) -> str:
        """The name, else the host."""
        return self.name or origin_of(self.base_url).partition("://")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInUse:
    """``settings`` with address, protocol and model of the connection in use. With a ``problem`` nothing may
    be sent.
    """

    settings: Settings
    problem: ProviderFault | SettingsInvalid | None = None


def key_slot(connection: str, base_url: str) -> str:
    """Return the name of a connection's key in the key store. Raises ValueError for an invalid URL.

    It includes the origin, so that no key is sent to another host after the address changes.
    """
    origin = origin_of(base_url)
    return origin if connection in (MAIN, COMPUTER) else f"{origin}#{connection}"


def main_connection(settings: Settings, name: str = "") -> Connection:
    return Connection(
        id=MAIN, name=name, base_url=settings.base_url, protocol=settings.protocol, model=settings.model
    )


def model_in_use(
    settings: Settings, connections: Iterable[Connection], chosen: ModelChoice | None = None, *, model: str = ""
) -> ModelInUse:
    """Return the model of a conversation (``chosen``), else of its pet, else the default.

    ``settings``: those of the pet. ``model``: set by pet.toml or the environment, overrides the connection's.
    """
    if chosen is None:
        if settings.local_model or settings.demo:
            return ModelInUse(settings=settings)
        if settings.connection == MAIN:
            main = main_connection(settings)
            return ModelInUse(settings=settings, problem=_without_model(main, settings.model))
        connection = _find(connections, settings.connection)
        if connection is None:
            return _gone(settings, settings.connection)
        return _using(settings, connection, model or connection.model)
    if chosen.connection == COMPUTER:
        if not chosen.model:  # an address would take the place of a model on this computer
            return _gone(settings, chosen.name or COMPUTER)
        return ModelInUse(settings=replace(settings, connection=COMPUTER, local_model=chosen.model, demo=False))
    connection = _find((main_connection(settings), *connections), chosen.connection)
    if connection is None or origin_of(connection.base_url) != chosen.origin:
        return _gone(settings, chosen.name or chosen.connection)
    return _using(settings, connection, chosen.model)


def _using(settings: Settings, connection: Connection, model: str) -> ModelInUse:
    return ModelInUse(
        problem=_without_model(connection, model),
        settings=replace(
            settings,
            connection=connection.id,
            base_url=connection.base_url,
            protocol=connection.protocol,
            model=model,
            local_model="",
            demo=False,
        ),
    )


def _without_model(connection: Connection, model: str) -> ProviderFault | None:
    return None if model else ProviderFault("no_model", name=connection.title)


def _gone(settings: Settings, name: str) -> ModelInUse:
    return ModelInUse(settings=settings, problem=ProviderFault("connection_gone", name=name))


def _find(connections: Iterable[Connection], wanted: str) -> Connection | None:
    return next((each for each in connections if each.id == wanted), None)


def valid_connection(connection: Connection) -> Connection:
    """Return the connection as stored. Raises SettingsInvalid."""
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
        model=str(check("model", model)),
    )


def new_connection_id(name: str, taken: Iterable[str]) -> str:
    """Return an id derived from the name that is not in ``taken``."""
    base = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:24] or "connection"
    taken = {*taken, MAIN, COMPUTER}
    count = 1
    while (id_ := base if count == 1 else f"{base}-{count}") in taken:
        count += 1
    return id_


def decode_connections(raw: object) -> tuple[str, tuple[Connection, ...], tuple[SettingsInvalid, ...]]:
    """Return the main connection's name, the valid other connections, and the problems of the invalid ones."""
    tables = raw if isinstance(raw, Mapping) else {}
    connections: list[Connection] = []
    problems: list[SettingsInvalid] = []
    for id_, table in tables.items():
        if id_ == MAIN or not isinstance(table, Mapping):
            continue
        try:
            connections.append(_checked(str(id_), table))
        except SettingsInvalid as problem:
            place = f"connections.{str(id_)[:40]}: {problem.args_.get('setting', '')}"
            problems.append(with_place(problem, place))
    main = tables.get(MAIN)
    name = main.get("name") if isinstance(main, Mapping) else ""
    return (
        (" ".join(name.split())[:_NAME_LENGTH] if isinstance(name, str) else ""),
        tuple(connections[:MOST]),
        tuple(problems),
    )


def as_table(connection: Connection) -> dict[str, object]:
    """Return the fields except the id, which is the table's name."""
    return {name: value for name, value in asdict(connection).items() if name != "id"}

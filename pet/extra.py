"""The record of an extra, and the list of the extras: the one place of the core that names them.

An extra is a folder of ``pet.extras``. The core runs without any of them: what is not there is not missed.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pet.access import TurnGate
    from pet.app.pet import Pet
    from pet.cli.arguments import Subcommand
    from pet.desktop.core_client import CoreClient
    from pet.desktop.platform import MenuItem
    from pet.events import Event
    from pet.model import Receipt, Source
    from pet.tools.tool import Tool, TurnTools

NAMES = (
    "agents",
    "belongings",
    "doctor",
    "documents",
    "heartbeat",
    "imports",
    "keepsakes",
    "local_models",
    "mcp_servers",
    "our_days",
    "questions",
    "reading_aloud",
    "several_pets",
    "skins",
    "small_models",
    "standing_facts",
    "web_pages",
)


Port = Literal["child", "documents", "local_models", "menu", "several_pets", "skins", "small_models", "things"]
"""What the core asks an extra for. ``child``: the ``main`` of a child process, in a module that can be run;
``documents``: a function that reads a file to a ``Document`` of ``pet.workspace.attachments``; ``menu``: one that
returns an entry of the menu of pet and tray; ``skins``: ``pet.skins.shelf.open_shelf`` with skins of pictures;
``things``: one that returns ``pet.desktop.window_group.Things``;
``local_models``, ``several_pets``, ``small_models``: a class of ``pet.providers.local_models.LocalModels`` that run,
of ``pet.desktop.pets_here.PetsHere`` with others, of ``pet.engine.models.SmallWay``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraParts:
    """An extra's parts in one pet. ``commands``: objects with its ``@command`` methods; ``start``: subscribes, begins
    background work and adds its closers to the pet, in a pet with windows; ``abilities``: what its page can offer on
    this desktop, besides the desktop's own."""

    commands: tuple[object, ...] = ()
    start: Callable[[], object] = lambda: None
    abilities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """A switch that each conversation has, off in new ones. ``name``: in ``Access.switches``; ``word``: of its
    slash command, whose texts are "cli.chat.WORD_on", "_off" and "_usage"; ``temporary``: temporary ones have
    it too."""

    name: str
    word: str
    temporary: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """``EXTRA`` of an extra's package, which imports its modules when one of its functions is called.
    ``settings``: a dataclass, annotated as the core's ``Settings`` are; ``tools``: come after the core's;
    ``turn_tools``: called on the engine's thread, returns the tools that a conversation has in the turn that begins,
    which are known only then; ``upkeep``: maintains the pet's files before a turn reads them, off that thread;
    ``subcommands``: of ``pet``, each with its ``run``; ``forget``: removes what the owner
    had forgotten from files of the extra; ``exports``: options of ``pet export``, each with the function that returns
    the name and the content of a file; ``ports``: paths of what else the core asks for.

    By convention the module ``commands`` has its command classes, ``events`` its events, the folder texts a catalogue
    for each language, and a folder of ui/src/extras its part of the page.
    """

    make: Callable[[Pet], ExtraParts] = lambda _pet: ExtraParts()
    settings: type | None = None
    tools: Callable[[], tuple[Tool, ...]] = tuple
    turn_tools: Callable[[Pet, str, TurnGate], Awaitable[TurnTools]] | None = None
    switch: Switch | None = None
    upkeep: Callable[[Pet, TurnGate, Source], list[Receipt]] | None = None
    subcommands: Callable[[], Mapping[str, Subcommand]] = dict
    exports: Mapping[str, str] = field(default_factory=dict)
    forget: Callable[[Pet, Event], object] | None = None
    ports: Mapping[Port, str] = field(default_factory=dict)


@cache
def extras() -> tuple[Extra, ...]:
    """Return the extras that are there."""
    return tuple(extra_of(name) for name in NAMES if _is_there(name))


def exports() -> dict[str, str]:
    """Return what extras export, by the option of ``pet export``: the path of a function of a ``Pet``."""
    return {option: make for extra in extras() for option, make in extra.exports.items()}


def is_provided(port: Port) -> bool:
    """Return whether an extra provides for this port of the core; loads nothing."""
    return any(port in extra.ports for extra in extras())


def provided(port: Port) -> Any | None:
    """Return what an extra provides for this port of the core, loaded; None without the extra."""
    return next((loaded(extra.ports[port]) for extra in extras() if port in extra.ports), None)


def menu_items() -> list[Callable[[CoreClient], MenuItem]]:
    """Return the functions that make the extras' entries of the menu."""
    return [loaded(each.ports["menu"]) for each in extras() if "menu" in each.ports]


def loaded(function: str) -> Any:
    """Return the function of this path."""
    module, _, name = function.rpartition(".")
    return getattr(import_module(module), name)


def switches() -> dict[str, Switch]:
    """Return the switches of the extras that are there, by name."""
    return {each.switch.name: each.switch for each in extras() if each.switch is not None}


CHILD = "--child"
"""The packaged program's argument that makes it the child process of the extra named behind it."""


def child_command(name: str) -> list[str]:
    """Return the command that starts an extra's child process."""
    if getattr(sys, "frozen", False):
        return [sys.executable, CHILD, name]
    return [sys.executable, "-m", extra_of(name).ports["child"].rpartition(".")[0]]


def run_child(name: str) -> None:
    """Be an extra's child process; imports no other extra."""
    loaded(extra_of(name).ports["child"])()


def _is_there(name: str) -> bool:
    try:
        spec = find_spec(f"pet.extras.{name}")
    except ModuleNotFoundError:  # all of them were taken away
        return False
    return spec is not None and spec.origin is not None  # a folder without code, where __pycache__ is left, has none


def extra_of(name: str) -> Extra:
    extra: Extra = import_module(f"pet.extras.{name}").EXTRA
    return extra

"""Notices about the pet that a command acts on: its name, paused memory, and commands that address it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.cli.arguments import Given
from pet.cli.terminal import Terminal, safe
from pet.workspace.pets.registry import display_name, list_ids

if TYPE_CHECKING:
    from pet.app import App

_SILENT = ("pause", "settings")
"""``pause`` names the pet itself; settings are shared by all pets."""


def say_which(app: App, given: Given) -> None:
    """Print the pet's name on stderr if it isn't obvious: not with ``--pet``, ``--json`` or in a chat that greets."""
    if given.value("--pet") is not None or given.has("--json") or given.command in _SILENT or not has_others(app):
        return
    terminal = Terminal.standard()
    if given.command == "chat" and given.value("--once") is None and terminal.can_ask:
        return
    terminal.complain(app.texts()("cli.which_pet", name=pet_name(app), id=app.pet_id))


def has_others(app: App) -> bool:
    """Whether this home has more than one pet."""
    return len(list_ids(app.home)) > 1


def command_for(app: App) -> str:
    """Return the start of a command for this pet, independent of the default pet."""
    return f"pet --pet {app.pet_id}" if has_others(app) else "pet"


def paused_note(app: App) -> str:
    """Return the notice that memory is paused, with the command that resumes it."""
    if has_others(app):
        return app.texts()("cli.paused_note_named", name=pet_name(app), id=app.pet_id)
    return app.texts()("cli.paused_note")


def pet_name(app: App) -> str:
    """Return the pet's name, safe for a terminal."""
    return safe(display_name(app.store.root, app.pet_id, app.texts()))

"""What the terminal says of the pet it acts on: its name, that memory is paused, and the command that means it.

Which pet that is was chosen in ``app.pet_selection``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.cli.arguments import Given
from pet.cli.terminal import Terminal, safe
from pet.workspace.pets.registry import display_name, list_ids

if TYPE_CHECKING:
    from pet.app import App

_SILENT = ("pause", "settings")
"""``pause`` names the pet in its own message; settings are shared by all pets."""


def say_which(app: App, given: Given) -> None:
    """Print a line on stderr: stdout is for the answer. Not with ``--pet``, ``--json``, or a chat that greets."""
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
    """Return how a command begins that means this very pet, whichever is the default by then."""
    return f"pet --pet {app.pet_id}" if has_others(app) else "pet"


def paused_note(app: App) -> str:
    """Return what says that memory is paused, and the command that resumes it for this very pet."""
    if has_others(app):
        return app.texts()("cli.paused_note_named", name=pet_name(app), id=app.pet_id)
    return app.texts()("cli.paused_note")


def pet_name(app: App) -> str:
    """Return the pet's name, safe for a terminal."""
    return safe(display_name(app.store.root, app.pet_id, app.texts()))

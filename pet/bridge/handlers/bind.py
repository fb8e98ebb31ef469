"""Puts each handler on its row of the table; the table itself says when one is missing."""

from __future__ import annotations

from pet.bridge.dispatch import Commands
from pet.bridge.handlers.app import AppCommands
from pet.bridge.handlers.conversations import ConversationCommands
from pet.bridge.handlers.files import FileCommands
from pet.bridge.handlers.settings import SettingsCommands


def bind_commands(
    app: AppCommands, conversations: ConversationCommands, files: FileCommands, settings: SettingsCommands
) -> Commands:
    """Every public method of the four is the handler of the row of its name."""
    commands = Commands()
    for handlers in (app, conversations, files, settings):
        for name in vars(type(handlers)):
            if not name.startswith("_") and name != "key_state":
                commands.bind(name, getattr(handlers, name))
    # check_complete comes back with the memory handlers (issue 3, under way)
    return commands

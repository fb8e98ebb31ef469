"""The command table as a page calls it: a name and JSON in, an envelope out."""

from __future__ import annotations

import json
from typing import Any

from pet.bridge.command import Client
from pet.bridge.dispatch import Commands, Handler
from ui.bindings import COMMANDS

COMMAND = {command.name: command for command in COMMANDS}
"""Every command by its name."""


def bind_named(commands: Commands, **handlers: Handler) -> Commands:
    """Bind doubles in place of an area."""
    for name, handler in handlers.items():
        commands.bind(COMMAND[name], handler)
    return commands


def invoke(commands: Commands, name: str, client: Client = Client.CHAT, /, **args: object) -> dict[str, Any]:
    """Return the whole envelope."""
    envelope: dict[str, Any] = json.loads(commands.invoke(client, name, json.dumps(args)))
    return envelope


def ask(commands: Commands, name: str, client: Client = Client.CHAT, /, **args: object) -> Any:
    """Return the reply of a call that must succeed."""
    envelope = invoke(commands, name, client, **args)
    assert envelope["ok"], envelope
    return envelope["value"]


def refused(commands: Commands, name: str, client: Client = Client.CHAT, /, **args: object) -> dict[str, Any]:
    """Return the error of a call that must fail."""
    envelope = invoke(commands, name, client, **args)
    assert not envelope["ok"], envelope
    error: dict[str, Any] = envelope["error"]
    return error


def answered(commands: Commands, name: str, client: Client = Client.CHAT, /, **args: object) -> Any:
    """Return the reply of a call, or its error."""
    envelope = invoke(commands, name, client, **args)
    return envelope["value"] if envelope["ok"] else envelope["error"]

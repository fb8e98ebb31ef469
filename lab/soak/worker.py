"""One program of the soak: a forked process that takes orders through a pipe and sends back their results.

The fork server has imported this module before, so that a program starts without the seconds of the imports.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import anthropic  # noqa: F401  imported with the first request otherwise

from pet.access import MemoryMode
from pet.app import Pet
from pet.bridge.command import Client
from pet.errors import PetError
from pet.model import MISSING, Author, Present
from pet.paths import find_home

Order = dict[str, Any]


def create(app: Pet, order: Order) -> object:
    return app.conversations.create(memory=MemoryMode(order["brain"])).id


def send(app: Pet, order: Order) -> object:
    app.catch_up()  # as a terminal does before each message: another one may have ended the pause
    chat = app.conversations.open(order["id"])
    chat.send(order["text"])
    chat.wait(900)
    return str(chat.folded().turns[-1].end)


def switch(app: Pet, order: Order) -> object:
    app.conversations.open(order["id"]).set_memory(MemoryMode(order["brain"]))
    return None


def pause(app: Pet, order: Order) -> object:
    app.pause(order["paused"])
    return None


def texts(app: Pet, order: Order) -> object:
    turns = app.conversations.open(order["id"]).folded().turns
    return [[turn.text, "".join(each.text for each in turn.rounds)] for turn in turns]


def rename(app: Pet, order: Order) -> object:
    app.conversations.open(order["id"]).record.rename(order["text"])
    return None


def delete(app: Pet, order: Order) -> object:
    app.conversations.delete(order["id"])
    return None


def note(app: Pet, order: Order) -> object:
    state = app.store.read("MEMORY.md")
    text, base = (state.text, state.version) if isinstance(state, Present) else ("", MISSING)
    app.store.write("MEMORY.md", f"{text}- {order['text']}\n", base=base, author=Author.OWNER)
    return None


def protocol(app: Pet, order: Order) -> object:
    app.settings.change({"protocol": order["name"]})
    return None


def command(app: Pet, order: Order) -> object:
    """A command as the chat window sends it."""
    return json.loads(app.commands.invoke(Client.CHAT, order["name"], json.dumps(order["args"])))


def measure(_app: Pet, _order: Order) -> object:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    return {"kb": resident, "threads": threading.active_count(), "files": len(os.listdir("/proc/self/fd"))}


ORDERS: dict[str, Callable[[Pet, Order], object]] = {
    each.__name__: each
    for each in (create, send, switch, pause, texts, rename, delete, note, protocol, command, measure)
}


def serve(orders: Connection, home: Path, environ: dict[str, str], pet: str | None) -> None:
    """Until the pipe is closed. The first thing sent is the open pet's id and folder."""
    os.environ.update(environ)

    def opened(pet: str | None) -> Pet:
        app = Pet(find_home(home), pet_id=pet, environ=os.environ, channel="terminal")
        orders.send({"ok": [app.pet_id, str(app.store.root)]})
        return app

    app = opened(pet)
    with suppress(EOFError):
        while True:
            order = orders.recv()
            if order["do"] == "open":  # another pet, as after "switch"
                app.close()
                app = opened(order["pet"])
                continue
            try:
                result = {"ok": ORDERS[order["do"]](app, order)}
            except PetError as error:
                result = {"error": error.error_code}
            orders.send(result)
    app.close()

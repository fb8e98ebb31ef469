"""One program of the soak: ``python -m tests.soak.worker HOME``. A line in is an order, a line out its result."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pet.access.policy import Brain
from pet.app import App, compose
from pet.bridge.command import Client
from pet.errors import PetError
from pet.model import MISSING, Author, Present
from pet.paths import find_home

Order = dict[str, Any]


def create(app: App, order: Order) -> object:
    return app.conversations.create(memory=Brain(order["brain"])).id


def send(app: App, order: Order) -> object:
    chat = app.conversations.open(order["id"])
    chat.send(order["text"])
    chat.wait(900)
    return str(chat.folded().turns[-1].end)


def switch(app: App, order: Order) -> object:
    app.conversations.open(order["id"]).set_memory(Brain(order["brain"]))
    return None


def pause(app: App, order: Order) -> object:
    app.pause(order["paused"])
    return None


def texts(app: App, order: Order) -> object:
    turns = app.conversations.open(order["id"]).folded().turns
    return [[turn.text, "".join(each.text for each in turn.rounds)] for turn in turns]


def rename(app: App, order: Order) -> object:
    app.conversations.open(order["id"]).rename(order["text"])
    return None


def delete(app: App, order: Order) -> object:
    app.conversations.delete(order["id"])
    return None


def note(app: App, order: Order) -> object:
    state = app.store.read("MEMORY.md")
    text, base = (state.text, state.version) if isinstance(state, Present) else ("", MISSING)
    app.store.write("MEMORY.md", f"{text}- {order['text']}\n", base=base, author=Author.OWNER)
    return None


def protocol(app: App, order: Order) -> object:
    app.settings.change({"protocol": order["name"]})
    return None


def command(app: App, order: Order) -> object:
    """A command as the chat window sends it."""
    return json.loads(app.commands.invoke(Client.CHAT, order["name"], json.dumps(order["args"])))


def measure(_app: App, _order: Order) -> object:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    return {"kb": resident, "threads": threading.active_count(), "files": len(os.listdir("/proc/self/fd"))}


ORDERS: dict[str, Callable[[App, Order], object]] = {
    each.__name__: each
    for each in (create, send, switch, pause, texts, rename, delete, note, protocol, command, measure)
}


def opened(pet: str | None) -> App:
    app = compose(find_home(Path(sys.argv[1])), pet_id=pet, environ=os.environ, channel="terminal")
    print(json.dumps({"ok": [app.pet_id, str(app.store.root)]}), flush=True)
    return app


def main() -> None:
    app = opened(sys.argv[2] if len(sys.argv) > 2 else None)
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "open":  # another pet, as after "switch"
            app.close()
            app = opened(order["pet"])
            continue
        try:
            result = {"ok": ORDERS[order["do"]](app, order)}
        except PetError as error:
            result = {"error": error.error_code}
        print(json.dumps(result), flush=True)
    app.close()


if __name__ == "__main__":
    main()

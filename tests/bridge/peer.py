"""A process of its own for the socket tests: ``python -m tests.bridge.peer HOME start|call [COMMAND]``.

``start`` says ready, waits for a line, then becomes the one instance and serves until its input ends, or calls the
one that is there. Every line it says is JSON.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

from pet.bridge.api import ChangedArgs, Nothing, Status
from pet.bridge.dispatch import Commands
from pet.bridge.ipc.server import SocketServer, call_running
from pet.bridge.ipc.single_instance import SingleInstance
from pet.bridge.serde import to_data
from pet.paths import find_home


def say(**data: object) -> None:
    print(json.dumps(data), flush=True)


def serving() -> Commands:
    commands = Commands()
    seen: list[str] = []

    def status(_args: Nothing) -> Status:
        return Status(
            version="1", pet=",".join(seen), pid=os.getpid(), chat_shown=False, paused=False, running_turns=0
        )

    def changed(args: ChangedArgs) -> None:
        seen.extend(args.files)

    commands.bind("get_status", status)
    commands.bind("files_changed", changed)
    return commands


def leave(server: SocketServer) -> None:
    """Ends the process as hard as it goes, as soon as the server is closed; meanwhile the reply is late."""

    def end() -> None:
        server.close()
        os._exit(0)

    ending = threading.Thread(target=end)
    ending.start()
    ending.join(0.2)


def main(home_folder: str, mode: str, name: str = "get_status") -> None:
    home = find_home(Path(home_folder))
    if mode == "start":
        say(event="ready")
        sys.stdin.readline()
        instance = SingleInstance(home)
        if instance.acquire():
            commands = serving()
            server = SocketServer(home, commands, instance)
            commands.bind("quit", lambda _args: leave(server))
            server.start()
            say(event="first", pid=os.getpid())
            sys.stdin.read()
            server.close()
            instance.release()
            return
    reply = call_running(home, name, Nothing(), patience=20 if mode == "start" else 0)
    say(event="called", reply=None if reply is None else to_data(reply))


if __name__ == "__main__":
    main(*sys.argv[1:])

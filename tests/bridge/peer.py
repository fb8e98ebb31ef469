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

from pet.bridge.channel import NotListening
from pet.bridge.command import command_of
from pet.bridge.commands.lifecycle import ChangedArgs, LifecycleCommands, Status
from pet.bridge.dispatch import Commands
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import RunningPet, SocketServer
from pet.paths import find_home
from pet.serde import to_data
from tests.support.program.listening import once_listening


def say(**data: object) -> None:
    print(json.dumps(data), flush=True)


def serving() -> Commands:
    seen: list[str] = []

    def status() -> Status:
        return Status(
            version="1", pet=",".join(seen), pid=os.getpid(), chat_shown=False, paused=False, running_turns=0
        )

    def changed(args: ChangedArgs) -> None:
        seen.extend(args.files)

    commands = Commands()
    commands.bind(command_of(LifecycleCommands.get_status), status)
    commands.bind(command_of(LifecycleCommands.files_changed), changed)
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
            commands.bind(command_of(LifecycleCommands.quit), lambda: leave(server))
            server.start()
            say(event="first", pid=os.getpid())
            sys.stdin.read()
            server.close()
            instance.release()
            return
    pet, command = RunningPet(home), getattr(LifecycleCommands, name)

    def call() -> object:
        return pet.call(command)

    try:
        reply = once_listening(call, 20) if mode == "start" else call()
    except NotListening:
        say(event="called", reply=None)
    else:
        say(event="called", reply=to_data(reply))


if __name__ == "__main__":
    main(*sys.argv[1:])

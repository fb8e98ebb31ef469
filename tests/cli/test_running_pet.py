"""The command line beside a running pet of the same home: it is told what changed, and of the pause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest

from pet.app import App, compose
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import SocketServer
from pet.events import ConversationDeleted, Event, Forgotten, WorkspaceChanged
from pet.paths import find_home
from tests.cli.conftest import SECONDS, PetCommand
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer


@pytest.fixture
def running(pet: PetCommand, tmp_path: Path) -> Iterator[App]:
    """The core of a pet with its socket, as the window starts it."""
    home = find_home(pet.home)
    instance = SingleInstance(home)
    assert instance.acquire()
    app = compose(home, environ=pet.environ)
    socket = SocketServer(home, app.commands, instance)
    socket.start()
    yield app
    socket.close()
    app.close()
    instance.release()


def changes(app: App) -> Queue[Event]:
    told: Queue[Event] = Queue()

    def note(event: Event) -> None:
        if isinstance(event, WorkspaceChanged):
            told.put(event)

    app.emitter.subscribe(note, name="test")
    return told


def test_doctor_sees_it(pet: PetCommand, running: App) -> None:
    told = pet("doctor", "--json").json
    assert told["running"]["pet"] == running.pet_id


def test_the_pause_reaches_it_at_once(pet: PetCommand, running: App) -> None:
    assert pet("pause").code == 0
    assert running.conversations.paused
    assert pet("pause", "off").code == 0
    assert not running.conversations.paused


def test_running_pet_is_notified_of_restored_file(pet: PetCommand, running: App) -> None:
    pet.write("USER.md", "mine\n")
    version = pet("history", "USER.md", "--json").json["versions"][-1]["id"]
    told = changes(running)
    assert pet("restore", "USER.md", version).code == 0
    event = told.get(timeout=SECONDS)
    assert isinstance(event, WorkspaceChanged)
    assert (event.file, event.author) == ("USER.md", "owner")


def test_running_pet_is_notified_of_terminal_writes(pet: PetCommand, running: App, server: ProtocolServer) -> None:
    told = changes(running)
    server.queue(stream(Call("write", {"path": "MEMORY.md", "content": "- met Anna\n"})), stream("Noted."))
    assert pet("chat", "--once", "Remember", "--memory", "on").code == 0
    event = told.get(timeout=SECONDS)
    assert isinstance(event, WorkspaceChanged)
    assert (event.file, event.author) == ("MEMORY.md", "pet")
    assert any(saved.turns == 1 for saved in running.conversations.saved())


def test_running_pet_is_notified_of_forgotten_texts(pet: PetCommand, running: App, server: ProtocolServer) -> None:
    told: Queue[Forgotten] = Queue()
    running.emitter.subscribe(lambda event: told.put(event) if isinstance(event, Forgotten) else None, name="test")
    pet.write("MEMORY.md", "- goes to Zanzibar\n")
    server.queue(stream(Call("read", {"path": "MEMORY.md"})), stream("To the sea."))
    assert pet("chat", "--once", "Where do I go?", "--memory", "on").code == 0
    assert pet("forget", "zanzibar", "--yes").code == 0
    assert told.get(timeout=SECONDS).conversations == [saved.id for saved in running.conversations.saved()]


def test_running_pet_is_notified_of_deleted_conversation(
    pet: PetCommand, running: App, server: ProtocolServer
) -> None:
    server.queue(stream("Hello."))
    assert pet("chat", "--once", "Hi", "--memory", "on").code == 0
    (saved,) = running.conversations.saved()
    running.conversations.open(saved.id)
    told: Queue[Event] = Queue()
    running.emitter.subscribe(
        lambda event: told.put(event) if isinstance(event, ConversationDeleted) else None, name="test"
    )
    assert pet("forget", "--conversation", saved.id, "--yes").code == 0
    assert told.get(timeout=SECONDS) == ConversationDeleted(conversation=saved.id)
    assert running.conversations.saved() == []
    assert saved.id not in [live.id for live in running.conversations.live()]


def test_a_request_that_can_not_be_stopped_is_named_by_the_pause(pet: PetCommand, running: App) -> None:
    with running.in_flight.marked("c"):  # of a program that was suspended
        paused = pet("pause")
    assert paused.code == 1
    assert "may still be sent" in paused.err
    assert running.conversations.paused

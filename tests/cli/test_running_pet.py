"""The command line beside a running pet of the same home: it is told what changed, and of the pause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from pet.access import MemoryMode
from pet.app import Pet
from pet.bridge.commands.terminal import TerminalCommands
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import SocketServer
from pet.engine.resting_notes import RestingNotes
from pet.errors import BadArguments
from pet.events import ConversationDeleted, Event, Forgotten, WorkspaceChanged
from pet.paths import find_home
from pet.settings.program_state import JsonState
from tests.cli.conftest import SECONDS, PetCommand
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer


@pytest.fixture
def running(pet: PetCommand, tmp_path: Path) -> Iterator[Pet]:
    """The core of a pet with its socket, as the window starts it."""
    home = find_home(pet.home)
    instance = SingleInstance(home)
    assert instance.acquire()
    app = Pet(home, environ=pet.environ)
    socket = SocketServer(home, app.commands, instance)
    socket.start()
    yield app
    socket.close()
    app.close()
    instance.release()


def changes(app: Pet) -> Queue[Event]:
    told: Queue[Event] = Queue()

    def note(event: Event) -> None:
        if isinstance(event, WorkspaceChanged):
            told.put(event)

    app.emitter.subscribe(note, name="test")
    return told


def test_doctor_sees_it(pet: PetCommand, running: Pet) -> None:
    told = pet("doctor", "--json").json
    assert told["running"]["pet"] == running.pet_id


def test_the_pause_reaches_it_at_once(pet: PetCommand, running: Pet) -> None:
    assert pet("pause").code == 0
    assert running.conversations.paused
    assert pet("pause", "off").code == 0
    assert not running.conversations.paused


def test_running_pet_is_notified_of_restored_file(pet: PetCommand, running: Pet) -> None:
    told = changes(running)
    pet.write("USER.md", "mine\n")
    told.get(timeout=SECONDS)  # else the file may be as it was again when the pet reads it
    version = pet("history", "USER.md", "--json").json["versions"][-1]["id"]
    assert pet("restore", "USER.md", version).code == 0
    event = told.get(timeout=SECONDS)
    assert isinstance(event, WorkspaceChanged)
    assert (event.file, event.author) == ("USER.md", "owner")


def test_running_pet_is_notified_of_terminal_writes(pet: PetCommand, running: Pet, server: ProtocolServer) -> None:
    told = changes(running)
    server.queue(stream(Call("write", {"path": "MEMORY.md", "content": "- met Anna\n"})), stream("Noted."))
    assert pet("chat", "--once", "Remember", "--memory", "on").code == 0
    event = told.get(timeout=SECONDS)
    assert isinstance(event, WorkspaceChanged)
    assert (event.file, event.author) == ("MEMORY.md", "pet")
    assert any(saved.turns == 1 for saved in running.conversations.saved())


def test_of_a_soul_that_is_too_large_is_told_beside_a_running_pet(
    pet: PetCommand, running: Pet, server: ProtocolServer
) -> None:
    pet.write("SOUL.md", "canary-soul\n" * 100_000)
    ended = pet("chat", "--once", "Hi")
    assert (ended.code, len(running.conversations.saved())) == (0, 1)
    assert "Messages go out without SOUL.md. SOUL.md is too large" in ended.err
    assert b"canary-soul" not in server.messages[-1].body


def test_running_pet_is_notified_of_forgotten_texts(pet: PetCommand, running: Pet, server: ProtocolServer) -> None:
    told: Queue[Forgotten] = Queue()
    running.emitter.subscribe(lambda event: told.put(event) if isinstance(event, Forgotten) else None, name="test")
    pet.write("MEMORY.md", "- goes to Zanzibar\n")
    server.queue(stream(Call("read", {"path": "MEMORY.md"})), stream("To the sea."))
    assert pet("chat", "--once", "Where do I go?", "--memory", "on").code == 0
    assert pet("forget", "zanzibar", "--yes").code == 0
    assert told.get(timeout=SECONDS).conversations == [saved.id for saved in running.conversations.saved()]


def test_running_pet_is_notified_of_deleted_conversation(
    pet: PetCommand, running: Pet, server: ProtocolServer
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


def test_a_request_that_can_not_be_stopped_is_named_by_the_pause(pet: PetCommand, running: Pet) -> None:
    with running.in_flight.marked("c"):  # of a program that was suspended
        paused = pet("pause")
    assert paused.code == 1
    assert "may still be sent" in paused.err
    assert running.conversations.paused


@pytest.mark.parametrize("leave", ["", "/quit\n", "/new\n/quit\n"])
def test_a_conversation_the_terminal_left_is_noted_as_a_closed_one(
    pet: PetCommand, running: Pet, server: ProtocolServer, leave: str
) -> None:
    resting = running.resting = RestingNotes(
        running.conversations, running.effective.current, lambda: True, running.state, running.pet_id, running.clock
    )
    server.queue(stream("That is quiet of her."), stream("nothing"))
    told = "My cat is called Minka, and on Thursdays she sleeps in the shed behind the house until noon, always."
    assert pet("chat", "--memory", "on", typed=f"{told}\n{leave}").code == 0
    resting.check()
    (saved,) = running.conversations.saved()
    running.conversations.open(saved.id).wait(SECONDS)
    assert "Minka" in server.messages[-1].body.decode()
    assert [tool["name"] for tool in server.messages[-1].json["tools"]] == ["memory_write"]


def test_a_temporary_conversation_that_the_terminal_left_is_not_noted(
    pet: PetCommand, running: Pet, server: ProtocolServer, tmp_path: Path
) -> None:
    kept = JsonState(tmp_path / "kept.json")
    resting = running.resting = RestingNotes(
        running.conversations, running.effective.current, lambda: True, kept, running.pet_id, running.clock
    )
    assert pet("chat", "--temporary", typed="Hello\n").code == 0
    resting.check()
    assert (len(server.messages), running.conversations.live(), kept.read()) == (1, [], {})


# --- one-line commands that the running pet answers ------------------------------------------------


@pytest.fixture
def answering(pet: PetCommand, server: ProtocolServer, tmp_path: Path) -> Iterator[tuple[PetCommand, Pet]]:
    """A running pet whose model is in its settings, and a shell without a model of its own."""
    home = find_home(pet.home)
    home.settings_file.parent.mkdir(parents=True, exist_ok=True)
    home.settings_file.write_text(
        f'base_url = "{server.url}"\nprotocol = "anthropic"\nmodel = "scripted"\n', encoding="utf-8"
    )
    instance = SingleInstance(home)
    assert instance.acquire()
    app = Pet(home, environ={})
    socket = SocketServer(home, app.commands, instance)
    socket.start()
    yield PetCommand(pet.home), app
    socket.close()
    app.close()
    instance.release()


def test_once_is_answered_by_the_running_pet(answering: tuple[PetCommand, Pet], server: ProtocolServer) -> None:
    pet, app = answering
    server.queue(stream("Hello ", "世界."))
    ended = pet("chat", "--once", "Hi", "--memory", "off")
    assert (ended.code, ended.out, ended.err) == (0, "Hello 世界.\n", "")
    (live,) = app.conversations.live()  # it ran there, and is no unread reply
    assert [turn.reply for turn in live.folded().turns] == ["Hello 世界."]
    assert app.unread.conversations == []
    server.queue(stream("Again."))
    assert pet("chat", "--once", "More", "--conversation", "1").out == "Again.\n"
    assert [turn.reply for turn in live.folded().turns] == ["Hello 世界.", "Again."]
    assert pet("chat", "--once", "More", "--conversation", "9").code == 1


def test_long_reply_of_the_running_pet_arrives_whole(
    answering: tuple[PetCommand, Pet], server: ProtocolServer
) -> None:
    pieces = [f"{number} 喵 " * 50 for number in range(300)]
    server.queue(stream(*pieces))
    assert answering[0]("chat", "--once", "Hi", "--memory", "off").out == "".join(pieces) + "\n"


def test_an_offset_that_was_never_given_out_is_refused(
    answering: tuple[PetCommand, Pet], server: ProtocolServer
) -> None:
    terminal = TerminalCommands(answering[1])
    turn, text = terminal.start_terminal_turn("Hi", MemoryMode.OFF).turn, ""
    while not text:
        text = terminal.read_terminal_turn(turn).text
    for offset in (-1, 10_000):
        with pytest.raises(BadArguments):
            terminal.read_terminal_turn(turn, offset)
    while '"turn_ended"' not in text:
        text += terminal.read_terminal_turn(turn, len(text)).text
    with pytest.raises(BadArguments):  # its end was read
        terminal.read_terminal_turn(turn, 0)


@pytest.mark.parametrize(("switch", "changed"), [("--yes", True), ("--no", False), (None, False)])
def test_change_of_the_soul_by_the_running_pet_needs_the_owners_word(
    answering: tuple[PetCommand, Pet], server: ProtocolServer, switch: str | None, changed: bool
) -> None:
    pet, _ = answering
    pet.write("SOUL.md", "# Soul\n\nI am small.\n")
    server.queue(stream(Call("write", {"path": "SOUL.md", "content": "I am brave.\n"})), stream("All right."))
    ended = pet("chat", "--once", "Be brave", *([switch] if switch else []))
    assert (ended.code, ended.out) == (0, "All right.\n")
    assert (pet.read("SOUL.md") == "I am brave.\n") is changed
    assert ("--yes" in ended.err) is (switch is None)


def test_receipt_of_the_running_pet_names_the_way_back(
    answering: tuple[PetCommand, Pet], server: ProtocolServer
) -> None:
    pet, _ = answering
    pet.write("USER.md", "# Me\n\n- name: \n")
    edit = Call("edit", {"path": "USER.md", "old_text": "name:", "new_text": "name: Anna"})
    server.queue(stream(edit), stream("Nice."))
    ended = pet("chat", "--once", "I am Anna", "--memory", "on")
    undo = next(line for line in ended.err.splitlines() if "pet restore" in line).split("pet ")[1].split()
    assert pet(*undo).code == 0
    assert "Anna" not in pet.read("USER.md")


def test_model_in_the_shells_environment_is_used_by_the_command_itself(
    answering: tuple[PetCommand, Pet], server: ProtocolServer
) -> None:
    pet, app = answering
    assert pet("chat", "--once", "Hi", "--memory", "off", PET_MODEL="from-the-shell").code == 0
    assert server.messages[-1].json["model"] == "from-the-shell"
    assert app.conversations.live() == []


def test_search_is_answered_by_the_running_pet(
    answering: tuple[PetCommand, Pet], monkeypatch: pytest.MonkeyPatch
) -> None:
    pet, app = answering
    pet.write("USER.md", "# Me\n\n- likes green tea\n")
    asked: list[str] = []
    index = app.index.get()
    search = index.search

    def spied(query: str, *more: Any, **options: Any) -> Any:
        asked.append(query)
        return search(query, *more, **options)

    monkeypatch.setattr(index, "search", spied)
    ended = pet("search", "green tea")
    assert (ended.code, asked) == (0, ["green tea"])
    assert "likes green tea" in ended.out
    assert "USER.md" in [hit["path"] for hit in pet("search", "green tea", "--json").json["results"]]
    assert set(pet("search", "green tea", "--json").json["results"][0]) >= {"path", "start_line", "score", "snippet"}
    assert pet("search", "zzzz").code in (0, 1)
    assert len(asked) == 4

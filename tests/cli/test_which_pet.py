"""Which pet a command is about, and which one opens next, in a home with several."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pet.app import Pet
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import SocketServer
from pet.desktop.app import open_pet
from pet.i18n import Texts
from pet.paths import find_home
from pet.services.desktop_port import DesktopPort
from pet.services.pet_files import choose_pet
from pet.settings.program_state import JsonState
from pet.workspace.pet_registry import hold_pet
from tests.cli.conftest import PetCommand
from tests.support.servers.protocol_server import ProtocolServer


@contextmanager
def opened(pet: PetCommand, pet_id: str | None = None, *, beside: bool = False) -> Iterator[Pet]:
    """The core of a pet with its socket, as the window starts it; ``beside`` the one that leads, with its own."""
    home, own = find_home(pet.home), (pet_id or "") if beside else ""
    instance = SingleInstance(home, own)
    assert instance.acquire()
    app = Pet(home, environ=pet.environ, pet_id=pet_id)
    socket = SocketServer(home, app.commands, instance, own)
    socket.start()
    try:
        yield app
    finally:
        socket.close()
        app.close()
        instance.release()


@contextmanager
def two_on_the_desktop(pet: PetCommand) -> Iterator[tuple[Pet, Pet]]:
    """Anna leads, Bea is beside her, Cleo is at home."""
    make(pet, "Anna", "Bea", "Cleo")
    home = find_home(pet.home)
    with opened(pet, "anna") as anna, opened(pet, "bea", beside=True) as bea:
        own = SingleInstance(home, "anna")
        assert own.acquire()
        socket = SocketServer(home, anna.commands, own, "anna")
        socket.start()
        try:
            yield anna, bea
        finally:
            socket.close()
            own.release()


def opens_next(pet: PetCommand) -> str:
    home = find_home(pet.home)
    return choose_pet(home, None, JsonState(home.state_file))


def is_paused(app: Pet) -> bool:
    return app.conversations.paused


def make(pet: PetCommand, *names: str) -> None:
    for name in names:
        assert pet("pets", "create", name).code == 0


@pytest.fixture(autouse=True)
def bin_of_the_test(pet: PetCommand, tmp_path: Path) -> None:
    pet.environ["XDG_DATA_HOME"] = str(tmp_path / "share")
    pet.environ["HOME"] = str(tmp_path)  # the bin of what lies on another disk than the home is that disk's


def test_pause_reaches_the_open_pet_after_another_was_made(pet: PetCommand) -> None:
    with opened(pet) as app:
        make(pet, "Anna")
        ended = pet("pause", "on")
        assert is_paused(app)
        assert "Anna" not in ended.out and "--pet pet pause off" in ended.out
        assert pet("pause", "off", "--json").json == {"pet": "pet", "paused": False}
        assert not is_paused(app)
    assert opens_next(pet) == "pet"


def test_pause_names_the_pet_where_there_are_several(pet: PetCommand) -> None:
    make(pet, "Anna")
    assert "Anna" not in pet("pause").out
    make(pet, "Bea")
    said = pet("pause").out
    assert "Anna" in said and "pet --pet anna pause off" in said
    assert "Bea" in pet("--pet", "bea", "pause", "off").out
    assert "Anna 的记忆" in pet("pause", "off", LANG="zh_CN.UTF-8").out


def test_a_pet_is_named_by_its_name_too(pet: PetCommand) -> None:
    make(pet, "Little Ánna", "小熊", "Bea")
    (bear,) = (each["id"] for each in pet("pets", "--json").json["pets"] if each["name"] == "小熊")
    for word, id_ in (("LITTLE ánna", "little-anna"), ("小熊", bear), ("BEA", "bea"), ("bea", "bea")):
        assert pet("--pet", word, "history", "USER.md", "--json").json["pet"] == id_
    assert pet("pets", "rename", "bea", "little ánna").code == 0
    ambiguous = pet("history", "USER.md", "--pet", "Little Ánna")
    assert ambiguous.code == 1 and "little-anna" in ambiguous.err and "bea" in ambiguous.err
    assert "There is no pet called “Cleo B.”" in pet("--pet", "Cleo B.", "search", "tea").err
    assert "no pet called" in pet("import", "--undo", "--into", "Cleo B.").err


def test_commands_without_pet_are_about_the_running_one(pet: PetCommand, server: ProtocolServer) -> None:
    make(pet, "Anna", "Bea")
    assert pet("--pet", "anna", "chat", "--once", "Hi").code == 0
    with opened(pet, "bea"):
        assert pet("--pet", "anna", "chat", "--once", "Hi").code == 0
        assert opens_next(pet) == "anna"
        assert pet("doctor", "--json").json["pet"] == "bea"
        assert [each["id"] for each in pet("pets", "--json").json["pets"] if each["current"]] == ["bea"]
        ended = pet("chat", "--once", "Hi")
        assert (ended.code, ended.out) == (0, "Hello.\n") and "Bea (bea)" in ended.err
        assert opens_next(pet) == "bea"


def test_commands_say_which_pet_they_are_about_where_none_was_named(pet: PetCommand) -> None:
    make(pet, "Anna")
    assert pet("search", "tea").err.count("anna") == 0
    make(pet, "Bea")
    assert "Anna (anna)" in pet("search", "tea").err
    assert "Anna (anna)" in pet("forget", "tea", "--yes").err
    assert "Bea" not in pet("--pet", "bea", "search", "tea").err
    assert pet("search", "tea", "--json").err == ""


def test_json_of_a_command_names_the_pet(pet: PetCommand) -> None:
    make(pet, "Anna", "Bea")
    assert pet("search", "tea", "--json").json["pet"] == "anna"
    assert pet("forget", "tea", "--yes", "--json").json["pet"] == "anna"
    assert pet("prompt", "--json").json["pet"] == "anna"
    assert pet("--pet", "bea", "history", "USER.md", "--json").json["pet"] == "bea"


def test_a_terminal_chat_is_recorded_and_other_commands_are_not(pet: PetCommand) -> None:
    make(pet, "Anna", "Bea")
    assert pet("--pet", "bea", "prompt").code == 0
    assert opens_next(pet) == "anna"
    assert pet("--pet", "bea", "chat", typed="/quit\n").code == 0
    assert opens_next(pet) == "bea"


def test_an_open_window_is_recorded(pet: PetCommand) -> None:
    make(pet, "Anna", "Bea")
    with opened(pet, "bea"):
        assert opens_next(pet) == "bea"
    make(pet, "Aaron")
    assert opens_next(pet) == "bea"


def test_a_pet_made_before_any_was_opened_changes_nothing(pet: PetCommand) -> None:
    make(pet, "Zoe", "Anna")
    assert pet("pets", "duplicate", "anna", "Aaron").code == 0
    assert opens_next(pet) == "zoe"


def test_after_the_last_one_was_deleted_the_one_before_it_opens(pet: PetCommand) -> None:
    make(pet, "Anna", "Bea", "Cleo", "Dora")
    for each in ("dora", "bea", "cleo"):
        assert pet("pets", "switch", each).code == 0
    assert pet("pets", "delete", "cleo", "--yes").code == 0
    assert opens_next(pet) == "bea"
    (find_home(pet.home).pets / "bea").rename(pet.home / "bea")  # by hand
    assert opens_next(pet) == "dora"


def test_without_a_record_the_newest_conversation_decides(pet: PetCommand) -> None:
    make(pet, "Anna", "Bea")
    assert pet("--pet", "bea", "chat", "--once", "Hi").code == 0
    find_home(pet.home).state_file.unlink()
    assert opens_next(pet) == "bea"


@pytest.mark.parametrize("content", ["[]", '{"pet": 7}', '{"pet": "gone", "pets_before": {"a": 1}}', "{"])
def test_a_broken_record_leaves_the_choice_deterministic(pet: PetCommand, content: str) -> None:
    home = find_home(pet.home)
    for each in ("zoe", "pet", "anna"):
        (home.pets / each).mkdir(parents=True)
    home.state.mkdir(parents=True, exist_ok=True)
    home.state_file.write_text(content)
    assert opens_next(pet) == "pet"


def test_folder_in_place_of_the_state_file_is_refused_in_words(pet: PetCommand) -> None:
    make(pet, "Anna", "Bea")
    state = find_home(pet.home).state_file
    state.unlink(missing_ok=True)
    state.mkdir()
    hold_pet(find_home(pet.home), "bea").release()
    ended = pet("--pet", "bea", "chat", "--once", "Hi")
    assert ended.code == 1
    assert "state.json" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("named", "said"), [("anna", "switch anna"), ("bea", "already here"), (None, "already here")]
)
def test_a_second_start_with_another_pet_says_which_one_is_open(
    pet: PetCommand, named: str | None, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make(pet, "Anna", "Bea")
    for page in ("chat.html",):
        (tmp_path / page).write_text("")
    with opened(pet, "bea"):
        assert open_pet(find_home(pet.home), never, Texts("en"), named=named, pages=tmp_path) == 0
    shown = capsys.readouterr().out
    assert said in shown and ("Bea" in shown) == (named == "anna")


def never(_windows: DesktopPort) -> Pet:
    raise AssertionError("a second core was made")


def test_the_note_of_a_pause_names_the_pet_where_there_are_several(pet: PetCommand, server: ProtocolServer) -> None:
    make(pet, "Anna")
    assert pet("pause").code == 0
    assert "Run “pet pause off”" in pet("chat", "--once", "Hi").err
    make(pet, "Bea")
    assert pet("--pet", "bea", "pause").code == 0
    for command in (("prompt",), ("chat", "--once", "Hi")):
        said = pet("--pet", "bea", *command).err
        assert "Bea" in said and "“pet --pet bea pause off”" in said


def test_the_way_back_is_one_for_this_very_pet(pet: PetCommand) -> None:
    make(pet, "Anna", "Zoe")
    user = pet.home / "data" / "pets" / "zoe" / "USER.md"
    first = user.read_bytes()
    assert pet("history", "USER.md", "--pet", "zoe").code == 0
    user.write_text("another\n", encoding="utf-8")
    versions = pet("history", "USER.md", "--pet", "zoe", "--json").json["versions"]
    restored = pet("restore", "USER.md", versions[-1]["id"], "--pet", "zoe")
    assert user.read_bytes() == first
    way = next(line for line in restored.out.splitlines() if line.startswith("To undo: pet "))
    assert pet(*way.removeprefix("To undo: pet ").split()).code == 0
    assert user.read_text(encoding="utf-8") == "another\n"


def test_the_list_says_who_is_on_the_desktop(pet: PetCommand) -> None:
    with two_on_the_desktop(pet):
        rows = pet("pets", "--json").json["pets"]
        assert {each["id"]: each["on_desktop"] for each in rows} == {"anna": True, "bea": True, "cleo": False}
        assert [each["id"] for each in rows if each["current"]] == ["anna"]
        lines = pet("pets").out.splitlines()
        assert [("on the desktop" in line, line.startswith("*")) for line in lines] == [
            (True, True),
            (True, False),
            (False, False),
        ]
        assert pet("doctor", "--json").json["on_desktop"] == ["anna", "bea"]
        assert "anna, bea" in pet("doctor").out
    assert "on the desktop" not in pet("pets").out
    assert pet("doctor", "--json").json["on_desktop"] == []


def test_commands_reach_the_program_of_the_pet_that_is_named(pet: PetCommand, server: ProtocolServer) -> None:
    with two_on_the_desktop(pet) as (anna, bea):
        assert "Bea" in pet("--pet", "bea", "pause").out
        assert (is_paused(anna), is_paused(bea)) == (False, True)
        assert "Anna" in pet("pause").out
        assert "Bea" in pet("--pet", "bea", "pause", "off").out
        assert (is_paused(anna), is_paused(bea)) == (True, False)
        for name, here in (("anna", True), ("bea", True), ("cleo", False)):
            ended = pet("--pet", name, "say", "Backup done")
            assert ended.code == (0 if here else 1)
            assert (f"{name} is not on the desktop" in ended.err) == (not here)
        ended = pet("--pet", "bea", "chat", "--once", "Hi")
        assert (ended.code, ended.out, ended.err) == (0, "Hello.\n", "")
        assert [len(app.conversations.saved()) for app in (anna, bea)] == [0, 1]


def test_export_and_restore_take_one_of_two_pets_that_are_open(pet: PetCommand, tmp_path: Path) -> None:
    with two_on_the_desktop(pet) as (anna, bea):
        for app in (anna, bea):
            (app.store.root / "MEMORY.md").write_text(f"- canary of {app.pet_id}\n", encoding="utf-8")
        zipped = tmp_path / "bea.zip"
        assert pet("--pet", "bea", "export", "--all", str(zipped)).code == 0
        with zipfile.ZipFile(zipped) as packed:
            content = b"".join(packed.read(name) for name in packed.namelist())
        assert b"canary of bea" in content and b"canary of anna" not in content
        made = pet("import", str(zipped), "--yes", "--json").json["pet"]
        root = find_home(pet.home).workspace(made)
        assert (root / "MEMORY.md").read_text(encoding="utf-8") == "- canary of bea\n"
        assert {each["id"]: each["on_desktop"] for each in pet("pets", "--json").json["pets"]}[made] is False
        versions = pet("--pet", "bea", "history", "USER.md", "--json").json["versions"]
        (bea.store.root / "USER.md").write_text("changed\n", encoding="utf-8")
        assert pet("--pet", "bea", "restore", "USER.md", versions[-1]["id"]).code == 0
        assert "changed" not in (bea.store.root / "USER.md").read_text(encoding="utf-8")
        for app in (anna, bea):
            memory = (app.store.root / "MEMORY.md").read_text(encoding="utf-8")
            assert memory == f"- canary of {app.pet_id}\n"


def test_a_pet_that_is_open_beside_another_is_not_deleted(pet: PetCommand) -> None:
    with two_on_the_desktop(pet) as (anna, bea):
        for app in (anna, bea):
            ended = pet("pets", "delete", app.pet_id, "--yes")
            assert ended.code == 1 and "is open right now" in ended.err
            assert app.store.root.is_dir()
        assert pet("pets", "delete", "cleo", "--yes").code == 0

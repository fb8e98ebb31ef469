"""A core file that is gone although it has earlier versions: nothing takes its place before the owner chose."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pet.__main__ import ThisDesktop
from pet.app import Pet
from pet.cli.main import run
from pet.errors import FileLost, FileMissing
from pet.memory.store.daily_log import render_entry
from pet.model import Author, CoreFile, Missing, Present
from pet.paths import Home
from pet.workspace.store import WorkspaceStore
from tests.engine.test_compaction import tell
from tests.support.models.scripted import ScriptedProvider, call, say
from tests.support.program.invoking import ask, refused

TEXTS = {
    "SOUL.md": "# Soul\n\nI am Momo, a calm cat.\n",
    "USER.md": "\ufeff# About\r\n\r\n- Name: Lin",
    "MEMORY.md": "# Memory\n\n- Lin is allergic to shellfish\n",
}
NAMES = tuple(each.value for each in CoreFile)


def opened(home: Home, *script: object) -> Pet:
    return Pet(home, environ={}, provider=ScriptedProvider(*script), channel="terminal")  # type: ignore[arg-type]


def without(home: Home, name: str) -> bytes:
    """Make a pet whose file is then removed by another program; return its last bytes."""
    app = opened(home)
    path = app.store.root / name
    path.write_bytes(TEXTS[name].encode())
    app.store.observe(name)
    data = path.read_bytes()
    path.unlink()
    app.close()
    return data


def path_of(home: Home, name: str) -> Path:
    return home.workspace("pet") / name


COMMANDS: dict[str, tuple[str, ...]] = {
    "search": ("search", "shellfish"),
    "why": ("why", "Lin"),
    "prompt": ("prompt",),
    "history": ("history", "USER.md"),
    "remind": ("remind", "list"),
    "doctor": ("doctor",),
    "pause": ("pause",),
    "pets": ("pets", "list"),
    "settings": ("settings", "theme", "dark"),
}


@pytest.mark.parametrize("name", NAMES)
def test_no_command_creates_a_lost_file(home: Home, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    without(home, name)
    for words in COMMANDS.values():
        run(["--home", str(home.data.parent), *words], ThisDesktop())
        assert not path_of(home, name).exists(), words
    assert "Something went wrong" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("name", NAMES)
def test_a_lost_file_comes_back_byte_for_byte_with_one_click(home: Home, name: str) -> None:
    data = without(home, name)
    app = opened(home)
    (lost,) = ask(app.commands, "get_app_state")["lost_files"]
    assert lost["file"] == name and lost["since"][:10] == app.clock.now().date().isoformat()
    ask(app.commands, "restore_version", file=name, version=lost["version"])
    assert path_of(home, name).read_bytes() == data
    assert ask(app.commands, "get_app_state")["lost_files"] == []
    app.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_lost_file_begins_anew_when_the_owner_wants_it(home: Home, name: str) -> None:
    data = without(home, name)
    app = opened(home)
    ask(app.commands, "begin_file", file=name)
    assert ask(app.commands, "get_app_state")["lost_files"] == []
    assert path_of(home, name).exists() == (name != "MEMORY.md")  # which only the pet begins
    app.close()
    app = opened(home)
    assert app.store.lost_files() == []
    versions = app.store.history(name)
    assert data in [app.store.version_bytes(name, each.id) for each in versions]
    app.store.rewrite(name, lambda now: f"{now or ''}- more\n", author=Author.PET)
    app.close()


def test_what_the_owner_types_in_the_editor_is_a_new_file(home: Home) -> None:
    without(home, "USER.md")
    app = opened(home)
    reply = ask(app.commands, "write_file", file="USER.md", text="- Name: Lin\n", base="missing")
    assert reply["outcome"] == "saved"
    assert path_of(home, "USER.md").read_text() == "- Name: Lin\n"
    app.close()


WRITES: dict[str, Callable[[WorkspaceStore], object]] = {
    "write": lambda store: store.write("USER.md", "- tea\n", base="missing", author=Author.PET),
    "edit": lambda store: store.edit("USER.md", "tea", "rum", author=Author.PET),
    "rewrite": lambda store: store.rewrite("USER.md", lambda _: "- tea\n", author=Author.OWNER),
}


@pytest.mark.parametrize("way", WRITES)
def test_nobody_writes_into_the_place_of_a_lost_file(home: Home, way: str) -> None:
    without(home, "USER.md")
    app = opened(home)
    with pytest.raises(FileLost):
        WRITES[way](app.store)
    assert not path_of(home, "USER.md").exists()
    app.close()


def test_a_pet_that_writes_a_lost_file_is_refused_and_told_in_its_prompt(home: Home) -> None:
    without(home, "USER.md")
    provider = ScriptedProvider(call("write", {"path": "USER.md", "content": "- Name: Nobody\n"}), say("Hm."))
    app = Pet(home, environ={}, provider=provider, channel="terminal")
    chat = app.conversations.create(memory=True)
    tell(chat, "Who am I?")
    assert not path_of(home, "USER.md").exists()
    (done,) = chat.folded().turns[-1].tools
    assert done.error is not None and done.error.code == "file_lost"
    system = "".join(block.text for block in provider.requests[0].system)
    assert "USER.md is missing, although it was there before." in system
    assert "There is no USER.md yet" not in system
    app.close()


def test_the_line_in_the_prompt_is_the_same_each_time(home: Home) -> None:
    without(home, "USER.md")
    app = opened(home)
    first = app.preview_prompt(memory=True).blocks
    app.store.observe("USER.md")
    assert app.preview_prompt(memory=True).blocks == first
    assert "USER.md" not in "".join(app.preview_prompt(memory=False).blocks)
    app.close()


@pytest.mark.parametrize("name", NAMES)
def test_doctor_says_since_when_and_how_it_comes_back(
    home: Home, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = without(home, name)
    opened(home).close()
    capsys.readouterr()
    assert run(["--home", str(home.data.parent), "doctor", "--json"], ThisDesktop()) == 1
    text = {each["code"]: each["text"] for each in json.loads(capsys.readouterr().out)["problems"]}["file_lost"]
    assert f"{name} has been missing since 20" in text
    version = text.split(f"restore {name} ")[1].split("”")[0]
    assert run(["--home", str(home.data.parent), "restore", name, version], ThisDesktop()) == 0
    assert path_of(home, name).read_bytes() == data


def test_restore_new_begins_a_lost_file_and_nothing_else(home: Home) -> None:
    without(home, "USER.md")
    assert run(["--home", str(home.data.parent), "restore", "SOUL.md", "new"], ThisDesktop()) == 1
    assert run(["--home", str(home.data.parent), "restore", "USER.md", "new"], ThisDesktop()) == 0
    assert path_of(home, "USER.md").exists()


def test_a_file_that_its_owner_undid_and_one_that_never_was_are_as_before(home: Home) -> None:
    app = opened(home)
    assert app.store.read("MEMORY.md") == Missing(name="MEMORY.md")
    receipt = app.store.write("MEMORY.md", "- tea\n", base="missing", author=Author.PET)
    assert receipt is not None
    app.store.undo(receipt, author=Author.OWNER)
    assert app.store.read("MEMORY.md") == Missing(name="MEMORY.md")
    app.store.write("MEMORY.md", "- rum\n", base="missing", author=Author.PET)
    assert isinstance(app.store.read("MEMORY.md"), Present)
    app.close()


def test_a_lost_log_is_no_core_file(home: Home) -> None:
    app = opened(home)
    log = "memory/2026-11-20.md"
    text = render_entry("tea", at=app.clock.now().time())
    app.store.write(log, text, base="missing", author=Author.PET)
    (app.store.root / log).unlink()
    app.store.write(log, text, base="missing", author=Author.PET)
    with pytest.raises(FileMissing):
        app.store.edit("memory/2026-11-21.md", "a", "b", author=Author.PET)
    app.close()


def test_without_a_readable_history_nothing_is_created_either(home: Home) -> None:
    without(home, "USER.md")
    history = home.workspace("pet") / ".history"
    history.rename(history.with_name("kept"))
    history.symlink_to("kept")
    app = opened(home)
    assert not path_of(home, "USER.md").exists()
    assert refused(app.commands, "write_file", file="USER.md", text="x", base="missing")["code"] == "file_link"
    app.close()

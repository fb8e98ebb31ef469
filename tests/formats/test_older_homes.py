"""What earlier versions wrote opens with today's program: conversations, versions of files, settings. Nothing changes
by being read.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pet.app import Pet
from pet.model import Author, Present
from pet.paths import Home, find_home
from pet.transcripts.entries import VERSION
from tests.formats.record import ADDRESS, HOMES, USER

NAMES = sorted(folder.name for folder in HOMES.iterdir())


def open_copy(name: str, tmp_path: Path) -> tuple[Home, Pet]:
    home = find_home(shutil.copytree(HOMES / name, tmp_path / name))
    return home, Pet(home, channel="terminal", environ={})


def test_homes_of_several_versions_are_kept() -> None:
    assert len(NAMES) >= 4
    assert VERSION == 1, "a new transcript format needs a home of its own here"


@pytest.mark.parametrize("name", NAMES)
def test_conversations_open_with_all_their_turns(name: str, tmp_path: Path) -> None:
    _, app = open_copy(name, tmp_path)
    try:
        said = {
            found.title: (found.memory, app.conversations.open(found.id).folded().turns)
            for found in app.transcripts.list()
        }
    finally:
        app.close()
    assert set(said) == {"Good morning!", "I drink green tea", "Which drink do I love"}
    assert {title: memory for title, (memory, _) in said.items()} == {
        "Good morning!": True,
        "I drink green tea": True,
        "Which drink do I love": False,
    }
    assert all(len(turns) == 1 for _, turns in said.values())
    assert "Noted: green tea." in repr(said["I drink green tea"][1])


@pytest.mark.parametrize("name", NAMES)
def test_older_versions_of_a_file_come_back(name: str, tmp_path: Path) -> None:
    _, app = open_copy(name, tmp_path)
    try:
        assert present(app, "USER.md").text == USER
        written, template = app.store.history("USER.md")
        assert written.version == present(app, "USER.md").version
        app.store.restore("USER.md", template.id, author=Author.OWNER)
        assert present(app, "USER.md").version == template.version
        app.store.restore("USER.md", written.id, author=Author.OWNER)
        assert present(app, "USER.md").text == USER
    finally:
        app.close()


@pytest.mark.parametrize("name", NAMES)
def test_settings_hold_and_a_change_keeps_the_owners_text(name: str, tmp_path: Path) -> None:
    home, app = open_copy(name, tmp_path)
    try:
        assert app.settings.problems() == []
        assert app.settings.current().base_url == ADDRESS
        app.settings.change({"model": "another-model"})
    finally:
        app.close()
    text = home.settings_file.read_text("utf-8")
    assert 'model = "another-model"' in text
    assert "# my own remark stays" in text
    assert 'set_by_a_later_version = "kept"' in text


@pytest.mark.parametrize("name", NAMES)
def test_opening_changes_no_file_of_the_owner(name: str, tmp_path: Path) -> None:
    home, app = open_copy(name, tmp_path)
    try:
        before = {file: file.read_bytes() for file in owners_files(HOMES / name)}
        for found in app.transcripts.list():
            app.conversations.open(found.id).folded()
    finally:
        app.close()
    after = {file: file.read_bytes() for file in owners_files(home.data.parent)}
    assert {str(file.relative_to(HOMES / name)) for file in before} <= {
        str(file.relative_to(home.data.parent)) for file in after
    }
    for file, content in before.items():
        assert after[home.data.parent / file.relative_to(HOMES / name)] == content, file


def present(app: Pet, name: str) -> Present:
    found = app.store.read(name)
    assert isinstance(found, Present)
    return found


def owners_files(home: Path) -> list[Path]:
    return [file for folder in ("data", "config") for file in (home / folder).rglob("*") if file.is_file()]

"""A whole pet as a zip, and the end of all data: only after the word, only when all is closed."""

from __future__ import annotations

import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pet.app import Pet
from pet.bridge.commands.privacy import Eraser
from pet.paths import Home
from pet.services.desktop_port import DesktopPort
from pet.services.home import open_pets
from pet.workspace.pet_registry import hold_pet, list_open
from pet.workspace.pet_zip import export_pet
from tests.support.clocks import DayClock
from tests.support.program.invoking import answered


class Leaving(DesktopPort):
    """Notes that the program was asked to quit."""

    left = False

    def quit(self) -> None:
        self.left = True


def ask(app: Pet, command: str, /, **args: object) -> Any:
    return answered(app.commands, command, **args)


@pytest.fixture
def pet(home: Home) -> Path:
    app = Pet(home, environ={}, channel="terminal")
    root = app.store.root
    (root / "memory").mkdir()
    (root / "memory" / "2026-02-24.md").write_text("# Memory Log: 2026-02-24\n", encoding="utf-8")
    app.close()
    return root


# --- a whole pet ----------------------------------------------------------------------------------


def test_the_zip_has_every_file_byte_for_byte(home: Home, pet: Path, tmp_path: Path) -> None:
    (pet / "麻薯.md").write_bytes(b"\xef\xbb\xbfnote\r\n")
    downloads = tmp_path / "downloads"
    made = export_pet(pet, downloads, "Mochi 2026-11-21", locks=home.locks)
    there = {file.relative_to(pet).as_posix(): file.read_bytes() for file in pet.rglob("*") if file.is_file()}
    with zipfile.ZipFile(made) as packed:
        inside = {name.removeprefix("Mochi 2026-11-21/"): packed.read(name) for name in packed.namelist()}
    assert inside == there
    assert {"SOUL.md", "USER.md", "memory/2026-02-24.md", "麻薯.md"} < inside.keys()
    assert [each.name for each in downloads.iterdir()] == ["Mochi 2026-11-21.zip"]


def test_a_zip_that_is_there_is_not_written_over(home: Home, pet: Path, tmp_path: Path) -> None:
    (tmp_path / "Mochi.zip").write_bytes(b"mine")
    assert export_pet(pet, tmp_path, "Mochi", locks=home.locks).name == "Mochi (2).zip"
    assert (tmp_path / "Mochi.zip").read_bytes() == b"mine"


def test_what_a_link_leads_to_stays_out(home: Home, pet: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("canary")
    (pet / "MEMORY.md").symlink_to(secret)
    (pet / "skills").mkdir()
    (pet / "skills" / "away").symlink_to(tmp_path)
    with zipfile.ZipFile(export_pet(pet, tmp_path / "out", "Mochi", locks=home.locks)) as packed:
        assert not any(b"canary" in packed.read(name) for name in packed.namelist())


# --- the end of everything ------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["", "yes", "dele", "delete all", "删"])
def test_without_the_word_nothing_happens(home: Home, pet: Path, word: str) -> None:
    windows = Leaving()
    app = Pet(home, environ={}, channel="terminal", windows=windows)
    assert ask(app, "erase_everything", confirm=word)["code"] == "erase_not_confirmed"
    app.close()
    assert not windows.left
    assert (pet / "SOUL.md").exists()


@pytest.mark.parametrize("word", ["delete", " Delete ", "删除"])
def test_everything_goes_when_the_program_has_ended(
    home: Home, pet: Path, word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pet.bridge.commands.privacy.Eraser.end", end_into_no_bin)
    windows = Leaving()
    app = Pet(home, environ={}, channel="terminal", windows=windows)
    ask(app, "change_settings", changes={"theme": "dark"})
    listed = ask(app, "list_folders")["folders"]
    assert str(home.data) in listed and str(home.config) in listed
    assert ask(app, "erase_everything", confirm=word) == {}
    assert windows.left
    assert (pet / "SOUL.md").exists()  # while the program runs
    app.close()
    assert [each for each in (home.data, home.config, home.state, home.cache, home.log) if each.exists()] == []
    [aside] = (each for each in home.data.parent.iterdir() if each.name.startswith("data deleted "))
    assert (aside / "pets" / pet.name / "SOUL.md").exists()


_end = Eraser.end


def end_into_no_bin(eraser: Eraser) -> None:
    """As on a system without a bin: tests put nothing into the one of whoever runs them."""
    eraser._to_bin = lambda _folder: None
    _end(eraser)


def test_folders_inside_each_other_are_named_once(tmp_path: Path) -> None:
    data = tmp_path / "soulpet"
    home = Home(data=data, config=data / "config", state=data / "state", cache=tmp_path / "cache", log=data / "Logs")
    for folder in (home.config, home.state, home.cache, home.log):
        folder.mkdir(parents=True)
    assert Eraser(home, DayClock()).folders == [home.data, home.cache]


def test_what_was_set_aside_goes_to_the_bin_and_the_rest_is_deleted(home: Home, pet: Path) -> None:
    taken: list[str] = []
    (home.cache / "index").mkdir(parents=True)
    eraser = Eraser(home, At(), taken_to(taken))
    eraser.end()  # nobody has asked
    assert (pet / "SOUL.md").exists() and taken == []
    eraser.ask()
    eraser.end()
    assert sorted(taken) == ["data deleted 2026-11-21 09.30.00", "state deleted 2026-11-21 09.30.00"]
    assert not home.cache.exists() and not home.data.exists()


class At(DayClock):
    def now(self) -> datetime:
        return datetime.fromisoformat("2026-11-21T09:30:00+00:00")


def taken_to(names: list[str]) -> Any:
    return lambda folder: names.append(folder.name)


def test_another_program_with_a_pet_open_keeps_everything(home: Home, pet: Path) -> None:
    windows = Leaving()
    app = Pet(home, environ={}, channel="terminal", windows=windows)
    open_pets(home).create("小二", "zh")
    for pet_id, name in ((pet.name, "Mochi"), ("pet-2", "小二")):
        other = hold_pet(home, pet_id)
        assert sorted(list_open(home)) == sorted([pet.name, pet_id])
        refused = ask(app, "erase_everything", confirm="delete")
        assert (refused["code"], refused["args"]) == ("pet_busy", {"pet_id": name})
        other.release()
    assert list_open(home) == [pet.name]
    app.close()
    assert not windows.left and (pet / "SOUL.md").exists()

"""A whole pet out and in again, byte for byte; archives that are hostile, damaged or of half a pet."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path

import pytest

from pet.app.pet_selection import PetSettingsSource
from pet.errors import ImportRefused
from pet.paths import Home, find_home
from pet.services.pets.open_pets import open_pets
from pet.settings.store import SettingsStore, read_pet_settings
from pet.workspace.fs import zip_reading
from pet.workspace.pets.export_zip import export_pet, export_pet_to
from pet.workspace.pets.import_zip import read_packed_pet
from pet.workspace.pets.registry import list_ids


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


@pytest.fixture
def root(home: Home) -> Path:
    root = home.workspace(open_pets(home).create("Mochi", "en"))
    for name, data in {
        "MEMORY.md": "- 核桃过敏\r\n".encode(),
        "memory/2026-02-12.md": b"\xef\xbb\xbf# Memory Log\n",
        "conversations/0123456789abcdefghjkmnpqrs.jsonl": b'{"a":1}\n',
        "attachments/ab/abcdef": bytes(range(256)) * 40,
        "skills/cook/SKILL.md": b"---\nname: cook\n---\n",
        "麻薯 notes.md": b"",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def tree(root: Path) -> dict[str, bytes]:
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}


def test_an_exported_pet_comes_back_byte_for_byte_with_its_history(home: Home, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "mochi.zip"
    export_pet_to(root, file, locks=home.locks)
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".zip"] == ["mochi.zip"]
    before = tree(root)
    assert any(name.startswith(".history/") for name in before)
    made = open_pets(home).take_in(file, "fallback")
    assert made == "mochi-2"
    assert tree(home.workspace(made)) == before == tree(root)


def test_a_pet_comes_back_in_another_home_and_goes_out_again_the_same(home: Home, root: Path, tmp_path: Path) -> None:
    other = find_home(tmp_path / "other")
    first = export_pet(root, tmp_path / "out", "Mochi", locks=home.locks)
    made = open_pets(other).take_in(first, "fallback")
    second = export_pet(other.workspace(made), tmp_path / "again", "Mochi", locks=other.locks)
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as two:
        assert {name: one.read(name) for name in one.namelist()} == {name: two.read(name) for name in two.namelist()}


@pytest.mark.parametrize(
    ("chosen", "kept"), [("main", "imported-main"), ("x" * 32, f"imported-{'x' * 23}"), ("computer", "computer")]
)
def test_a_connection_chosen_in_another_home_is_none_of_this_one(
    home: Home, root: Path, tmp_path: Path, chosen: str, kept: str
) -> None:
    """Nothing is sent then until the owner chooses; a model on this computer sends nothing."""
    (root / "pet.toml").write_text(f'# mine\nconnection = "{chosen}"\nmodel = "m"\n', encoding="utf-8")
    file = tmp_path / "mochi.zip"
    export_pet_to(root, file, locks=home.locks)
    imported = open_pets(home).take_in(file, "fallback")
    own = home.workspace(imported) / "pet.toml"
    assert own.read_text(encoding="utf-8") == f'# mine\nconnection = "{kept}"\nmodel = "m"\n'
    settings = SettingsStore(home.settings_file, {}, lambda: None)
    used = PetSettingsSource(settings, lambda: read_pet_settings(own.parent)).in_use()
    assert (used.problem is None) == (chosen == kept)


def test_an_export_writes_over_nothing(home: Home, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.zip"
    file.write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        export_pet_to(root, file, locks=home.locks)
    assert file.read_bytes() == b"mine"


def test_another_name_changes_only_the_file_that_says_it(home: Home, root: Path, tmp_path: Path) -> None:
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    made = open_pets(home).take_in(file, "fallback", "Taro")
    before, after = tree(root), tree(home.workspace(made))
    assert {name for name in before if before[name] != after[name]} == {"pet.toml"}


def test_half_a_pet_makes_none(home: Home, root: Path, tmp_path: Path) -> None:
    whole = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    half = tmp_path / "half.zip"
    with zipfile.ZipFile(whole) as read, zipfile.ZipFile(half, "w") as made:
        made.comment = read.comment
        for name in read.namelist()[:-2]:
            made.writestr(name, read.read(name))
    cut, bent = tmp_path / "cut.zip", tmp_path / "bent.zip"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    data = bytearray(whole.read_bytes())
    data[len(data) // 3] ^= 0xFF
    bent.write_bytes(data)
    for file, problem in ((half, "half"), (cut, "broken_zip"), (bent, "broken_zip")):
        with pytest.raises(ImportRefused) as refused:
            open_pets(home).take_in(file, "fallback")
        assert refused.value.problem == problem, file
    assert list_ids(home) == ["mochi"]
    assert [each.name for each in home.pets.iterdir()] == ["mochi"]


@pytest.mark.parametrize(
    "name", ["../evil", "Mochi/../../evil", "/evil", "Mochi/a\\..\\b", "Mochi/\x1b[2J", "C:\\evil"]
)
def test_hostile_names_unpack_nothing(home: Home, root: Path, tmp_path: Path, name: str) -> None:
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    with zipfile.ZipFile(file, "a") as made:
        info = zipfile.ZipInfo("Mochi/x")
        info.filename = name
        made.writestr(info, b"evil")
    with pytest.raises(ImportRefused) as refused:
        open_pets(home).take_in(file, "fallback")
    assert refused.value.problem == "names"
    assert not list(tmp_path.rglob("evil"))


def test_a_link_in_an_archive_is_refused(home: Home, root: Path, tmp_path: Path) -> None:
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    with zipfile.ZipFile(file, "a") as made:
        info = zipfile.ZipInfo("Mochi/link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        made.writestr(info, "/etc/passwd")
    with pytest.raises(ImportRefused) as refused:
        read_packed_pet(file)
    assert refused.value.problem == "names"


def test_more_bytes_than_the_limit_are_refused_before_anything_is_unpacked(
    home: Home, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    monkeypatch.setattr(zip_reading, "MAX_BYTES", 5000)
    with pytest.raises(ImportRefused) as refused:
        open_pets(home).take_in(file, "fallback")
    assert refused.value.problem == "too_large"
    assert list_ids(home) == ["mochi"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    with pytest.raises(ImportRefused):
        read_packed_pet(tmp_path / "pipe.zip")

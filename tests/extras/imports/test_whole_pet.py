"""A whole pet out and in again, byte for byte; archives that are hostile, damaged or of half a pet."""

from __future__ import annotations

import os
import re
import shutil
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pet.app import Pet
from pet.errors import ImportRefused, NewerFormat, ProviderFault, WriteFailed
from pet.extras.imports.packed_pet import import_pet, read_packed_pet
from pet.fs import zip_reading
from pet.i18n import LANGUAGES, Texts
from pet.model import Broken
from pet.paths import Home, find_home
from pet.services.home import open_pets
from pet.settings.connections import Connection
from pet.settings.effective import PetSettingsSource
from pet.settings.pet_settings import drop_foreign_connection, own_settings
from pet.settings.program_state import JsonState
from pet.settings.store import SettingsStore
from pet.workspace.pet_registry import list_ids
from pet.workspace.pet_toml import display_name
from pet.workspace.pet_zip import export_pet, export_pet_to
from tests.support.files import write_files
from tests.support.models.scripted import ScriptedProvider, say
from tests.support.program.invoking import ask


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


@pytest.fixture
def root(home: Home) -> Path:
    root = home.workspace(open_pets(home).create("Mochi", "en"))
    files: dict[str, bytes] = {
        "MEMORY.md": "- 核桃过敏\r\n".encode(),
        "memory/2026-02-12.md": b"\xef\xbb\xbf# Memory Log\n",
        "conversations/0123456789abcdefghjkmnpqrs.jsonl": b'{"a":1}\n',
        "attachments/ab/abcdef": bytes(range(256)) * 40,
        "skills/cook/SKILL.md": b"---\nname: cook\n---\n",
        "麻薯 notes.md": b"",
    }
    write_files(root, files)
    return root


def tree(root: Path) -> dict[str, bytes]:
    return {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}


def test_an_exported_pet_comes_back_byte_for_byte_with_its_history(home: Home, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "mochi.zip"
    export_pet_to(root, file, locks=home.locks)
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".zip"] == ["mochi.zip"]
    before = tree(root)
    assert any(name.startswith(".history/") for name in before)
    made = import_pet(open_pets(home), file, "fallback")
    assert made == "mochi-2"
    assert tree(home.workspace(made)) == before == tree(root)


def test_empty_folders_and_bytes_that_are_no_text_come_back(home: Home, root: Path, tmp_path: Path) -> None:
    (root / "notes" / "空").mkdir(parents=True)
    (root / "skills" / "later").mkdir()
    write_files(root, {"TOOLS.md": b"\xb0\xa1 GBK", "notes/raw.bin": b"\xff\xfe\x00"})
    file = tmp_path / "mochi.zip"
    export_pet_to(root, file, locks=home.locks)
    with zipfile.ZipFile(file, "a") as packed:  # of a program that names them all, and one beside the pet's
        packed.writestr("mochi/notes/", b"")
        packed.writestr("elsewhere/", b"")
        packed.comment = packed.comment
    back = home.workspace(import_pet(open_pets(home), file, "fallback"))
    folders = {path.relative_to(root) for path in root.rglob("*") if path.is_dir()}
    assert {path.relative_to(back) for path in back.rglob("*") if path.is_dir()} == folders
    asked = tree(root)["pet.toml"] + b'instructions = "ask"\n'  # for TOOLS.md
    assert tree(back) == tree(root) | {"pet.toml": asked}


def test_a_pet_comes_back_in_another_home_and_goes_out_again_the_same(home: Home, root: Path, tmp_path: Path) -> None:
    other = find_home(tmp_path / "other")
    first = export_pet(root, tmp_path / "out", "Mochi", locks=home.locks)
    made = import_pet(open_pets(other), first, "fallback")
    second = export_pet(other.workspace(made), tmp_path / "again", "Mochi", locks=other.locks)
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as two:
        assert {name: one.read(name) for name in one.namelist()} == {name: two.read(name) for name in two.namelist()}


def problem_of(home: Home, pet: str) -> object:
    settings = SettingsStore(home.settings_file, {}, lambda: None)
    state = JsonState(home.state_file)
    return PetSettingsSource(settings, lambda: own_settings(home.workspace(pet), pet, state), ()).in_use().problem


@pytest.mark.parametrize(("chosen", "foreign"), [("main", True), ("work", True), ("computer", False)])
def test_a_connection_chosen_in_another_home_is_none_of_this_one(
    home: Home, root: Path, tmp_path: Path, chosen: str, foreign: bool
) -> None:
    """Nothing is sent until the owner chooses; a model on this computer sends nothing. The file stays as it is."""
    (root / "pet.toml").write_bytes(f'# mine\r\nconnection = "{chosen}"\r\nmodel = "m"\r\n'.encode())
    SettingsStore(home.settings_file, {}, lambda: None).save_connection(
        Connection(id="work", base_url="https://work.test", model="m")
    )
    file = tmp_path / "mochi.zip"
    export_pet_to(root, file, locks=home.locks)
    imported = import_pet(open_pets(home), file, "fallback")
    assert tree(home.workspace(imported)) == tree(root)
    assert isinstance(problem_of(home, imported), ProviderFault) == foreign
    copy = open_pets(home).duplicate(imported, "Twin")
    assert isinstance(problem_of(home, copy), ProviderFault) == foreign
    assert problem_of(home, "mochi") is None
    drop_foreign_connection(imported, JsonState(home.state_file))
    assert problem_of(home, imported) is None
    open_pets(home).delete(copy)
    assert f".{copy}" not in home.state_file.read_text(encoding="utf-8") if foreign else True


def test_choosing_the_connection_again_makes_it_one_of_this_home(home: Home, root: Path, tmp_path: Path) -> None:
    (root / "pet.toml").write_text('connection = "main"\nmodel = "m"\n', encoding="utf-8")
    export_pet_to(root, tmp_path / "mochi.zip", locks=home.locks)
    imported = import_pet(open_pets(home), tmp_path / "mochi.zip", "fallback")
    app = Pet(home, pet_id=imported, environ={}, channel="terminal")
    try:
        assert isinstance(app.effective.in_use().problem, ProviderFault)
        assert ask(app.commands, "list_connections")["pet"] not in ("", "main")
        ask(app.commands, "set_pet_model", connection="main", model="m")
        assert app.effective.in_use().problem is None
        assert ask(app.commands, "list_connections")["pet"] == "main"
    finally:
        app.close()
    assert (home.workspace(imported) / "pet.toml").read_bytes() == (root / "pet.toml").read_bytes()


def test_an_export_into_the_pets_own_folder_is_no_part_of_itself(home: Home, root: Path) -> None:
    before = tree(root)
    (root / "backups").mkdir()
    file = root / "backups" / "mochi.zip"
    export_pet_to(root, file, locks=home.locks)
    assert tree(root).keys() - before.keys() == {"backups/mochi.zip"}
    made = home.workspace(import_pet(open_pets(home), file, "fallback"))
    assert {name: data for name, data in tree(made).items() if not name.startswith("backups")} == before


def test_an_export_writes_over_nothing(home: Home, root: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.zip"
    file.write_bytes(b"mine")
    with pytest.raises(FileExistsError):
        export_pet_to(root, file, locks=home.locks)
    assert file.read_bytes() == b"mine"


def test_another_name_changes_only_the_file_that_says_it(home: Home, root: Path, tmp_path: Path) -> None:
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    made = import_pet(open_pets(home), file, "fallback", "Taro")
    before, after = tree(root), tree(home.workspace(made))
    assert {name for name in before if before[name] != after[name]} == {"pet.toml"}


@pytest.mark.parametrize("within", ["", "Backups/Pets/"])
def test_an_archive_that_macos_packed_again_is_the_whole_pet(
    home: Home, root: Path, tmp_path: Path, within: str
) -> None:
    again = tmp_path / "again.zip"
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    with zipfile.ZipFile(file) as read, zipfile.ZipFile(again, "w") as made:
        for name in read.namelist():
            made.writestr(f"{within}{name}", read.read(name))
            made.writestr(f"__MACOSX/{within}{name.replace('Mochi/', 'Mochi/._')}", b"\0\5\x16\7")
        made.writestr(f"{within}.DS_Store" if within else "Mochi/.DS_Store", b"\0\0\0\1Bud1")
    packed = read_packed_pet(again)
    assert packed is not None and packed.conversations == 1
    assert tree(home.workspace(import_pet(open_pets(home), again, "fallback"))) == tree(root)


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
    locked = tmp_path / "locked.zip"
    data = bytearray(whole.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flags of each entry
        for found in re.finditer(re.escape(mark), bytes(data)):
            data[found.start() + at] |= 1
    locked.write_bytes(data)
    twice = tmp_path / "twice.zip"
    shutil.copyfile(whole, twice)
    with zipfile.ZipFile(twice, "a") as made, pytest.warns(UserWarning, match="Duplicate"):
        made.writestr(made.namelist()[0], b"another")
    problems = ((half, "half"), (cut, "broken_zip"), (bent, "broken_zip"), (locked, "encrypted"), (twice, "names"))
    for file, problem in problems:
        with pytest.raises(ImportRefused) as refused:
            import_pet(open_pets(home), file, "fallback")
        assert refused.value.problem == problem, file
    assert list_ids(home) == ["mochi"]
    assert [each.name for each in home.pets.iterdir()] == ["mochi"]


@pytest.mark.parametrize("deep", [".".join("a" * 24_000) + " = 1", "a = " + "[" * 100 + "]" * 100])
def test_a_pet_whose_settings_are_nested_too_deeply_is_refused_with_a_sentence(
    home: Home, root: Path, tmp_path: Path, deep: str
) -> None:
    (root / "pet.toml").write_text(f"memory = true\n{deep}\n", encoding="utf-8")
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    with pytest.raises(ImportRefused) as refused:
        import_pet(open_pets(home), file, "fallback")
    assert refused.value.problem == "deep_settings"
    for language in LANGUAGES:
        assert "pet.toml" in Texts(language)(f"error.{refused.value.error_code}", **refused.value.args_)
    assert list_ids(home) == ["mochi"]


@pytest.mark.parametrize(
    "name",
    [
        *("../evil", "Mochi/../../evil", "/evil", "//evil", "Mochi//evil", "Mochi/./evil", "Mochi/a\\..\\b"),
        *("C:\\evil", "Mochi/\x1b[2J", "Mochi/" + "x" * 1100, "Mochi/" + "名" * 86, "Mochi/SOUL.md/evil"),
    ],
)
def test_hostile_names_unpack_nothing(home: Home, root: Path, tmp_path: Path, name: str) -> None:
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    with zipfile.ZipFile(file, "a") as made:
        info = zipfile.ZipInfo("Mochi/x")
        info.filename = name
        made.writestr(info, b"evil")
    with pytest.raises(ImportRefused) as refused:
        import_pet(open_pets(home), file, "fallback")
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
        import_pet(open_pets(home), file, "fallback")
    assert refused.value.problem == "too_large"
    assert list_ids(home) == ["mochi"]


def test_a_list_of_more_entries_than_the_limit_is_not_even_parsed(
    home: Home, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million entries take a few megabytes in the file, and half a gigabyte as objects."""
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    parsed = list[object]()
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *given: parsed.append(given))
    monkeypatch.setattr(zip_reading, "MAX_ENTRIES", 1)
    with pytest.raises(ImportRefused) as refused:
        read_packed_pet(file)
    assert refused.value.problem == "too_many"
    assert parsed == []


@pytest.mark.parametrize(
    "comment", [b"", b"PK\x06\x06" + bytes(60)], ids=["plain", "with a false record of its size"]
)
def test_a_long_list_is_not_parsed_whatever_stands_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, comment: bytes
) -> None:
    """A record of a 64-bit size was taken from any text at the end of the list: with 0 in it nothing was counted."""
    file = tmp_path / "long.zip"
    with zipfile.ZipFile(file, "w") as made:
        for number in range(2_000):
            info = zipfile.ZipInfo(f"Mochi/.history/{number:0100}")
            info.comment = comment
            made.writestr(info, b"")
    parsed = list[object]()
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *given: parsed.append(given))
    monkeypatch.setattr(zip_reading, "MAX_ENTRIES", 1_500)
    with pytest.raises(ImportRefused) as refused:
        read_packed_pet(file)
    assert refused.value.problem == "too_many"
    assert parsed == []


def test_a_list_longer_than_its_file_is_refused(home: Home, root: Path, tmp_path: Path) -> None:
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    data = bytearray(file.read_bytes())
    struct.pack_into("<I", data, data.rindex(b"PK\x05\x06") + 12, len(data) * 2)
    file.write_bytes(data)
    with pytest.raises(ImportRefused) as refused:
        read_packed_pet(file)
    assert refused.value.problem == "broken_zip"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.zip")
    with pytest.raises(ImportRefused):
        read_packed_pet(tmp_path / "pipe.zip")


def test_a_name_with_a_null_or_a_drive_stays_inside(home: Home, root: Path, tmp_path: Path) -> None:
    """zipfile ends a name at the null; a drive letter is a plain folder here, so the archive is no pet's any more."""
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    for name in ("Mochi/evil\0.md", "C:/evil"):
        shutil.copyfile(file, tmp_path / "bad.zip")
        with zipfile.ZipFile(tmp_path / "bad.zip", "a") as made:
            info = zipfile.ZipInfo("Mochi/x")
            info.filename = name
            made.writestr(info, b"evil")
        with pytest.raises(ImportRefused):
            import_pet(open_pets(home), tmp_path / "bad.zip", "fallback")
    assert [each.name for each in home.pets.iterdir()] == ["mochi"]


@pytest.mark.parametrize("name", ["a\\b.md", "a\nb.md", "a\udcffb.md"])
def test_what_could_not_be_imported_again_is_not_exported_in_silence(
    home: Home, root: Path, tmp_path: Path, name: str
) -> None:
    (root / name).write_text("odd", encoding="utf-8")
    with pytest.raises(WriteFailed) as failed:
        export_pet_to(root, tmp_path / "out.zip", locks=home.locks)
    assert failed.value.args_["file"] == ascii(name)
    assert not list(tmp_path.glob("*.zip"))


def repacked(whole: Path, target: Path, change: Callable[[str, bytes], bytes | None], comment: bytes = b"") -> Path:
    """The archive as an owner packs it again after a change by hand. ``change`` gives each file's bytes, None for
    none of it."""
    with zipfile.ZipFile(whole) as read, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        made.comment = comment
        for name in read.namelist():
            data = change(name, read.read(name))
            if data is not None:
                made.writestr(name, data)
    return target


@pytest.mark.parametrize("comment", [b"soulpet-pet/2 files=3", b"soulpet-pet/2", b"soulpet-pet/100 chunks=9 files=1"])
def test_an_archive_of_a_newer_program_is_refused_before_anything_is_made(
    home: Home, root: Path, tmp_path: Path, comment: bytes
) -> None:
    whole = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    file = repacked(whole, tmp_path / "newer.zip", lambda _name, data: data, comment)
    with pytest.raises(NewerFormat):
        read_packed_pet(file)
    with pytest.raises(NewerFormat):
        import_pet(open_pets(home), file, "fallback")
    assert list_ids(home) == ["mochi"]


def test_a_pet_of_a_newer_program_is_refused_in_the_preview(home: Home, root: Path, tmp_path: Path) -> None:
    (root / "pet.toml").write_text("format = 99\n", encoding="utf-8")
    file = export_pet(root, tmp_path, "Mochi", locks=home.locks)
    with pytest.raises(NewerFormat):
        read_packed_pet(file)


def test_a_pet_changed_by_hand_opens_and_shows_what_is_broken(home: Home, root: Path, tmp_path: Path) -> None:
    (root / "pet.toml").write_text('name = "Mochi"\n', encoding="utf-8")
    app = Pet(
        home, pet_id="mochi", environ={}, channel="terminal", provider=ScriptedProvider(say("One."), say("Two."))
    )
    talks = []
    for _ in range(2):
        talk = app.conversations.create(memory=False)
        talk.send("Hello")
        talk.wait(60)
        talks.append(talk.id)
    app.close()
    whole = export_pet(root, tmp_path, "Mochi", locks=home.locks)

    def change(name: str, data: bytes) -> bytes | None:
        if talks[0] in name:
            return None
        if talks[1] in name:
            return data[: len(data) - 7]
        return data[:4] if name.endswith("/MEMORY.md") else data

    file = repacked(whole, tmp_path / "changed.zip", change)
    packed = read_packed_pet(file)
    assert packed is not None and packed.conversations == 2  # one of the fixture's, one that was cut
    made = import_pet(open_pets(home), file, "fallback")
    app = Pet(home, pet_id=made, environ={}, channel="terminal")
    try:
        assert app.conversations.open(talks[1]).folded().turns[0].text == "Hello"
        assert isinstance(app.store.read("MEMORY.md"), Broken)
        assert (home.workspace(made) / "MEMORY.md").read_bytes() == (root / "MEMORY.md").read_bytes()[:4]
    finally:
        app.close()


def test_several_pets_with_chinese_names_come_back_whole(home: Home, tmp_path: Path) -> None:
    """With all that a pet may hold, and without what is only for a moment."""
    other = find_home(tmp_path / "other")
    for number, name in enumerate(("麻薯", "团子 🍡", "麻薯")):
        made = open_pets(home).create(name, "zh")
        root = home.workspace(made)
        names = ("attachments/ab/ab12", "memory/2026-02-12.md", "skin/图片.png", "skills/烤/SKILL.md")
        write_files(root, dict.fromkeys(names, f"{number}\r\n\ufeff核桃" * 500))
        whole = tree(root)
        (root / ".soulpet~USER.md~01.tmp").write_text("half", encoding="utf-8")
        packed = export_pet(root, tmp_path / f"out{number}", name, locks=home.locks)
        taken = import_pet(open_pets(other), packed, "fallback")
        assert tree(other.workspace(taken)) == whole
        assert display_name(other.workspace(taken), taken, Texts("zh")) == name
    assert len(list_ids(other)) == 3

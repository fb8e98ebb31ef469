"""Pets are made, named, copied and taken away; each whole, or not at all."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from filelock import FileLock

from pet.bridge.commands.pets import PetCommands
from pet.errors import (
    BadPetId,
    FileBroken,
    OnlyPet,
    PetBusy,
    PetError,
    PetNameRefused,
    UnknownPet,
    UnknownTemplate,
    WriteFailed,
)
from pet.events import Event, PetsChanged
from pet.i18n import LANGUAGES, Language, Texts
from pet.memory.search.database import index_file, open_database
from pet.paths import Home, find_home
from pet.services.desktop_port import DesktopPort, OtherPets
from pet.settings.pet_settings import read_pet_settings
from pet.settings.program_state import JsonState
from pet.workspace.pet_registry import DEFAULT_PET, hold_pet, list_ids
from pet.workspace.pet_toml import calls_by_name, display_name, read_value
from pet.workspace.pets import Pets
from pet.workspace.templates import create_workspace
from tests.support.files import make_pipe, write_files
from tests.support.program.parts import pet_of
from tests.workspace.plain_pets import plain_pets, tree

ODD_IDS = [
    "",
    "..",
    "../mochi",
    "/etc",
    "a/b",
    "a\\b",
    "Mochi",
    "con",
    "lpt1",
    "a" * 33,
    "-a",
    "a.b",
    "a\0",
    "ａ",
    "小明",
]
FAMILY = "👨\u200d👩\u200d👧"


def test_display_name_is_identitys_then_the_one_in_pet_toml_then_the_id(home: Home, pets: Pets) -> None:
    root = home.workspace(pets.create("Mochi", "en"))
    (root / "IDENTITY.md").write_text("- **Name:** Claw\n", encoding="utf-8")
    assert display_name(root, "mochi", Texts("en")) == "Claw"
    (root / "IDENTITY.md").write_bytes(b"Name: Cl\xffw\n")  # the prompt can't read it either
    assert display_name(root, "mochi", Texts("en")) == "Mochi"
    (root / "pet.toml").unlink()
    assert display_name(root, "mochi-two", Texts("en")) == "Mochi Two"


@pytest.mark.parametrize("name", ["Kiki", "🦊 ثعلب", "*Star*", "(nobody)", "name: Bob", "小二"])
@pytest.mark.parametrize(
    ("before", "own", "after"),
    [
        (b"\xef\xbb\xbf- **Name:** ", b"Claw", b"\r\n- **Creature:** a Claw\r\n"),
        (b"# Claw\n\n* __name__: `", b"Claw", b"`   \nName: Other"),
        ("名字：".encode(), b"Claw", b""),
        (b"- **Name:** (pick one)\n", b"", b""),
        (b"no name here: Claw\n", b"", b""),
    ],
)
def test_another_name_stands_in_identity_too(
    home: Home, pets: Pets, before: bytes, own: bytes, after: bytes, name: str
) -> None:
    root = home.workspace(pets.create("Mochi", "en"))
    (root / "IDENTITY.md").write_bytes(before + own + after)
    given = display_name(root, "mochi", Texts("en"))
    copy = home.workspace(pets.duplicate("mochi", name))
    assert display_name(root, "mochi", Texts("en")) == given == (own.decode() or "Mochi")
    pets.rename("mochi", name)
    for each in (root, copy):
        assert display_name(each, "mochi", Texts("en")) == name
        written = name.encode() if own and name[0] not in "*(" else b""  # such a name would be read back as another
        assert (each / "IDENTITY.md").read_bytes() == before + written + after
    kept = [each for each in (root / ".history").rglob("*") if each.is_file() and b"Claw" in each.read_bytes()]
    assert kept or not own


def test_a_new_pet_comes_from_the_template_and_has_its_name(home: Home, pets: Pets) -> None:
    made = pets.create("Mochi the 2nd", "zh")
    root = home.workspace(made)
    assert made == "mochi-the-2nd"
    assert "我" in (root / "SOUL.md").read_text(encoding="utf-8") and (root / "USER.md").is_file()
    assert not (root / "MEMORY.md").exists()
    assert display_name(root, made, Texts("en")) == "Mochi the 2nd"
    assert [each.id for each in pets.list()] == [made]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_new_pet_calls_itself_by_its_own_name(home: Home, pets: Pets, language: Language) -> None:
    soul = (home.workspace(pets.create("🐙", language)) / "SOUL.md").read_text(encoding="utf-8")
    assert "🐙" in soul
    assert Texts(language)("template.soul.name") not in soul


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Mochi", "mochi"),
        ("José Ñandú", "jose-nandu"),
        ("小明", "pet-2"),
        ("🦊", "pet-2"),
        (FAMILY, "pet-2"),
        ("שלום", "pet-2"),
        ("CON", "con-2"),
        ("Pet", "pet"),
        ("x" * 60, "x" * 28),
        ("-- a --", "a"),
    ],
)
def test_an_id_is_made_from_the_name_and_the_name_stays_as_it_is(
    home: Home, pets: Pets, name: str, expected: str
) -> None:
    assert pets.create(name, "en") == expected
    assert display_name(pets.list()[0].root, expected, Texts("en")) == name
    assert pets.create(name, "en") != expected


@pytest.mark.parametrize(
    "name", ["", "  ", "a\nb", "a\0b", "a\x1bb", "\u200b", "x" * 61, "evil\u202egnp", "a\u2028b", "\ud83d"]
)
def test_what_no_name_is_is_refused_everywhere(home: Home, pets: Pets, name: str) -> None:
    made = pets.create("Mochi", "en")
    before = tree(home.data)
    for act in (
        lambda: pets.create(name, "en"),
        lambda: pets.rename(made, name),
        lambda: pets.duplicate(made, name),
    ):
        with pytest.raises(PetNameRefused):
            act()
    assert tree(home.data) == before


@pytest.mark.parametrize("pet_id", ODD_IDS)
def test_what_no_id_is_is_refused_by_every_call(home: Home, pets: Pets, pet_id: str) -> None:
    pets.create("Mochi", "en")
    before = tree(home.data)
    for act in (
        lambda: pets.root(pet_id),
        lambda: pets.create("New", "en", profile_of=pet_id),
        lambda: pets.rename(pet_id, "New"),
        lambda: pets.duplicate(pet_id, "New"),
        lambda: pets.delete(pet_id),
        lambda: hold_pet(home, pet_id),
    ):
        with pytest.raises(BadPetId):
            act()
    assert tree(home.data) == before


def test_a_pet_that_is_not_there_is_unknown(pets: Pets) -> None:
    pets.create("Mochi", "en")
    for act in (
        lambda: pets.create("New", "en", profile_of="other"),
        lambda: pets.rename("other", "New"),
        lambda: pets.duplicate("other", "New"),
        lambda: pets.delete("other"),
    ):
        with pytest.raises(UnknownPet):
            act()


def test_copying_what_i_told_the_other_pet_copies_the_profile_and_nothing_else(home: Home, pets: Pets) -> None:
    one = home.workspace(pets.create("One", "en"))
    told = b"\xef\xbb\xbf# Me\r\n\r\n- name: \xe5\xb0\x8f\xe6\x98\x8e"
    (one / "USER.md").write_bytes(told)
    (one / "MEMORY.md").write_text("secret of one", encoding="utf-8")
    (one / "SOUL.md").write_text("soul of one", encoding="utf-8")
    two = home.workspace(pets.create("Two", "en", profile_of="one"))
    assert (two / "USER.md").read_bytes() == told
    assert not any(b"of one" in data for data in tree(two).values())
    assert not os.path.samefile(one / "USER.md", two / "USER.md")


def test_a_profile_that_is_no_file_makes_no_pet(home: Home, pets: Pets) -> None:
    one = home.workspace(pets.create("One", "en"))
    (one / "USER.md").unlink()
    (one / "USER.md").symlink_to(one / "SOUL.md")
    with pytest.raises(FileBroken):
        pets.create("Two", "en", profile_of="one")
    assert list_ids(home) == ["one"] and sorted(path.name for path in home.pets.iterdir()) == ["one"]


def test_another_name_leaves_comments_and_all_else(home: Home, pets: Pets) -> None:
    root = home.workspace(pets.create("One", "en"))
    (root / "pet.toml").write_text(
        '# mine\nmodel = "some-model"   # fast\nrecall = false\n\n[other]\nx = 1\n', encoding="utf-8"
    )
    pets.rename("one", "🦊 ثعلب")
    text = (root / "pet.toml").read_text(encoding="utf-8")
    assert "# mine" in text and "# fast" in text and "[other]" in text
    assert tomllib.loads(text) == {"model": "some-model", "recall": False, "name": "🦊 ثعلب", "other": {"x": 1}}
    own = read_pet_settings(root)
    assert (own.name, own.model, own.recall, own.problems) == ("🦊 ثعلب", "some-model", False, ())
    kept = [path.read_bytes() for path in (root / ".history" / "objects").iterdir()]
    assert any(b"# mine" in data and "ثعلب".encode() not in data for data in kept)  # the version before


@pytest.mark.parametrize("content", [b"name = \n", b"\xff\xfe", b"x" * ((1 << 20) + 1)])
def test_a_pet_toml_that_can_not_be_read_is_left_alone(home: Home, pets: Pets, content: bytes) -> None:
    root = home.workspace(pets.create("One", "en"))
    (root / "pet.toml").write_bytes(content)
    with pytest.raises(FileBroken):
        pets.rename("one", "New")
    assert (root / "pet.toml").read_bytes() == content
    assert display_name(root, "one", Texts("en")) == "One"


def test_a_copy_has_everything_and_shares_nothing(home: Home, pets: Pets, tmp_path: Path) -> None:
    one = home.workspace(pets.create("One", "en"))
    held = (
        "MEMORY.md",
        "memory/2026-02-24.md",
        "skills/tea/SKILL.md",
        "conversations/x.jsonl",
        "attachments/ab",
        ".git/HEAD",
    )
    write_files(one, {name: f"{name} of one" for name in held})
    (tmp_path / "outside").write_text("not of the pet", encoding="utf-8")
    (one / "link.md").symlink_to(tmp_path / "outside")
    make_pipe(one / "pipe")
    (one / ".soulpet~USER.md~01.tmp").write_text("half", encoding="utf-8")
    before = tree(one)
    two = home.workspace(pets.duplicate("one", "Two"))
    copied = tree(two)
    assert {name: copied[name] for name in copied if name != "pet.toml"} == {
        name: before[name] for name in before if name not in ("pet.toml", "link.md", ".soulpet~USER.md~01.tmp")
    }
    assert not (two / "link.md").exists() and not (two / "pipe").exists()
    inodes = {path.stat().st_ino for path in one.rglob("*")}
    assert inodes.isdisjoint(path.stat().st_ino for path in two.rglob("*"))
    assert [display_name(each.root, each.id, Texts("en")) for each in pets.list()] == ["One", "Two"]
    (two / "MEMORY.md").write_text("other", encoding="utf-8")
    assert tree(one) == before


def test_a_deleted_pet_lies_whole_in_the_bin_and_nothing_of_it_is_left_elsewhere(home: Home, pets: Pets) -> None:
    pets.create("One", "en")
    pets.create("Two", "en")
    root = home.workspace("two")
    index = index_file(root, home.cache)
    open_database(index).close()
    other = index_file(home.workspace("one"), home.cache)
    open_database(other).close()
    JsonState(home.state_file).write(
        {"pet": "two", "paused.two": True, "paused.one": True, "tidied.two": "x", "met.two": ["2026-01-01"]}
    )
    JsonState(home.tabs_file).write(
        {"tabs.two": [{"draft": "hello"}], "active.two": "x", "tabs.one": [], "hosts_told": ["h"]}
    )
    before = tree(root)
    pets.delete("two")
    (kept,) = home.bin.iterdir()
    assert kept.name.startswith("two-20") and tree(kept) == before
    assert not root.exists() and not index.exists() and other.exists()
    assert JsonState(home.state_file).read() == {"paused.one": True}
    assert JsonState(home.tabs_file).read() == {"tabs.one": [], "hosts_told": ["h"]}


def test_the_only_pet_a_link_and_one_that_is_open_stay(home: Home, pets: Pets, tmp_path: Path) -> None:
    pets.create("One", "en")
    with pytest.raises(OnlyPet):
        pets.delete("one")
    pets.create("Two", "en")
    first, second = hold_pet(home, "two"), hold_pet(home, "two")
    first.release()
    with pytest.raises(PetBusy):
        pets.delete("two")
    second.release()
    home.workspace("two").rename(tmp_path / "synced")
    home.workspace("two").symlink_to(tmp_path / "synced")
    assert list_ids(home) == ["one", "two"]  # a pet may live in a synced folder
    with pytest.raises(FileBroken):
        pets.delete("two")
    assert (tmp_path / "synced" / "SOUL.md").is_file()


HOLDER = """
import sys, time
from pathlib import Path
from pet.paths import find_home
from pet.workspace.pet_registry import hold_pet
from pet.workspace.pet_toml import read_value
hold = hold_pet(find_home(Path(sys.argv[1])), "two")
print("held", flush=True)
sys.stdin.read()
"""


def test_another_program_holds_a_pet_until_it_is_killed(home: Home, pets: Pets) -> None:
    pets.create("One", "en")
    pets.create("Two", "en")
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(home.data.parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        with pytest.raises(PetBusy):
            pets.delete("two")
    finally:
        holder.kill()
        holder.communicate()
    pets.delete("two")
    assert list_ids(home) == ["one"] and list(home.running.iterdir()) == []


def test_a_maker_that_was_killed_leaves_no_half_a_pet(home: Home, pets: Pets) -> None:
    half = home.pets / ".new~mochi"
    half.mkdir(parents=True)
    (half / "SOUL.md").write_text("half", encoding="utf-8")
    assert pets.list() == []
    pets.create("Mochi", "en")
    assert sorted(path.name for path in home.pets.iterdir()) == ["mochi"]
    half.mkdir()
    hold_pet(home, "mochi").release()  # what a start does
    assert sorted(path.name for path in home.pets.iterdir()) == ["mochi"]


def test_a_disk_that_refuses_leaves_all_as_it_was(home: Home, pets: Pets, monkeypatch: pytest.MonkeyPatch) -> None:
    pets.create("One", "en")
    pets.create("Two", "en")
    home.bin.parent.joinpath("bin").write_text("in the way", encoding="utf-8")
    before = tree(home.pets)
    with pytest.raises(WriteFailed):
        pets.delete("two")
    assert tree(home.pets) == before


def test_the_systems_bin_takes_the_folder_whole(home: Home, tmp_path: Path) -> None:
    """In a process of its own, whose bin is the test's."""
    pets = plain_pets(home)
    pets.create("One", "en")
    pets.create("Two", "en")
    before = tree(home.workspace("two"))
    code = (
        "import sys; from pathlib import Path; from pet.paths import find_home;"
        "from pet.services.home import open_pets; open_pets(find_home(Path(sys.argv[1]))).delete('two')"
    )
    environ = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "share"), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code, str(home.data.parent)], env=environ, check=True)
    (kept,) = (tmp_path / "share" / "Trash" / "files").iterdir()
    assert tree(kept) == before and list(home.bin.iterdir()) == []


# --- the commands ---------------------------------------------------------------------------------


class Wished(OtherPets):
    """Notes which pets are wished for."""

    present: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.asked: list[str] = []

    def switch(self, pet: str) -> None:
        self.asked.append(f"{pet} instead")


class WishingDesktop(DesktopPort):
    pets = Wished()


def owners(pets: Pets, windows: DesktopPort, told: list[Event]) -> PetCommands:
    app = pet_of(
        pets=pets,
        pet_id="one",
        language=lambda: "en",
        texts=lambda: Texts("en"),
        windows=windows,
        emit=told.append,
    )
    return PetCommands(app)


def test_a_new_pet_can_have_another_personality_with_its_body(home: Home, pets: Pets) -> None:
    commands = owners(pets, DesktopPort(), [])
    commands.create_pet(name="Owlet", soul="scholar")
    folder = pets.root("owlet")
    soul = (folder / "SOUL.md").read_text()
    assert ("owl" in soul, "My name is Owlet" in soul) == (True, True)
    assert read_value(folder, "skin") == "soulpet/inkwell"
    commands.create_pet(name="Plain")
    assert read_value(pets.root("plain"), "skin") is None
    with pytest.raises(UnknownTemplate):
        commands.create_pet(name="Other", soul="../night")


def test_the_owner_manages_pets_and_switches(home: Home, pets: Pets) -> None:
    pets.create("One", "en")
    told: list[Event] = []
    windows = WishingDesktop()
    commands = owners(pets, windows, told)
    commands.create_pet(name="Two", profile_of="one")
    commands.duplicate_pet(pet="two", name="Three")
    listed = commands.rename_pet(pet="two", name="小二").pets
    assert [(each.id, each.name, each.current, each.conversations, each.changed_at) for each in listed] == [
        ("one", "One", True, 0, ""),
        ("three", "Three", False, 0, ""),
        ("two", "小二", False, 0, ""),
    ]
    assert told == [PetsChanged()] * 3
    with pytest.raises(PetBusy):
        commands.delete_pet(pet="one")
    assert [each.id for each in commands.delete_pet(pet="three").pets] == ["one", "two"]
    for nobody in ("three", "../two"):
        with pytest.raises(PetError):
            commands.switch_pet(pet=nobody)
    for pet in ("one", "two"):
        commands.switch_pet(pet=pet)
    windows.pets.present = frozenset({"two"})
    assert [(each.current, each.beside) for each in commands.list_pets().pets] == [(True, False), (False, True)]
    with pytest.raises(PetBusy, match="小二"):
        commands.delete_pet(pet="two")
    assert windows.pets.asked == ["two instead"]


@pytest.mark.parametrize(("born", "name"), [("en", "Mochi"), ("zh", "麻薯")])
@pytest.mark.parametrize("soul", [None, "# Who I am\n\nSomebody.\n", "# 我是谁\n\n一只小动物。\n"])
def test_the_first_pet_keeps_its_name_in_every_language(
    tmp_path: Path, born: Language, name: str, soul: str | None
) -> None:
    root = tmp_path / "pet"
    create_workspace(root, born)
    if soul is not None:
        (root / "SOUL.md").write_text(soul, encoding="utf-8")
        name = "Mochi" if soul.isascii() else "麻薯"
    assert {display_name(root, DEFAULT_PET, Texts(language)) for language in LANGUAGES} == {name}


def test_an_io_error_of_the_pets_lock_is_worded(pets: Pets, monkeypatch: pytest.MonkeyPatch) -> None:
    """Formerly an OSError, which a page got as "internal"."""
    acquire = FileLock.acquire

    def fail(lock: FileLock, *arguments: object, **options: object) -> object:
        if Path(lock.lock_file).name == "pets.lock":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return acquire(lock, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(FileLock, "acquire", fail)
    with pytest.raises(WriteFailed) as failed:
        pets.create("Momo", "en")
    assert Texts("en")(f"error.{failed.value.error_code}", **failed.value.args_)


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("Biscuit!", True),
        ("hey biscuit", True),
        ("Biscuit, what time is it in Lisbon just now?", True),
        ("Can you tell me what time it is, Biscuit?", True),
        ("I ate a whole biscuit with my tea today", False),
        ("Biscuits!", False),
        ("Biscuit is the name of my sister's dog", False),
        ("", False),
        ("Biscuit, " + "x" * 200, False),
    ],
)
def test_a_message_that_begins_or_ends_with_its_name_calls_it(text: str, calls: bool) -> None:
    assert calls_by_name(text, "Biscuit") is calls


@pytest.mark.parametrize(
    ("text", "calls"),
    [("团子！", True), ("嗨团子", True), ("团子，现在几点？", True), ("我昨天吃了三个团子很好吃", False)],
)
def test_it_is_called_in_chinese_too(text: str, calls: bool) -> None:
    assert calls_by_name(text, "团子") is calls
    assert not calls_by_name(text, "")


def test_a_home_that_can_not_be_written_is_named_whole(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in its place")
    with pytest.raises(WriteFailed) as failed:
        hold_pet(find_home(tmp_path / "home"), "pet")
    assert str(tmp_path / "home") in str(failed.value.args_["file"])

"""``pet pets``: the list, a new one, another name, a copy, away with one, another one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pet.paths import find_home
from pet.workspace.pet_registry import hold_pet
from tests.cli.conftest import PetCommand


def listed(pet: PetCommand) -> list[tuple[str, str, bool]]:
    return [(each["id"], each["name"], each["current"]) for each in pet("pets", "--json").json["pets"]]


@pytest.fixture
def bin_of_the_test(pet: PetCommand, tmp_path: Path) -> Path:
    pet.environ.update(XDG_DATA_HOME=str(tmp_path / "share"), HOME=str(tmp_path))  # on one file system
    return tmp_path / "share" / "Trash" / "files"


def test_pets_come_change_and_go(pet: PetCommand, bin_of_the_test: Path) -> None:
    made = pet("pets", "create", "Mochi", "--json").json
    assert (made["id"], made["name"]) == ("mochi", "Mochi")
    root = Path(made["workspace"])
    (root / "USER.md").write_text("# told to Mochi\n", encoding="utf-8")
    (root / "MEMORY.md").write_text("# remembered by Mochi\n", encoding="utf-8")
    assert "小明" in pet("pets", "create", "小明", "--copy-profile", "mochi").out
    assert pet("pets", "duplicate", "mochi", "Twin").code == 0
    assert pet("pets", "rename", "mochi", "🦊").code == 0
    assert listed(pet) == [("mochi", "🦊", True), ("pet-2", "小明", False), ("twin", "Twin", False)]
    assert (root.parent / "pet-2" / "USER.md").read_text() == "# told to Mochi\n"
    assert not (root.parent / "pet-2" / "MEMORY.md").exists()
    assert (root.parent / "twin" / "MEMORY.md").read_text() == "# remembered by Mochi\n"
    assert pet("pets", "switch", "twin").code == 0
    assert [each for each in listed(pet) if each[2]] == [("twin", "Twin", True)]
    assert pet("pets", "delete", "twin", "--yes").code == 0
    assert listed(pet) == [("mochi", "🦊", True), ("pet-2", "小明", False)]
    (kept,) = bin_of_the_test.iterdir()
    assert kept.name.startswith("twin-") and (kept / "MEMORY.md").is_file()
    shown = pet("pets").out
    assert f"* mochi  🦊    {root}\n  pet-2  小明  " in shown
    assert "called 🦊" not in shown and "🦊" in pet("prompt").out  # the pet knows what it is called


def test_a_pet_is_named_by_its_id_or_its_name(pet: PetCommand, bin_of_the_test: Path) -> None:
    for name in ("Mochi", "小明", "Momo"):
        pet("pets", "create", name)
    assert pet("pets", "rename", "momo", "Nuna").code == 0
    assert pet("pets", "duplicate", "nuna", "Nuna").code == 0
    assert pet("pets", "switch", "小明").code == 0
    assert [each for each in listed(pet) if each[2]] == [("pet-2", "小明", True)]
    twice = pet("pets", "delete", "Nuna", "--yes")
    assert twice.code == 1 and "Several pets are called “Nuna”" in twice.err and "momo, nuna" in twice.err
    assert pet("pets", "delete", "nuna", "--yes").code == 0  # an id
    assert pet("pets", "delete", "NUNA", "--yes").code == 0  # the one that is left with the name
    assert [each[0] for each in listed(pet)] == ["mochi", "pet-2"]
    assert pet("pets", "rename", "小明", "mochi").code == 0
    assert pet("pets", "delete", "Mochi", "--yes").code == 1  # the id of one, the name of two
    assert [each[0] for each in listed(pet)] == ["mochi", "pet-2"]


def test_nothing_is_deleted_without_a_word(pet: PetCommand, bin_of_the_test: Path) -> None:
    pet("pets", "create", "One")
    pet("pets", "create", "Two")
    ended = pet("pets", "delete", "two", typed="y\n")
    assert ended.code == 1 and "--yes" in ended.err
    assert len(listed(pet)) == 2


def test_saved_states_go_with_a_pet_deleted_in_the_terminal(pet: PetCommand, bin_of_the_test: Path) -> None:
    """They hold its soul."""
    pet("pets", "create", "One")
    pet("pets", "create", "Two")
    folder = find_home(pet.home).local_model_state
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "0-0.kv").write_bytes(b"soul")
    assert pet("pets", "delete", "two").code == 1  # not confirmed
    assert list(folder.glob("*.kv"))
    assert pet("pets", "delete", "two", "--yes").code == 0
    assert list(folder.glob("*.kv")) == []


def test_impossible_actions_are_reported_and_change_nothing(pet: PetCommand, bin_of_the_test: Path) -> None:
    pet("pets", "create", "One")
    for arguments, said in (
        (("delete", "one", "--yes"), "is the only pet"),
        (("delete", "two", "--yes"), "no pet called"),
        (("delete", "../one", "--yes"), "no pet called"),
        (("switch", "CON"), "no pet called"),
        (("rename", "one", "a\nb"), "can't be a name"),
        (("create", "\u202eevil"), "can't be a name"),
        (("create", "New", "--copy-profile", "nobody"), "no pet called"),
    ):
        ended = pet("pets", *arguments)
        assert ended.code == 1 and ended.out == "" and said in ended.err, arguments
    assert listed(pet) == [("one", "One", True)]
    assert not bin_of_the_test.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("dance",),
        ("create",),
        ("rename", "one"),
        ("list", "one"),
        ("delete", "one", "two"),
        ("create", "One", "--yes"),
        ("delete", "one", "--copy-profile", "two"),
    ],
)
def test_a_command_that_makes_no_sense_is_a_usage_error(pet: PetCommand, arguments: tuple[str, ...]) -> None:
    ended = pet("pets", *arguments)
    assert ended.code == 2 and "pet pets" in ended.err.splitlines()[-1]
    assert not (pet.home / "data").exists()


def test_a_pet_that_is_open_somewhere_stays(pet: PetCommand, bin_of_the_test: Path) -> None:
    pet("pets", "create", "One")
    pet("pets", "create", "Two")
    hold = hold_pet(find_home(pet.home), "two")
    assert "is open" in pet("pets", "delete", "two", "--yes").err
    hold.release()
    assert pet("pets", "delete", "two", "--yes").code == 0


def test_the_doctor_lists_conflict_copies(pet: PetCommand) -> None:
    pet("pets", "create", "One")
    root = pet.home / "data" / "pets" / "one"
    (root / "USER 2.md").write_text("another\n", encoding="utf-8")
    (root / "MEMORY.md").write_text("<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n", encoding="utf-8")
    told = pet("doctor", "--json", LANG="zh_CN.UTF-8").json
    assert told["copies"] == [
        {"copy": "MEMORY.md", "file": "MEMORY.md", "program": "git"},
        {"copy": "USER 2.md", "file": "USER.md", "program": "iCloud"},
    ]
    texts = [each["text"] for each in told["problems"] if each["code"] == "conflict_copy"]
    assert len(texts) == 2 and "USER 2.md" in "".join(texts) and "冲突" in texts[0]
    assert told["name"] == "One"
    shown = pet("doctor")
    assert shown.code == 1 and "left a second version, USER 2.md" in shown.out


def test_pet_toml_decides_recall_and_shows_so(pet: PetCommand) -> None:
    pet("pets", "create", "One")
    (pet.home / "data" / "pets" / "one" / "pet.toml").write_text('name = "One"\nrecall = false\n', encoding="utf-8")
    told = pet("settings", "recall", "--json").json
    assert told["settings"] == {"recall": False} and told["overridden"] == ["recall"]
    (pet.home / "data" / "pets" / "one" / "pet.toml").write_text('name = "a\\nb"\nrecall = 3\n', encoding="utf-8")
    told = json.loads(pet("settings", "--json").out)
    assert [each["args"]["setting"] for each in told["problems"]] == ["pet.toml: recall", "pet.toml: name"]

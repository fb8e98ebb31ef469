"""``pet history``, ``restore``, ``prompt``, ``pets``: the owner's way back in the files."""

from __future__ import annotations

import pytest

from tests.cli.conftest import PetCommand

# BOM, CRLF, no last newline: what an editor on another system makes of a file.
FOREIGN = b"\xef\xbb\xbf# Me\r\n\r\n- name: \xe5\xb0\x8f\xe6\x98\x8e"


def versions(pet: PetCommand, name: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = pet("history", name, "--json").json["versions"]
    return found


def test_every_version_comes_back_byte_for_byte(pet: PetCommand) -> None:
    assert pet("history", "USER.md").code == 0
    original = (pet.workspace / "USER.md").read_bytes()
    (pet.workspace / "USER.md").write_bytes(FOREIGN)
    newest, oldest = versions(pet, "USER.md")
    assert (newest["author"], newest["current"], newest["bytes"]) == ("outside", True, len(FOREIGN))
    assert (oldest["author"], oldest["current"]) == ("system", False)
    restored = pet("restore", "USER.md", str(oldest["id"]))
    assert restored.code == 0 and "pet restore USER.md" in restored.out
    assert (pet.workspace / "USER.md").read_bytes() == original
    assert versions(pet, "USER.md")[0]["author"] == "owner"
    assert pet("restore", "USER.md", str(newest["version"])[:12]).code == 0
    assert (pet.workspace / "USER.md").read_bytes() == FOREIGN
    assert "already says this" in pet("restore", "USER.md", str(newest["id"])).out


def test_a_diff_shows_all_that_changed_since(pet: PetCommand) -> None:
    pet.write("USER.md", "one\ntwo\nthree\n")
    first = str(versions(pet, "USER.md")[0]["id"])
    pet.write("USER.md", "one\n2\nthr\u202eee\n")
    shown = pet("history", "USER.md", "--diff", first)
    assert shown.code == 0
    assert [line.split()[-2:] for line in shown.out.splitlines()[1:3]] == [["-", "two"], ["-", "three"]]
    assert "thr<U+202E>ee" in shown.out and "\u202e" not in shown.out
    told = pet("history", "USER.md", "--diff", first, "--json").json
    assert (told["added"], told["removed"]) == (2, 2)
    assert [line["kind"] for line in told["lines"]] == ["same", "removed", "removed", "added", "added"]


@pytest.mark.parametrize("name", ["../USER.md", "user.md", "/etc/passwd", "pet.toml", "", ".history/x"])
def test_only_the_pets_files_have_a_history(pet: PetCommand, name: str) -> None:
    for ended in (pet("history", name), pet("restore", name, "0123456789")):
        assert ended.code == 1 and ended.out == "" and "SOUL.md" in ended.err


def test_an_unknown_version_changes_nothing(pet: PetCommand) -> None:
    pet.write("USER.md", "mine\n")
    ended = pet("restore", "USER.md", "00000000000000000000000000")
    assert (ended.code, pet.read("USER.md")) == (1, "mine\n")
    assert "is no version of" in ended.err and "pet history" in ended.err


def test_a_broken_file_can_be_restored_and_is_never_overwritten_otherwise(pet: PetCommand) -> None:
    pet.write("USER.md", "good\n")
    good = str(versions(pet, "USER.md")[0]["id"])
    broken = "我".encode("gbk") + b"\0"
    (pet.workspace / "USER.md").write_bytes(broken)
    assert "UTF-8" in pet("history", "USER.md", "--diff", good).err
    assert pet("chat", "--once", "Hi", "--memory", "on").code == 0
    assert (pet.workspace / "USER.md").read_bytes() == broken
    assert pet("restore", "USER.md", good).code == 0
    assert pet.read("USER.md") == "good\n"


def test_prompt_modes_are_an_option_and_a_setting(pet: PetCommand) -> None:
    def sections(*more: str) -> list[str]:
        return [each["name"] for each in pet("prompt", "--json", *more).json["sections"]]

    assert "USER.md" in sections("--memory", "on")
    assert sections("--mode", "minimal") == ["rules", "SOUL.md"]
    assert sections("--mode", "none") == ["SOUL.md"]
    assert pet("prompt", "--mode", "short").code == 2
    assert pet("settings", "prompt_mode", "none").code == 0
    assert sections() == ["SOUL.md"]
    assert "rules" in sections("--mode", "full")


def test_read_only_is_an_option_and_a_default(pet: PetCommand) -> None:
    def shown(*more: str) -> tuple[list[str], list[str]]:
        data = pet("prompt", "--json", *more).json
        return [each["name"] for each in data["sections"]], data["tools"]

    pet.write("USER.md", "- Lin\n")
    on, read = shown("--memory", "on"), shown("--memory", "read")
    assert "USER.md" in read[0] and read[0] == on[0]
    assert read[1] == [tool for tool in on[1] if tool in ("read", "memory_search", "memory_get", "skill")]
    for name, value in (("memory_default", "off"), ("memory_read_only", "on")):
        assert pet("settings", name, value).code == 0
    assert shown() == read


def test_prompt_shows_sections_with_their_sizes(pet: PetCommand) -> None:
    pet.write("USER.md", "# Me\n\n小明\n")
    on, off = pet("prompt", "--memory", "on"), pet("prompt", "--memory", "off", LANG="zh_CN.UTF-8")
    assert on.code == off.code == 0
    assert "== USER.md ==" in on.out and "小明" in on.out and "characters" in on.out
    assert "小明" not in off.out and "工具：" in off.out


def test_pets_lists_without_making_one(pet: PetCommand) -> None:
    assert pet("pets", "--json").json == {"pets": []}
    assert not pet.workspace.exists()
    pet("chat", "--once", "Hi")
    (pet.workspace.parent / "Not A Pet").mkdir()
    listed = pet("pets", "--json").json["pets"]
    assert [(each["id"], each["current"], each["workspace"]) for each in listed] == [
        ("pet", True, str(pet.workspace))
    ]


def test_a_pet_that_is_not_there_is_named(pet: PetCommand) -> None:
    for pet_id in ("other", "../x", "CON"):
        ended = pet("history", "SOUL.md", "--pet", pet_id)
        assert ended.code == 1 and "“" in ended.err
    assert not (pet.home / "data").exists() or sorted(path.name for path in pet.workspace.parent.iterdir()) == []

"""``pet export`` and ``pet import``: conversations and the pet itself as files, a card as the soul."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pet.extras.imports.card import png_with, read_card
from tests.cli.conftest import PetCommand
from tests.cli.test_chat import CTRL_D, Console
from tests.extras.imports.test_cards import V2, png

CARD = png_with(png(), {b"chara": V2})


@pytest.fixture
def card(tmp_path: Path) -> Path:
    file = tmp_path / "momo.png"
    file.write_bytes(CARD)
    return file


def test_card_import_shows_whole_diff_and_needs_consent(pet: PetCommand, card: Path) -> None:
    assert pet("history", "SOUL.md").code == 0
    before = pet.read("SOUL.md")
    shown = pet("import", str(card))
    assert shown.code == 1
    assert "Character card: Momo" in shown.out
    assert "NOTES" in shown.out
    assert "SYSTEM" not in shown.out
    assert "--instructions" in shown.out
    assert "--yes" in shown.err
    assert pet.read("SOUL.md") == before


def test_a_card_comes_in_and_goes_out_byte_for_byte_until_the_soul_is_another(
    pet: PetCommand, card: Path, tmp_path: Path
) -> None:
    done = pet("import", str(card), "--yes")
    assert done.code == 0, done.err
    assert "pet restore SOUL.md" in done.out
    assert pet.read("SOUL.md").startswith("# Momo\n")
    assert "SYSTEM" not in pet.read("SOUL.md")
    out = tmp_path / "out.png"
    assert pet("export", "--card", str(out)).code == 0
    assert out.read_bytes() == CARD
    again = pet("export", "--card", str(out))
    assert (again.code, out.read_bytes()) == (1, CARD)
    assert "already" in again.err
    pet.write("SOUL.md", "# Momo\n\nAn owl.\n")
    other = tmp_path / "other.png"
    assert pet("export", "--card", str(other)).code == 0
    assert read_card(other.read_bytes()).card.text("description") == "# Momo\n\nAn owl.\n"


def test_card_instructions_are_imported_only_on_request(pet: PetCommand, card: Path) -> None:
    assert pet("import", str(card), "--yes", "--instructions").code == 0
    assert "SYSTEM" in pet.read("SOUL.md")


@pytest.mark.parametrize("words", [("--new", "CARD"), ("CARD", "--new"), ("--new", "Biscuit", "CARD")])
def test_a_card_becomes_a_new_pet_with_its_name_or_the_given_one(
    pet: PetCommand, card: Path, words: tuple[str, ...]
) -> None:
    given = [str(card) if word == "CARD" else word for word in words]
    shown = pet("import", *given)
    assert shown.code == 1 and "Character card: Momo" in shown.out and "SYSTEM" not in shown.out
    assert pet("pets", "list", "--json").json["pets"] == []
    made = pet("import", *given, "--yes")
    assert made.code == 0, made.err
    (only,) = pet("pets", "list", "--json").json["pets"]
    assert only["name"] == ("Biscuit" if "Biscuit" in words else "Momo")
    assert (Path(only["workspace"]) / "SOUL.md").read_text(encoding="utf-8").startswith("# Momo\n")


def test_what_is_no_card_has_its_sentence(pet: PetCommand, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png())
    for name in ("a.png", "missing.png"):
        ended = pet("import", str(tmp_path / name), "--yes")
        assert (ended.code, ended.out) == (1, "")
        assert len(ended.err.strip().splitlines()) == 1


def test_a_conversation_goes_into_a_file_or_to_the_standard_output(pet: PetCommand, tmp_path: Path) -> None:
    assert pet("chat", "--once", "Is it **raining**?").code == 0
    (transcript,) = (pet.workspace / "conversations").glob("*.jsonl")
    downloads = tmp_path / "downloads"
    done = pet("export", "--conversation", transcript.stem, XDG_DOWNLOAD_DIR=str(downloads))
    assert done.code == 0
    (file,) = downloads.iterdir()
    assert str(file) in done.out
    assert file.suffix == ".md"
    assert "Is it **raining**?" in file.read_text(encoding="utf-8")
    told = pet("export", "--conversation", "1", "--format", "json", "-")
    assert json.loads(told.out)["turns"][0]["owner"] == "Is it **raining**?"
    assert pet("export", "--conversation", "0" * 26, "-").code == 1


@pytest.mark.parametrize("what", ["--card", "--all"])
def test_a_folder_that_is_not_there_is_named_without_advice_for_our_own(
    pet: PetCommand, tmp_path: Path, what: str
) -> None:
    wanted = tmp_path / "nowhere" / "mine"
    ended = pet("export", what, str(wanted))
    assert ended.code == 1
    assert f"{wanted} could not be saved" in ended.err
    assert "--home" not in ended.err


def test_what_to_export_has_to_be_said(pet: PetCommand) -> None:
    nothing, both = pet("export"), pet("export", "--card", "--conversation", "x")
    assert (nothing.code, both.code) == (2, 2)
    assert "--card" in nothing.err


@pytest.mark.parametrize(("typed", "code"), [("yes\n", 0), ("\n", 1), (CTRL_D, 1)])
def test_on_a_terminal_the_owner_sees_all_of_it_and_only_a_yes_agrees(
    pet: PetCommand, card: Path, typed: str, code: int
) -> None:
    pet.write("SOUL.md", "# Mine\n")
    console = Console(pet.line("import", str(card)), pet.environment())
    try:
        shown = console.expect("[yes/no] ")
        assert "- # Mine" in shown
        assert "+ # Momo" in shown
        assert "a small fox" in shown
        console.type(typed, enter=False)
        assert console.ends() == code
    finally:
        console.close()
    assert pet.read("SOUL.md").startswith("# Momo" if code == 0 else "# Mine")

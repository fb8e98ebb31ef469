"""Skins from a dropped folder and from other programs, as the page's commands bring them in."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from pet.errors import SkinRefused
from pet.extras.skins.commands import PictureSkinCommands
from pet.extras.skins.library import SkinLibrary, foreign_folders
from pet.services.file_transfer import GivenFile
from pet.skins.selection import SkinSelector
from tests.extras.skins.drawing import as_bytes, blot, draw_sheet, manifest, put_skin
from tests.support.program.parts import pet_of

SHEET = as_bytes(draw_sheet())


@pytest.fixture
def skins(tmp_path: Path) -> PictureSkinCommands:
    shelf = SkinLibrary(
        workspace=tmp_path / "pet",
        shared=tmp_path / "skins",
        foreign=foreign_folders({"CODEX_HOME": str(tmp_path / "codex")}, tmp_path / "home"),
        drawn=tmp_path / "drawn",
    )
    wardrobe = SkinSelector(tmp_path / "pet" / "skin", lambda: shelf, lambda: None, lambda _skin: None)
    return PictureSkinCommands(pet_of(wardrobe=wardrobe, language=lambda: "en"))


def test_a_dropped_folder_gives_the_set_its_name(skins: PictureSkinCommands) -> None:
    files = {"Bun/happy.png": blot(), "Bun/normal.png": blot(colour=(9, 9, 9, 255))}
    given = [GivenFile(name=name, data=[base64.b64encode(data).decode()]) for name, data in files.items()]
    assert skins.import_skin(files=given).skin.name == "Bun"
    pet = {"cat/pet.json": manifest(), "cat/spritesheet.webp": SHEET}
    given = [GivenFile(name=name, data=[base64.b64encode(data).decode()]) for name, data in pet.items()]
    assert skins.import_skin(files=given).skin.name == "Cat"


def test_another_program_s_pet_is_copied_and_left_as_it_is(skins: PictureSkinCommands, tmp_path: Path) -> None:
    theirs = put_skin(tmp_path / "codex" / "pets" / "cat", SHEET, license="CC0")
    before = sorted((file.name, file.read_bytes()) for file in theirs.iterdir())
    copy = skins.copy_skin(skin="codex/cat").skin
    assert (copy.origin, copy.name, copy.licence, copy.deletable) == ("shared", "Cat", "CC0", True)
    assert sorted((file.name, file.read_bytes()) for file in theirs.iterdir()) == before
    with pytest.raises(SkinRefused):
        skins.copy_skin(skin="../cat")

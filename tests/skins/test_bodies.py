"""The bodies that ship: listed, worn, chosen with a personality, and replaced by the first where one is missing."""

from __future__ import annotations

import io
import shutil
from pathlib import Path

import pytest
from PIL import Image

from pet.errors import SkinRefused
from pet.skins.model import BODIES, BODY_OF_SOUL, CELL, DRAWN
from pet.skins.selection import SkinSelector
from pet.skins.shelf import SkinShelf
from tests.extras.skins.drawing import as_bytes, draw_sheet, put_skin

VESPER = "soulpet/vesper"
SHEET = as_bytes(draw_sheet(version=2))


class Dressing:
    def __init__(self, root: Path) -> None:
        self.built = root / "built"
        self.choice: str | None = None
        for body in BODIES:
            put_skin(self.folder(body), SHEET, id=body, displayName=body)
        self.own = root / "pet" / "skin"
        shelf = SkinShelf(self.built)
        self.selector = SkinSelector(self.own, lambda: shelf, lambda: self.choice, self.choose)

    def choose(self, skin: str | None) -> None:
        self.choice = skin

    def folder(self, body: str) -> Path:
        return self.built / body.removeprefix(DRAWN).removeprefix("/")


@pytest.fixture
def dressing(tmp_path: Path) -> Dressing:
    return Dressing(tmp_path)


def test_all_bodies_are_listed_and_worn_without_a_sheet(dressing: Dressing) -> None:
    assert tuple(each.id for each in dressing.selector.shelf.summaries()) == BODIES
    for body in BODIES:
        dressing.selector.choose(body)
        worn = dressing.selector.worn()
        assert (worn.id, worn.skin, dressing.selector.resting()) == (body, None, (body, None))


def test_a_body_whose_picture_is_missing_falls_back_to_the_first(dressing: Dressing) -> None:
    dressing.selector.choose(VESPER)
    shutil.rmtree(dressing.folder(VESPER))
    assert dressing.selector.worn().id == DRAWN
    assert dressing.selector.resting() == (DRAWN, None)
    with pytest.raises(SkinRefused):
        dressing.selector.choose(VESPER)


def test_a_personality_brings_its_body(dressing: Dressing) -> None:
    assert dressing.selector.dress_as("night")
    assert dressing.choice == VESPER
    assert not dressing.selector.dress_as("night")
    assert dressing.selector.dress_as("soul")
    assert dressing.choice == DRAWN
    assert {BODY_OF_SOUL[soul] for soul in ("soul", "sunny", "scholar", "night", "slow")} == set(BODIES)


def test_a_personality_leaves_a_skin_that_the_owner_chose(dressing: Dressing) -> None:
    dressing.choice = "cat"
    assert not dressing.selector.dress_as("night")
    dressing.choice = None
    put_skin(dressing.own, SHEET, id="own", displayName="Own")
    assert not dressing.selector.dress_as("night")
    assert not dressing.selector.dress_as("no-such-soul")


def test_a_body_has_a_picture_of_pixels_and_others_are_unknown(dressing: Dressing) -> None:
    still = dressing.selector.still(VESPER)
    with Image.open(io.BytesIO(still.image)) as cell, Image.open(io.BytesIO(SHEET)) as sheet:
        assert cell.convert("RGBA").tobytes() == sheet.convert("RGBA").crop((0, 0, *CELL)).tobytes()
    put_skin(dressing.own, SHEET)
    assert dressing.selector.worn().id == DRAWN
    for refused in ("own", "cat", "../cat"):
        with pytest.raises(SkinRefused):
            dressing.selector.choose(refused)
    shutil.rmtree(dressing.folder(DRAWN))
    with pytest.raises(SkinRefused):
        dressing.selector.portrait()

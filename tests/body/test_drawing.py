"""Drawings of our own bodies, and the acts of other skins."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pet.body.acts import COMMON_ACTS
from pet.body.bodies import BODIES, drawing_of, own_timing, poses_of, things_of
from pet.body.creature import BodyPose, Wear, assemble, pose_drawing, shown_kinds
from pet.body.sheets import SheetActs
from pet.extras.skins.codex_manifest import STATES
from pet.paths import assets_folder
from ui.sheets import galleries, sheet


@dataclass(frozen=True)
class Row:
    name: str
    frames: Sequence[int]

    @property
    def milliseconds(self) -> Sequence[int]:
        return [120] * len(self.frames)


@dataclass(frozen=True)
class Sheet:
    animations: Sequence[Row]
    looks: Sequence[int] = field(default_factory=tuple)


CODEX = (
    Row("idle", [0, 1, 2]),
    Row("jumping", [32, 33]),
    Row("failed", [40, 41]),
    Row("running", [56, 57]),
    Row("running-left", [16]),
)


@pytest.mark.parametrize(
    ("act", "cells"),
    [
        ("happy", [32, 33]),
        ("sad", [40, 41]),
        ("thinking", [56, 57]),
        ("talking", [56, 57]),
        ("carried-left", [16]),
        ("asleep", [0]),
    ],
)
def test_a_codex_pet_shows_our_moods_by_its_rows(act: str, cells: list[int]) -> None:
    assert list(SheetActs(Sheet(CODEX)).frames(act)) == cells


def test_a_codex_pet_lacks_our_own_acts_and_may_have_one_for_memory_off() -> None:
    assert SheetActs(Sheet(CODEX)).timing("hum") is None
    assert list(SheetActs(Sheet((*CODEX, Row("off", [7])))).frames("idle", bud=True)) == [7]


def test_a_pet_of_still_pictures_is_moved_as_our_own_bodies_are() -> None:
    still = SheetActs(Sheet((Row("idle", [0]), Row("jumping", [32]))))
    assert still.timing("breath") == own_timing("breath")
    assert still.timing("happy") == own_timing("happy")
    assert still.timing("yawn") is None
    assert SheetActs(Sheet((Row("idle", [0, 1]),))).timing("breath") is None
    cell, pose = still.picture("walk-left", 1)
    walk = poses_of("walk-left")
    assert walk is not None
    assert pose is not None
    assert (cell, pose.x, pose.turn) == (0, -walk[1].x, -walk[1].turn)


def test_a_pet_without_a_walk_of_its_own_hops_and_else_goes_in_its_own_steps() -> None:
    rows = (Row("idle", [0, 1]), Row("running-left", [2, 3]))
    assert SheetActs(Sheet(rows[:1])).timing("walk-left") == own_timing("walk-left")
    assert SheetActs(Sheet(rows)).timing("walk-left") == [120, 120]
    assert any(pose.y < 0 for pose in poses_of("walk-left") or ())


def test_a_sheet_without_any_row_still_has_a_picture() -> None:
    empty = SheetActs(Sheet(()))
    assert empty.picture("happy", 3)[0] == 0
    assert empty.gaze(3) is None
    assert SheetActs(Sheet(CODEX, looks=range(72, 88))).gaze(15) == 87


@pytest.mark.parametrize("body", BODIES)
def test_each_body_has_every_part_that_a_pose_asks_for(body: str) -> None:
    kinds = {
        (part, kind)
        for part, names in re.findall(r'data-is="([^":]+):([^"]+)"', drawing_of(f"soulpet/{body}"))
        for kind in names.split()
    }
    for name in json.loads(assets_folder().joinpath("bodies/frames.json").read_text("utf-8")):
        for pose in poses_of(name) or ():
            asked = shown_kinds(pose, Wear(bud=True, drowsy=True, hush=True))
            assert {each for each in asked.items() if each[1]} <= kinds, name
    assert {("wears", wears) for wears in ("party", "cap", "witch", "crown", "heart")} <= kinds


def test_a_note_and_a_lantern_are_held_in_every_pose_that_has_room_for_them() -> None:
    assert shown_kinds(BodyPose(), Wear(wears="party"))["wears"] == "party"
    held = shown_kinds(BodyPose(), Wear(holds=True, wears="lantern"))
    assert (held["holds"], held["carries"], held["arm-left"], held["arm-right"]) == (
        "note",
        "lantern",
        "tummy",
        "down",
    )
    given = poses_of("given")
    assert given is not None
    for full in (BodyPose(kinds={"raised": "both"}), given[0]):
        assert "holds" not in shown_kinds(full, Wear(holds=True, wears="lantern"))


def test_after_a_hard_day_it_sits_closer_and_beside_another_pet_it_leans() -> None:
    assert "scale(0.95)" in pose_drawing(drawing_of(""), BodyPose(), Wear(near=True))
    turns = [
        re.search(r"scale\(0\.9\) rotate\(([-\d]+)", pose_drawing(drawing_of(""), BodyPose(), Wear(leans=leans)))
        for leans in (-1, 0, 1)
    ]
    assert [turn and turn[1] for turn in turns] == ["-5", "0", "5"]


def test_beside_another_skin_lies_what_ours_would_hold() -> None:
    assert things_of(Wear(near=True)) == ""
    assert things_of(Wear(holds=True)) != things_of(Wear(holds=True, wears="cap"))


def test_the_bodies_are_five_drawings_and_an_unknown_name_is_the_first() -> None:
    assert len({drawing_of(body) for body in BODIES}) == 5
    assert drawing_of("soulpet/no-such-body") == drawing_of("soulpet") == drawing_of("toString")


@pytest.mark.parametrize("act", [*COMMON_ACTS, "breath", "blink", "doze", "twitch", "stir", "wake", "walk-left"])
def test_there_are_poses_for_every_act_that_is_chosen(act: str) -> None:
    assert poses_of(act)


@pytest.mark.parametrize("body", BODIES)
def test_composed_a_body_is_a_picture_without_leftovers(body: str) -> None:
    art = pose_drawing(drawing_of(body), BodyPose(kinds={"eyes": "happy"}), Wear(bud=True))
    assert not re.search(r"data-|display=|<use|INK|LINE|PAW|BROW", art)
    assert len(list(ET.fromstring(art).iter())) < len(list(ET.fromstring(drawing_of(body)).iter())) - 10


def test_the_bodies_stand_in_the_documentation_as_they_are() -> None:
    images = Path(__file__).parents[2] / "docs" / "images"
    for name, drawing in galleries().items():
        assert (images / name).read_text(encoding="utf-8") == drawing, "python -m ui.sheets --write"


@pytest.mark.parametrize("body", BODIES)
def test_a_sheet_has_the_cells_of_a_codex_pet(body: str) -> None:
    cells = [each for each in ET.fromstring(sheet(body)) if each.tag.endswith("svg")]
    rows = [sum(each.get("y") == str(208 * row) for each in cells) for row in range(11)]
    assert rows == [*map(len, STATES.values()), 8, 8]


def test_a_part_that_is_not_shared_is_left_out() -> None:
    assert assemble('<svg><use href="#nothing"/></svg>', "") == "<svg></svg>"

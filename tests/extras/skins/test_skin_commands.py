"""The commands of skins, through the real table: list, preview, choose, take in, export, delete, and the look."""

from __future__ import annotations

import base64
import io
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from pet.app import Pet
from pet.bridge.command import Client
from pet.bridge.commands.skins import SkinCommands
from pet.bridge.dispatch import Commands
from pet.engine.mood import MoodTracker
from pet.events import Event, Mood, MoodSaid, SettingsChanged, TurnEnded
from pet.extras.skins.commands import PictureSkinCommands
from pet.extras.skins.library import SkinLibrary
from pet.i18n import LANGUAGES, catalogue
from pet.model import TurnEnd, Usage
from pet.paths import find_home
from pet.services.desktop_port import DesktopPort
from pet.services.offers.shared_life import PetLife
from pet.settings.schema import Settings
from pet.skins.model import DRAWN
from pet.skins.selection import SkinSelector
from pet.workspace.locked_file import OwnerFiles
from pet.workspace.pet_toml import read_value, write_value
from tests.extras.skins.drawing import as_bytes, blot, draw_sheet, manifest, put_skin, zipped
from tests.support.clocks import DayClock
from tests.support.program.invoking import answered
from tests.support.program.parts import pet_of

ROOT = Path(__file__).parents[3]
SHEET = as_bytes(draw_sheet())


@dataclass
class Running:
    commands: Commands
    moods: MoodTracker
    wardrobe: SkinSelector
    root: Path
    events: list[Event] = field(default_factory=list)

    def __call__(self, name: str, client: Client = Client.CHAT, **args: object) -> Any:
        return answered(self.commands, name, client, **args)

    @property
    def workspace(self) -> Path:
        return self.root / "pets" / "bun"


@pytest.fixture
def app(tmp_path: Path) -> Running:
    workspace = tmp_path / "pets" / "bun"
    workspace.mkdir(parents=True)
    put_skin(tmp_path / "built", as_bytes(draw_sheet(version=2)), id=DRAWN, displayName="Soulpet")
    events: list[Event] = []
    owned = OwnerFiles(root=workspace, locks=tmp_path / "locks", clock=DayClock())
    moods = MoodTracker(events.append)

    def library() -> SkinLibrary:
        return SkinLibrary(workspace=workspace, shared=tmp_path / "skins", foreign=(), drawn=tmp_path / "built")

    wardrobe = SkinSelector(
        workspace / "skin",
        library,
        lambda: read_value(workspace, "skin"),
        lambda skin: write_value(owned, "skin", skin),
    )
    pet = pet_of(
        wardrobe=wardrobe,
        moods=moods,
        gate=SimpleNamespace(paused=True),
        open_tab=SimpleNamespace(off=False),
        effective=SimpleNamespace(current=Settings),
        language=lambda: "zh",
        name=lambda: "Bun",
        downloads=lambda: tmp_path / "downloads",
        emit=events.append,
        bubble=SimpleNamespace(life=SimpleNamespace(drawn=PetLife)),
    )
    return Running(Commands(SkinCommands(pet), PictureSkinCommands(pet)), moods, wardrobe, tmp_path, events)


def sent(files: dict[str, bytes], cut: int = 1_000_000) -> list[dict[str, object]]:
    coded = {name: base64.b64encode(data).decode() for name, data in files.items()}
    return [
        {"name": name, "data": [text[at : at + cut] for at in range(0, len(text), cut)]}
        for name, text in coded.items()
    ]


def ids(reply: dict[str, Any]) -> list[str]:
    return [skin["id"] for skin in reply["skins"]]


def current(reply: dict[str, Any]) -> str:
    (one,) = [skin["id"] for skin in reply["skins"] if skin["current"]]
    return str(one)


def test_no_page_gets_the_bytes_of_a_file_from_outside(app: Running) -> None:
    out = io.BytesIO()
    draw_sheet().save(out, "WEBP", lossless=True, method=0, xmp=b"FROM-OUTSIDE")
    sheet = out.getvalue() + b"FROM-OUTSIDE"
    app("import_skin", files=sent({"cat.zip": zipped({"pet.json": manifest(), "spritesheet.webp": sheet})}))
    app("choose_skin", skin="cat")
    image = app("get_skin", Client.PET, have="")["sheet"]["image"]
    drawn = base64.b64decode(image.partition(",")[2])
    assert b"FROM-OUTSIDE" not in drawn
    assert Image.open(io.BytesIO(drawn)).size == draw_sheet().size


def drawn_by(address: str) -> ET.Element:
    return ET.fromstring(base64.b64decode(address.removeprefix("data:image/svg+xml;base64,")))


def test_our_own_bodies_come_as_drawings_at_rest_and_in_motion(app: Running) -> None:
    still = app("preview_skin")
    assert (still["skin"], still["columns"]) == (DRAWN, 1)
    assert drawn_by(still["image"]).get("viewBox") == "0 0 192 208"
    film = app("film_skin")
    cells = [each for each in drawn_by(film["sheet"]["image"]) if each.tag.endswith("svg")]
    assert {step["cell"] for step in film["steps"]} == set(range(len(cells)))
    assert sum(step["milliseconds"] for step in film["steps"]) == 8 * 1600
    assert film["again"] == 0


def test_one_act_of_a_body_ends_in_its_rest(app: Running) -> None:
    film = app("film_skin", act="remembered")
    steps = film["steps"]
    assert {step["act"] for step in steps[: film["again"]]} == {"remembered"}
    assert {step["act"] for step in steps[film["again"] :]} == {"breath", "blink"}
    assert steps[film["still"]]["act"] == "remembered"
    for act in ("no-such-act", "thinking", ""):
        assert app("film_skin", act=act)["steps"]


def test_a_still_picture_is_moved(app: Running) -> None:
    app("import_skin", files=sent({"idle.png": blot()}))
    (skin,) = set(ids(app("list_skins"))) - {DRAWN}
    film = app("film_skin", skin=skin)
    moves = {step["move"] for step in film["steps"]}
    assert len(moves) > 3
    assert all(move.startswith("translate(") and "scale(0.88)" in move for move in moves)


def test_from_zip_to_pet(app: Running) -> None:
    assert current(app("list_skins")) == DRAWN
    data = zipped({"pet.json": manifest(), "spritesheet.webp": SHEET})
    reply = app("import_skin", files=sent({"C:\\Users\\x\\cat.zip": data}, cut=1000))
    assert (reply["skin"]["id"], ids(reply)) == ("cat", [DRAWN, "cat"])
    assert not reply["skin"]["current"]  # taken in, not put on

    still = app("preview_skin", skin="cat")
    assert (still["columns"], still["frame_width"], len(still["animations"]), still["looks"]) == (1, 192, 1, [])
    assert 0 < len(still["image"]) < 10_000  # one cell, however large the sheet
    film = app("film_skin", skin="cat")
    look = film["sheet"]
    drawn = base64.b64decode(look["image"].removeprefix("data:image/webp;base64,"))
    assert drawn != SHEET
    with Image.open(io.BytesIO(drawn)) as shown, Image.open(io.BytesIO(SHEET)) as sheet:
        assert shown.tobytes() == sheet.convert("RGBA").tobytes()
    assert (look["columns"], look["frame_width"], look["frame_height"]) == (8, 192, 208)
    assert app("get_skin", Client.PET)["sheet"]["skin"] == DRAWN

    assert {step["cell"] for step in film["steps"] if step["act"] == "wave"} == set(range(24, 28))
    assert {step["move"] for step in film["steps"]} == {""}
    assert app("preview_skin")["skin"] == DRAWN  # the one it wears
    assert current(app("choose_skin", skin="cat")) == "cat"
    assert app("preview_skin") == still
    assert isinstance(app.events[-1], SettingsChanged)
    assert 'skin = "cat"' in (app.workspace / "pet.toml").read_text()
    worn = app("get_skin", Client.PET)
    assert worn["sheet"]["image"] == look["image"]
    assert (worn["name"], worn["language"], worn["paused"], worn["mood"]) == ("Bun", "zh", True, "neutral")
    again = app("get_skin", Client.PET, have=worn["sheet"]["stamp"])["sheet"]
    assert (again["image"], again["stamp"]) == ("", worn["sheet"]["stamp"])  # megabytes travel once

    assert current(app("delete_skin", skin="cat")) == DRAWN
    assert "skin" not in (app.workspace / "pet.toml").read_text()
    assert isinstance(app.events[-1], SettingsChanged)


def test_a_body_of_ours_is_called_as_its_personality_in_the_owner_s_language(app: Running) -> None:
    first = app("list_skins")["skins"][0]
    texts = catalogue("zh")
    assert (first["name"], first["description"]) == (texts["template.soul.name"], texts["template.soul"])


def test_a_changed_sheet_has_another_stamp_and_a_broken_one_gives_way_to_the_drawn(app: Running) -> None:
    folder = put_skin(app.root / "skins" / "cat", SHEET)
    app("choose_skin", skin="cat")
    before = app("get_skin", Client.PET)["sheet"]["stamp"]
    (folder / "spritesheet.webp").write_bytes(as_bytes(draw_sheet(version=2)))
    after = app("get_skin", Client.PET, have=before)["sheet"]
    assert after["stamp"] != before
    assert len(after["looks"]) == 16
    (folder / "spritesheet.webp").write_bytes(b"broken")
    assert app("get_skin", Client.PET)["sheet"]["skin"] == DRAWN
    listed = {skin["id"]: skin for skin in app("list_skins")["skins"]}
    assert listed["cat"]["problem"]["code"] == "skin_picture_kind"
    assert listed[DRAWN]["current"]
    assert app("choose_skin", skin="cat")["code"] == "skin_picture_kind"


def test_the_pets_own_skin_is_worn_unless_the_owner_chose_another(app: Running) -> None:
    put_skin(app.workspace / "skin", SHEET, displayName="Mine")
    assert current(app("list_skins")) == "own"
    assert current(app("choose_skin", skin=DRAWN)) == DRAWN
    assert app("get_skin", Client.PET)["sheet"]["image"] == ""


def test_each_pet_of_the_home_is_shown_in_its_own_skin(tmp_path: Path) -> None:
    home = find_home(tmp_path / "home")
    with closing(Pet(home, environ={}, windows=DesktopPort(), channel="terminal")) as composed:
        for pet in ("mine", "chose", "broken", "plain"):
            (home.pets / pet).mkdir()
        put_skin(home.pets / "mine" / "skin", SHEET)
        put_skin(home.data / "skins" / "cat", as_bytes(draw_sheet(version=2)))
        (home.pets / "chose" / "pet.toml").write_text('skin = "cat"\n')
        put_skin(home.pets / "broken" / "skin", b"no picture")
        before = _times(home.pets)

        def shown(pet: str, client: Client = Client.CHAT) -> Any:
            return answered(composed.commands, "preview_pet", client, pet=pet)

        mine = shown("mine")
        assert (mine["skin"], mine["columns"], mine["frame_width"]) == ("own", 1, 192)
        assert mine["image"].startswith("data:image/webp;base64,")
        assert len(mine["image"]) < 10_000
        assert shown("chose")["skin"] == "cat"
        for pet in ("broken", "plain"):
            assert shown(pet)["skin"] == DRAWN
            assert shown(pet)["image"].startswith("data:image/svg+xml;base64,")
        assert shown("nobody")["code"] == "unknown_pet"
        assert shown("../mine")["code"] == "bad_pet_id"
        assert shown("mine", Client.BUBBLE)["code"] == "not_allowed"
        assert _times(home.pets) == before  # looking writes nothing
        put_skin(home.pets / "mine" / "skin", as_bytes(draw_sheet(version=2)))
        assert shown("mine")["stamp"] != mine["stamp"]


def _times(pets: Path) -> dict[Path, int]:
    """Of the other pets' files; ours may be written by the program that runs."""
    others = ("mine", "chose", "broken", "plain")
    return {file: file.stat().st_mtime_ns for pet in others for file in sorted((pets / pet).rglob("*"))}


def test_pictures_dropped_together_are_one_set_with_a_common_name(app: Running) -> None:
    files = {"Bun_normal.png": blot(), "Bun_happy.png": blot()}
    assert app("import_skin", files=sent(files))["skin"]["name"] == "Bun"
    assert app("import_skin", files=sent({"normal.png": blot(), "sad.png": blot()}))["skin"]["name"] == "normal"


def test_what_can_not_be_taken_in_is_explained_and_leaves_nothing(app: Running) -> None:
    assert app("import_skin", files=sent({"cat.zip": b"no"}))["code"] == "skin_zip_broken"
    assert app("import_skin", files=sent({"cat.jpg": b"no"}))["code"] == "skin_nothing_known"
    assert app("import_skin", files=[])["code"] == "bad_arguments"
    assert app("import_skin", files=[{"name": "x", "data": ["%"]}])["code"] == "bad_arguments"
    assert ids(app("list_skins")) == [DRAWN]


def test_an_export_never_replaces_a_file(app: Running) -> None:
    first = Path(app("export_skin", skin=DRAWN)["path"])
    second = Path(app("export_skin", skin=DRAWN)["path"])
    assert (first.name, second.name) == ("soulpet.zip", "soulpet (2).zip")
    assert first.read_bytes() == second.read_bytes()


def test_the_chosen_skin_keeps_the_owners_pet_toml(app: Running) -> None:
    (app.workspace / "pet.toml").write_text('# mine\nname = "Bun"  # short\n')
    put_skin(app.root / "skins" / "cat", SHEET)
    app("choose_skin", skin="cat")
    assert (app.workspace / "pet.toml").read_text() == '# mine\nname = "Bun"  # short\nskin = "cat"\n'


def test_typing_is_heard(app: Running) -> None:
    app("typing")
    assert app("get_skin", Client.PET)["mood"] == "listening"
    app.moods.on_event(MoodSaid(conversation="c", turn="t", mood=Mood.SAD))
    app.moods.on_event(TurnEnded(conversation="c", turn="t", end=TurnEnd.DONE, error=None, usage=Usage()))
    assert app("get_skin", Client.PET)["mood"] == "sad"
    app("reading")  # no end of what it feels
    assert app("get_skin", Client.PET)["mood"] == "sad"
    app.moods.close()


@pytest.mark.parametrize("client", [Client.PET, Client.SOCKET])
def test_only_the_chat_may_change_skins(app: Running, client: Client) -> None:
    for name in ("choose_skin", "delete_skin", "export_skin"):
        assert app(name, client, skin=DRAWN)["code"] == "not_allowed"


def test_a_pet_that_wears_the_drawn_one_never_loads_the_picture_library(tmp_path: Path) -> None:
    """It would cost the pet's start a tenth of a second."""
    source = """
import os, sys
from pathlib import Path
from pet.clock import SystemClock
from pet.services.home import wardrobe_for
from pet.paths import find_home
home = find_home(Path(sys.argv[1]))
worn = wardrobe_for(home, home.workspace("pet"), SystemClock(), os.environ).worn()
print(worn.id, "PIL" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", source, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [DRAWN, "False"]


def test_every_problem_has_words_in_both_languages() -> None:
    import re

    folders = (ROOT / "pet" / "skins", ROOT / "pet" / "extras" / "skins")
    source = "".join(file.read_text("utf-8") for folder in folders for file in folder.rglob("*.py"))
    codes = set(re.findall(r'SkinRefused\(\s*"(\w+)"', source))
    assert len(codes) > 25
    for language in LANGUAGES:
        assert {f"error.skin_{code}" for code in codes} == {
            key for key in catalogue(language) if key.startswith("error.skin_") and key[11:] in codes
        }

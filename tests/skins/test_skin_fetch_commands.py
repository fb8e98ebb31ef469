"""Skins from an address, from a dropped folder and from other programs, as the page's commands bring them in."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from pet.bridge.commands.skins import SkinCommands
from pet.engine.mood import MoodTracker
from pet.errors import SkinRefused
from pet.events import Event, SkinArriving
from pet.net.fetch import FetchPolicy
from pet.services.file_transfer import GivenFile
from pet.settings.schema import Settings
from pet.skins.download import Downloads
from pet.skins.library import SkinLibrary, foreign_folders
from pet.skins.selection import SkinSelector
from tests.skins.drawing import as_bytes, blot, draw_sheet, manifest, put_skin
from tests.skins.test_skin_addresses import ZIP
from tests.support.servers.web_server import Server, gone, sends

SHEET = as_bytes(draw_sheet())


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def skins(tmp_path: Path, events: list[Event]) -> Iterator[SkinCommands]:
    shelf = SkinLibrary(
        workspace=tmp_path / "pet",
        shared=tmp_path / "skins",
        foreign=foreign_folders({"CODEX_HOME": str(tmp_path / "codex")}, tmp_path / "home"),
        drawn=tmp_path / "drawn",
    )
    moods = MoodTracker(events.append)
    yield SkinCommands(
        wardrobe=SkinSelector(tmp_path / "pet" / "skin", lambda: shelf, lambda: None, lambda _skin: None),
        moods=moods,
        paused=lambda: False,
        tab_off=lambda: False,
        settings=Settings,
        language=lambda: "en",
        pet_name=lambda: "Bun",
        downloads=lambda: tmp_path / "downloads",
        emit=events.append,
        fetching=Downloads(FetchPolicy(loopback=True)),
    )
    moods.close()


def test_what_an_address_brings_is_checked_and_kept_like_a_file(
    skins: SkinCommands, server: Server, events: list[Event]
) -> None:
    server.answers["/cat.zip"] = sends(ZIP)
    address = server.at("/cat.zip")
    offer = skins.check_skin_address(address)
    assert (offer.host, offer.name, offer.size) == ("127.0.0.1", "cat.zip", len(ZIP))
    assert [each.id for each in skins.list_skins().skins if each.origin == "shared"] == []
    taken = skins.fetch_skin(address)
    assert (taken.skin.name, taken.skin.author, taken.skin.problem) == ("Cat", "Lin", None)
    assert taken.skin.id in [each.id for each in taken.skins]
    assert events[-1] == SkinArriving(done=len(ZIP), of=len(ZIP))


def test_an_installing_link_s_picture_gets_its_name(skins: SkinCommands, server: Server) -> None:
    server.answers["/moon.webp"] = sends(SHEET)
    link = f"codex://pets/install?name=Moon%20cat&imageUrl={server.at('/moon.webp')}&description=Sleeps"
    skin = skins.fetch_skin(address=link).skin
    assert (skin.name, skin.description, skin.problem) == ("Moon cat", "Sleeps", None)


@pytest.mark.parametrize("answer", [gone, sends(b"<html>"), sends(b"PK\3\4 broken"), sends(blot())])
def test_what_is_no_skin_leaves_nothing_behind(
    skins: SkinCommands, server: Server, answer: Callable[[BaseHTTPRequestHandler], None], tmp_path: Path
) -> None:
    server.answers["/cat.zip"] = answer
    with pytest.raises(SkinRefused):
        skins.fetch_skin(address=server.at("/cat.zip"))
    assert list((tmp_path / "skins").glob("*")) == []


def test_a_dropped_folder_gives_the_set_its_name(skins: SkinCommands) -> None:
    files = {"Bun/happy.png": blot(), "Bun/normal.png": blot(colour=(9, 9, 9, 255))}
    given = [GivenFile(name=name, data=[base64.b64encode(data).decode()]) for name, data in files.items()]
    assert skins.import_skin(files=given).skin.name == "Bun"
    pet = {"cat/pet.json": manifest(), "cat/spritesheet.webp": SHEET}
    given = [GivenFile(name=name, data=[base64.b64encode(data).decode()]) for name, data in pet.items()]
    assert skins.import_skin(files=given).skin.name == "Cat"


def test_another_program_s_pet_is_kept_as_a_copy_and_left_as_it_is(skins: SkinCommands, tmp_path: Path) -> None:
    theirs = put_skin(tmp_path / "codex" / "pets" / "cat", SHEET, license="CC0")
    before = sorted((file.name, file.read_bytes()) for file in theirs.iterdir())
    copy = skins.copy_skin(skin="codex/cat").skin
    assert (copy.origin, copy.name, copy.licence, copy.deletable) == ("shared", "Cat", "CC0", True)
    assert sorted((file.name, file.read_bytes()) for file in theirs.iterdir()) == before
    with pytest.raises(SkinRefused):
        skins.copy_skin(skin="../cat")

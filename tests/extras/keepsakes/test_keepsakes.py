"""Pictures and films of the pet: what is drawn, what is saved and where, and the menu entry that asks for them."""

from __future__ import annotations

import io
import json
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PIL import Image

from pet.bridge.command import Client
from pet.bridge.commands.skins import SkinSheet
from pet.i18n import Texts
from pet.paths import Home, find_home
from tests.services.desk import Desktop, Screen, opened
from tests.support.models.scripted import say

pytest.importorskip("PySide6")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from pet.desktop.pet_actor import ShownPose
from pet.extras.keepsakes import drawing
from pet.extras.keepsakes.commands import menu_item

SECRET = "Your sister Clara lives in Graz, and she likes tulips."
ON = "bubbles = true\n"
BROKEN = SkinSheet(skin="cat", stamp="1", image="data:image/webp;base64,AAAA")


@pytest.fixture(scope="module", autouse=True)
def app() -> Any:
    return QApplication.instance() or QApplication(["tests", "-platform", "offscreen"])


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


@pytest.fixture(autouse=True)
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The owner's folder, while the pet waves."""
    monkeypatch.setattr("platformdirs.user_pictures_path", lambda: tmp_path / "Pictures")
    monkeypatch.setattr(Screen, "pose", lambda _screen: ShownPose(does="wave", act="wave"))
    return tmp_path / "Pictures"


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    shown: list[Path] = []

    def show(_screen: Screen, folder: Path) -> bool:
        shown.append(folder)
        return True

    monkeypatch.setattr(Screen, "open_folder", show)
    return shown


def keep(desktop: Desktop, *, film: bool = False, words: bool = False) -> None:
    desktop.ask("ask_keepsake", json.dumps({"film": film, "words": words}), Client.SOCKET)


def written() -> None:
    """Wait for what is being saved."""
    for thread in threading.enumerate():
        if thread.name == "keepsake":
            thread.join(60)


def saved(desktop: Desktop) -> str:
    desktop.wait_for(lambda: desktop.said.kind == "saved")
    return desktop.said.text


def drawn(text: str, *, words: bool) -> Image.Image:
    return Image.open(io.BytesIO(drawing.draw_keepsake(ShownPose(), text, film=False, words=words)))


def test_a_picture_is_saved_in_the_pictures_and_its_folder_opens(
    home: Home, pictures: Path, folders: list[Path]
) -> None:
    with opened(home) as desktop:
        keep(desktop)
        assert saved(desktop) == "Saved “Mochi 2026-11-21 12.00.00.png” in “Pictures”."
        [file] = pictures.iterdir()
        with Image.open(file) as picture:
            assert (picture.format, picture.mode, picture.size) == ("PNG", "RGBA", (384, 416))
            assert picture.getpixel((0, 0)) == (0, 0, 0, 0)
            assert picture.getpixel((192, 266))[3] == 255  # type: ignore[index]
        desktop.answer("go_there", desktop.said.number)
        assert folders == [pictures]
        assert desktop.said.kind == "none"
        keep(desktop)
        assert "(2).png" in saved(desktop)  # never over one that is there


def test_where_no_program_shows_folders_the_bubble_says_where_the_picture_is(
    home: Home, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Screen, "open_folder", lambda _screen, _folder: False)
    with opened(home) as desktop:
        keep(desktop)
        saved(desktop)
        desktop.answer("go_there", desktop.said.number)
        assert desktop.said.kind == "failed"
        assert str(pictures) in desktop.said.text


def test_a_film_keeps_its_frames_their_times_and_what_shows_through(home: Home, pictures: Path) -> None:
    with opened(home) as desktop:
        keep(desktop, film=True)
        saved(desktop)
        [file] = pictures.iterdir()
        with Image.open(file) as film:
            frames = getattr(film, "n_frames", 1)
            assert (film.format, film.size) == ("WEBP", (384, 416))
            assert frames > 3
            lasted = 0
            for frame in range(frames):
                film.seek(frame)
                assert film.convert("RGBA").getpixel((0, 0))[3] == 0  # type: ignore[index]
                lasted += film.info["duration"]
            assert lasted == 3_000


@pytest.mark.parametrize("words", [True, False])
def test_the_words_are_drawn_only_if_the_owner_chose_them(
    home: Home, monkeypatch: pytest.MonkeyPatch, folders: list[Path], words: bool
) -> None:
    lines: list[str] = []
    monkeypatch.setattr(drawing, "_draw_words", lambda _painter, drawn, _font: lines.extend(drawn))
    with opened(home, say(SECRET), settings=ON) as desktop:
        desktop.talk()
        desktop.wait_for(lambda: desktop.said.kind == "reply")
        keep(desktop, words=words)
        written()
    assert " ".join(lines) == (SECRET if words else "")


def test_without_its_words_a_text_of_the_same_length_gives_the_same_picture() -> None:
    assert drawn(SECRET, words=False).tobytes() == drawn("x" * len(SECRET), words=False).tobytes()
    assert drawn(SECRET, words=True).tobytes() != drawn("x" * len(SECRET), words=True).tobytes()
    assert drawn(SECRET, words=False).height > drawn("", words=True).height == 416


def test_the_field_is_no_bubble_and_what_waits_for_an_answer_stays(
    home: Home, pictures: Path, folders: list[Path]
) -> None:
    with opened(home) as desktop:
        desktop.ask("open_field", client=Client.PET)
        keep(desktop, words=True)
        written()
        assert desktop.said.kind == "field"
        assert folders == [pictures]
    [file] = pictures.iterdir()
    with Image.open(file) as picture:
        assert picture.height == 416


@pytest.mark.parametrize("pose", [None, ShownPose(sheet=BROKEN)])
def test_without_a_pet_or_with_a_broken_skin_nothing_is_saved(
    home: Home, pictures: Path, monkeypatch: pytest.MonkeyPatch, pose: ShownPose | None
) -> None:
    monkeypatch.setattr(Screen, "pose", lambda _screen: pose)
    with opened(home) as desktop:
        keep(desktop)
        written()
        assert desktop.said.kind == "none"
    assert not pictures.exists()


def test_a_folder_that_can_not_be_written_is_said(home: Home, pictures: Path) -> None:
    pictures.write_text("no folder")
    with opened(home) as desktop:
        keep(desktop)
        desktop.wait_for(lambda: desktop.said.kind == "failed")
        assert ".png" in desktop.said.text


@pytest.mark.parametrize("voiced", [True, False])
def test_the_menu_offers_words_only_while_the_pet_says_some(voiced: bool) -> None:
    ordered: list[tuple[str, dict[str, bool]]] = []
    core = SimpleNamespace(
        texts=lambda: Texts("en"),
        call=lambda _client, _method: SimpleNamespace(voiced=voiced),
        order=lambda _client, method, **given: ordered.append((method.__name__, given)),
    )
    item = menu_item(cast("Any", core))
    assert item.children is not None
    entries = item.children()
    words = ["A picture with its words", "A film with its words"] if voiced else []
    assert [each.text for each in entries] == ["A picture", "A film of three seconds", *words]
    for each in entries:
        assert each.act is not None
        each.act()
    every = [{"film": film, "words": words} for words in (False, True) for film in (False, True)]
    assert ordered == [("ask_keepsake", given) for given in every[: len(entries)]]

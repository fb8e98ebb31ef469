"""Pictures and films of the pet: what the page is told, what is saved and where, and what is refused."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image, PngImagePlugin

from pet.bridge.command import Client
from pet.bridge.dispatch import CommandFailed
from pet.events import KeepsakeAsked
from pet.paths import Home, find_home
from pet.services.keepsakes import LONGEST_SIDE, MOST_FRAMES, KeepsakeWish
from tests.services.desk import Desktop, Screen, opened
from tests.support.models.scripted import say

SECRET = "Your sister Clara lives in Graz, and she likes tulips."
ON = "bubbles = true\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


@pytest.fixture
def pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("pet.app.commands.pictures_folder", lambda: tmp_path / "Pictures")
    return tmp_path / "Pictures"


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    shown: list[Path] = []

    def show(_screen: Screen, folder: Path) -> bool:
        shown.append(folder)
        return True

    monkeypatch.setattr(Screen, "open_folder", show)
    return shown


def png(red: int = 200, size: tuple[int, int] = (40, 44), kind: str = "PNG") -> str:
    out = io.BytesIO()
    picture = Image.new("RGBA", size, (0, 0, 0, 0))
    picture.paste((red, 20, 20, 255), (10, 10, 20, 20))
    picture.paste((red, 20, 20, 120), (10, 10, 11, 11))  # a soft edge, as every drawing has
    notes = PngImagePlugin.PngInfo()
    notes.add_text("comment", SECRET)
    picture.save(out, kind, **({"pnginfo": notes} if kind == "PNG" else {}))
    return base64.b64encode(out.getvalue()).decode()


def frames(*images: str, milliseconds: int = 100) -> list[dict[str, object]]:
    return [{"image": image, "milliseconds": milliseconds} for image in images]


def asked(desktop: Desktop, *, film: bool = False, words: bool = False) -> KeepsakeWish:
    desktop.ask("ask_keepsake", json.dumps({"film": film, "words": words}), Client.SOCKET)
    wish = desktop.ask("get_keepsake", client=Client.PET)
    assert isinstance(wish, KeepsakeWish)
    return wish


def save(desktop: Desktop, number: int, given: list[dict[str, object]]) -> None:
    desktop.ask("save_keepsake", json.dumps({"number": number, "frames": given}), Client.PET)


def written() -> None:
    """Wait for what is being saved."""
    for thread in threading.enumerate():
        if thread.name == "keepsake":
            thread.join(60)


def saved(desktop: Desktop) -> str:
    desktop.wait_for(lambda: desktop.said.kind == "saved")
    return desktop.said.text


def test_a_picture_is_saved_in_the_pictures_and_its_folder_opens(
    home: Home, pictures: Path, folders: list[Path]
) -> None:
    with opened(home) as desktop:
        save(desktop, asked(desktop).number, frames(png()))
        assert saved(desktop) == "Saved “Mochi 2026-11-21 12.00.00.png” in “Pictures”."
        [file] = pictures.iterdir()
        with Image.open(file) as picture:
            assert (picture.format, picture.mode, picture.size) == ("PNG", "RGBA", (40, 44))
            assert picture.getpixel((0, 0)) == (0, 0, 0, 0)
            assert picture.getpixel((12, 12)) == (200, 20, 20, 255)
        assert SECRET.encode() not in file.read_bytes()
        desktop.answer("go_there", desktop.said.number)
        assert folders == [pictures]
        assert desktop.said.kind == "none"
        save(desktop, asked(desktop).number, frames(png(90)))
        assert "(2).png" in saved(desktop)  # never over one that is there


def test_where_no_program_shows_folders_the_bubble_says_where_the_picture_is(
    home: Home, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Screen, "open_folder", lambda _screen, _folder: False)
    with opened(home) as desktop:
        save(desktop, asked(desktop).number, frames(png()))
        saved(desktop)
        desktop.answer("go_there", desktop.said.number)
        assert desktop.said.kind == "failed"
        assert str(pictures) in desktop.said.text


def test_a_film_keeps_its_frames_their_times_and_what_shows_through(home: Home, pictures: Path) -> None:
    with opened(home) as desktop:
        save(desktop, asked(desktop, film=True).number, frames(png(200), png(90), png(30), milliseconds=120))
        saved(desktop)
        [file] = pictures.iterdir()
        with Image.open(file) as film:
            assert (film.format, getattr(film, "n_frames", 1)) == ("WEBP", 3)
            film.seek(1)
            assert film.convert("RGBA").getpixel((0, 0))[3] == 0  # type: ignore[index]
            assert film.info["duration"] == 120


def test_the_words_reach_the_page_only_if_the_owner_chose_them_and_once(home: Home) -> None:
    with opened(home, say(SECRET), settings=ON) as desktop:
        desktop.talk()
        desktop.wait_for(lambda: desktop.said.kind == "reply")
        wish = asked(desktop)
        assert (wish.words, wish.lines) == ("", 2)
        wish = asked(desktop, words=True)
        assert wish.words == SECRET
        again = desktop.ask("get_keepsake", client=Client.PET)
        assert isinstance(again, KeepsakeWish)
        assert (again.number, again.words) == (wish.number, "")
        assert not any(SECRET in repr(each) for each in desktop.events if isinstance(each, KeepsakeAsked))


def test_the_field_is_no_bubble_and_what_waits_for_an_answer_stays(
    home: Home, pictures: Path, folders: list[Path]
) -> None:
    with opened(home) as desktop:
        desktop.ask("open_field", client=Client.PET)
        wish = asked(desktop, words=True)
        assert (wish.words, wish.lines) == ("", 0)
        save(desktop, wish.number, frames(png()))
        written()
        assert desktop.said.kind == "field"
        assert folders == [pictures]


Bad = Callable[[], list[dict[str, object]]]
BAD: dict[str, Bad] = {
    "none": list,
    "too many": lambda: frames(*[png()] * (MOST_FRAMES + 1)),
    "too long": lambda: frames(png(), png(), milliseconds=6_000),
    "negative": lambda: frames(png(), milliseconds=-1),
    "other sizes": lambda: frames(png(), png(size=(41, 44))),
    "too large": lambda: frames(png(size=(LONGEST_SIDE + 1, 2))),
    "a gif": lambda: frames(png(kind="GIF")),
    "no base64": lambda: frames("%%%"),
    "empty": lambda: frames(""),
    "no picture": lambda: frames(base64.b64encode(b"<svg/>" * 20).decode()),
}


@pytest.mark.parametrize("case", BAD)
def test_what_our_page_never_draws_is_refused_and_ends_the_wish(home: Home, pictures: Path, case: str) -> None:
    with opened(home) as desktop:
        number = asked(desktop, film=True).number
        for _ in range(2):  # the second time for a wish that is over
            with pytest.raises(CommandFailed) as refused:
                save(desktop, number, BAD[case]())
            assert refused.value.error_code == "bad_arguments"
    assert not pictures.exists()


def test_a_picture_has_one_frame_and_nothing_is_saved_unasked(home: Home, pictures: Path) -> None:
    with opened(home) as desktop:
        for number in (0, 1):
            with pytest.raises(CommandFailed):
                save(desktop, number, frames(png()))
        number = asked(desktop).number
        with pytest.raises(CommandFailed):
            save(desktop, number, frames(png(), png()))
    assert not pictures.exists()


def test_a_broken_picture_saves_nothing(home: Home, pictures: Path) -> None:
    with opened(home) as desktop:
        broken = base64.b64encode(base64.b64decode(png())[:60]).decode()
        save(desktop, asked(desktop).number, frames(broken))
        written()
        assert desktop.said.kind == "none"
    assert not pictures.exists()


def test_a_folder_that_can_not_be_written_is_said(home: Home, pictures: Path) -> None:
    pictures.write_text("no folder")
    with opened(home) as desktop:
        save(desktop, asked(desktop).number, frames(png()))
        desktop.wait_for(lambda: desktop.said.kind == "failed")
        assert ".png" in desktop.said.text

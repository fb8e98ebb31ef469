"""A picture and a film of the pet, drawn by its real view and saved in the owner's pictures."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from PIL import Image

from pet.bridge.socket_server import RunningPet
from pet.extras.keepsakes.commands import KeepsakeCommands
from pet.i18n import Texts
from pet.paths import find_home
from tests.support.desktop.xvfb import Desktop, start_pet, wait_for
from tests.support.program.listening import once_listening

pytestmark = pytest.mark.window

T = Texts("en")


def test_pet_and_bubble_are_drawn_on_nothing(desktop: Desktop, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(desktop.folder))
    config = home / "os-config"
    config.mkdir(parents=True)
    (config / "user-dirs.dirs").write_text(f'XDG_PICTURES_DIR="{home}/Pictures"\n')
    with start_pet(desktop, home, environ={"HOME": str(home), "XDG_CONFIG_HOME": str(config)}) as pet:
        pet.window(T("shell.title_pet"))
        pet.shows("pet.accessibleName()")
        running = RunningPet(find_home(home))

        def saved(ending: str) -> Path:
            def whole() -> Path | None:
                for file in (home / "Pictures").glob(f"*.{ending}"):
                    with contextlib.suppress(OSError), Image.open(file) as picture:  # it may be half written
                        picture.load()
                        return file
                return None

            return wait_for(f"a {ending}", whole)

        once_listening(lambda: running.call(KeepsakeCommands.ask_keepsake, film=False))
        with Image.open(saved("png")) as picture:
            assert picture.size == (384, 416)
            left, top, right, bottom = picture.getchannel("A").getbbox() or (0, 0, 0, 0)
            assert right - left > 200
            assert bottom - top > 250
            assert picture.getpixel((1, 1)) == (0, 0, 0, 0)

        bubble = pet.window(T("shell.title_bubble"))  # says where it is; without its words
        assert bubble
        running.call(KeepsakeCommands.ask_keepsake, film=True)
        with Image.open(saved("webp")) as film:
            assert film.width == 384
            assert film.height > 416
            assert getattr(film, "n_frames", 1) > 3  # it waves
            assert film.convert("RGBA").getpixel((1, 1)) == (0, 0, 0, 0)
            film.seek(3)
            paper = film.convert("RGBA").getpixel((192, 20))
            assert isinstance(paper, tuple)
            assert min(paper) > 240  # the bubble

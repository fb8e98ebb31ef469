"""A start: without pages, while the earlier program ends, and with no windows at all."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from pet.app import Pet
from pet.bridge.channel import NotListening
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import RunningPet
from pet.desktop.app import open_pet
from pet.i18n import LANGUAGES, Language, Texts
from pet.paths import Home
from pet.services.desktop_port import DesktopPort
from pet.services.home import open_pets


def test_pages_that_were_not_built_are_named(home: Home, tmp_path: Path) -> None:
    errors = io.StringIO()

    def compose(windows: DesktopPort) -> Pet:
        raise AssertionError("nothing may be built without pages")

    assert open_pet(home, compose, Texts("en"), pages=tmp_path, errors=errors) == 1
    assert "chat.html" in errors.getvalue()
    assert not home.data.exists()


def test_the_terminal_has_windows_that_do_nothing() -> None:
    windows: DesktopPort = DesktopPort()
    windows.show_chat("settings")
    windows.stroll(1.0)
    windows.quit()
    assert (windows.chat_shown, windows.backend, windows.system.abilities()) == (False, "none", ())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_there_in_every_language(language: Language) -> None:
    folder = Path(__file__).parents[2] / "pet" / "i18n"
    keys = {name: json.loads((folder / name / "shell.json").read_text(encoding="utf-8")) for name in LANGUAGES}
    assert all(text.strip() for text in keys[language].values())


def test_a_pet_that_comes_back_waits_for_the_end_of_its_last_program(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chat.html").touch()
    open_pets(home).create("Mochi", "en")
    ending = SingleInstance(home, "mochi")
    assert ending.acquire()
    ran: list[SingleInstance] = []
    monkeypatch.setattr("pet.desktop.app.time.sleep", lambda _seconds: ending.release())
    monkeypatch.setattr("pet.desktop.app._run", lambda *given, **_named: ran.append(given[6]))

    def come(comes: str) -> int:
        monkeypatch.setenv("SOULPET_COMES", comes)
        return open_pet(home, lambda _: pytest.fail("no core"), Texts("en"), named="mochi", pages=tmp_path)

    assert (come("-"), ran) == (0, [])  # it is there already
    assert (come("biscuit"), len(ran)) == (0, 1)


def test_a_start_while_the_earlier_one_ends_takes_its_place(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chat.html").touch()
    ending = SingleInstance(home)
    assert ending.acquire()

    def hang_up(*_: object) -> None:
        ending.release()
        raise NotListening

    ran: list[SingleInstance] = []

    def run(_home: Home, _compose: object, instance: SingleInstance, *_: object, **_named: object) -> str:
        assert instance.held
        ran.append(instance)
        return "end"

    monkeypatch.setattr(RunningPet, "call", hang_up)
    monkeypatch.setattr("pet.desktop.app._run", run)
    errors = io.StringIO()
    assert open_pet(home, lambda _: pytest.fail("no core"), Texts("en"), pages=tmp_path, errors=errors) == 0
    assert (len(ran), errors.getvalue()) == (1, "")
    assert ending.acquire()
    ending.release()

"""Remembered places, the menu, the surroundings and the log."""

from __future__ import annotations

import io
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pet.bridge.ipc.server import RunningPet
from pet.bridge.ipc.single_instance import SingleInstance
from pet.bridge.ipc.transport import NotListening
from pet.desktop.app import open_pet
from pet.desktop.core.deferred import Core
from pet.desktop.geometry import Monitor, Rect
from pet.desktop.process.environment import (
    display_problem,
    in_terminal,
    is_root,
    on_wayland,
    prepare,
    sandbox_restricted,
)
from pet.desktop.process.log import start_log
from pet.desktop.windows.placement_store import CHAT_MINIMUM, CHAT_SIZE, PlacementStore
from pet.i18n import LANGUAGES, Language, Texts
from pet.paths import Home, find_home
from pet.services.desktop_port import DesktopPort, HeadlessDesktop
from pet.settings.json_state import JsonState

MAIN = Monitor("main", Rect(0, 28, 1920, 1052), primary=True)
SIDE = Monitor("side", Rect(1920, 0, 1280, 1024))
SIZE = (192, 208)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "windows.json"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


@pytest.fixture
def own_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)


def test_each_monitor_has_its_own_place(file: Path) -> None:
    places = PlacementStore(JsonState(file))
    places.keep_pet(Rect(100, 200, *SIZE), [MAIN, SIDE])
    places.keep_pet(Rect(2000, 300, *SIZE), [MAIN, SIDE])
    again = PlacementStore(JsonState(file))
    assert again.pet_place(SIZE, [MAIN, SIDE]) == Rect(2000, 300, *SIZE)
    assert again.pet_place(SIZE, [MAIN]) == Rect(100, 200, *SIZE)  # the second one was unplugged
    moved = Monitor("side", Rect(-1280, 0, 1280, 1024))
    assert again.pet_place(SIZE, [MAIN, moved]) == Rect(-1200, 300, *SIZE)


def test_a_place_that_no_longer_exists_is_moved_into_sight(file: Path) -> None:
    PlacementStore(JsonState(file)).keep_pet(Rect(1700, 800, *SIZE), [MAIN])
    smaller = Monitor("main", Rect(0, 0, 1024, 700), primary=True)
    assert PlacementStore(JsonState(file)).pet_place(SIZE, [smaller]) == Rect(1024 - 220, 700 - 280, *SIZE)


def test_what_sat_in_a_corner_sits_there_still_after_a_change_of_resolution(file: Path) -> None:
    places = PlacementStore(JsonState(file))
    corner = Rect(1920 - 200, 28 + 1052 - 220, *SIZE)
    places.keep_pet(corner, [MAIN])
    larger = Monitor("main", Rect(0, 28, 2560, 1412), primary=True)
    assert places.pet_place(SIZE, [larger]) == Rect(2560 - 200, 28 + 1412 - 220, *SIZE)
    assert places.pet_place(SIZE, [MAIN]) == corner  # and back


def test_a_panel_that_comes_pushes_the_pet_only_as_far_as_it_must(file: Path) -> None:
    whole = Rect(0, 0, 1920, 1080)
    bare = Monitor("main", whole, primary=True, area=whole)
    with_panel = Monitor("main", Rect(0, 40, 1920, 1040), primary=True, area=whole)
    places = PlacementStore(JsonState(file))
    places.keep_pet(Rect(500, 10, *SIZE), [bare])
    assert places.pet_place(SIZE, [with_panel]) == Rect(500, 40, *SIZE)
    places.keep_pet(Rect(500, 300, *SIZE), [bare])
    assert places.pet_place(SIZE, [with_panel]) == Rect(500, 300, *SIZE)


def test_a_place_from_an_earlier_version_is_found(file: Path) -> None:
    file.write_text('{"pet": {"main": [100, 200]}, "monitor": "main", "chat": [500, 600]}')
    places = PlacementStore(JsonState(file))
    assert places.pet_place(SIZE, [MAIN]) == Rect(100, 228, *SIZE)
    assert places.chat_size(MAIN) == (500, 600)


def test_the_chat_has_a_size_and_a_place_on_each_monitor(file: Path) -> None:
    places = PlacementStore(JsonState(file))
    assert places.chat_on(MAIN, (440, 640)) is None
    places.keep_chat((500, 600), MAIN)
    assert places.chat_on(MAIN, (500, 600)) is None  # only its size was the owner's wish
    places.keep_chat((500, 600), MAIN, (40, 60))
    places.keep_chat((700, 800), SIDE, (2000, 100))
    places.keep_chat((520, 620), MAIN)  # a place once chosen stays
    again = PlacementStore(JsonState(file))
    assert again.chat_size(MAIN) == (520, 620)
    assert again.chat_on(MAIN, (520, 620)) == Rect(40, 60, 520, 620)
    assert again.chat_on(SIDE, (700, 800)) == Rect(2000, 100, 700, 800)
    assert again.chat_size(Monitor("third", Rect(0, 0, 800, 600))) == (520, 620)  # as it was last
    again.forget_chat(MAIN)
    assert again.chat_on(MAIN, (520, 620)) is None
    assert again.chat_on(SIDE, (700, 800)) is not None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no json",
        "[]",
        '{"pet": 3, "monitor": {}, "chat": "big"}',
        '{"pet": {"main": [1]}, "monitor": "main", "chat": [1, null]}',
        '{"pet": {"main": [true, 1e9]}, "monitor": "main", "chat": [1e300, 5]}',
        '{"pet": {"main": [99999999999, 5]}, "monitor": "main"}',
        '{"pet": {"main": {"at": [5], "of": 3}}, "monitor": 7, "chats": [1]}',
        '{"pet": {"main": {"at": [1e300, 5], "of": [10, 10]}}, "chats": {"main": {"size": "x", "at": [0, true]}}}',
    ],
)
def test_a_state_that_makes_no_sense_counts_as_none(file: Path, content: str) -> None:
    file.write_text(content)
    places = PlacementStore(JsonState(file))
    place = places.pet_place(SIZE, [MAIN])
    assert (place.right, place.bottom) == (1896, 1056)
    assert places.chat_size(MAIN) == CHAT_SIZE
    assert places.chat_on(MAIN, CHAT_SIZE) is None
    places.keep_chat(CHAT_SIZE, MAIN, (50, 60))
    assert places.chat_on(MAIN, CHAT_SIZE) == Rect(50, 60, *CHAT_SIZE)
    places.keep_pet(Rect(10, 40, *SIZE), [MAIN])
    assert PlacementStore(JsonState(file)).pet_place(SIZE, [MAIN]) == Rect(10, 40, *SIZE)


def test_the_chat_is_never_smaller_than_usable(file: Path) -> None:
    places = PlacementStore(JsonState(file))
    places.keep_chat((10, 10))
    assert places.chat_size() == CHAT_MINIMUM
    places.keep_chat((700, 800))
    assert PlacementStore(JsonState(file)).chat_size() == (700, 800)


def test_a_disk_that_takes_nothing_costs_only_the_memory_of_the_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    places = PlacementStore(JsonState(tmp_path / "file" / "windows.json"))
    places.keep_pet(Rect(1, 40, *SIZE), [MAIN])
    assert places.chat_size() == CHAT_SIZE


def test_root_is_refused_unless_it_is_allowed() -> None:
    assert display_problem({}) == ("shell.root_refused" if is_root() else "shell.no_display")
    assert display_problem({"PET_ALLOW_ROOT": "0"}) == ("shell.root_refused" if is_root() else "shell.no_display")
    assert display_problem({"PET_ALLOW_ROOT": "1"}) == "shell.no_display"


def test_no_display_has_its_own_sentence() -> None:
    allowed = {"PET_ALLOW_ROOT": "1"}
    assert display_problem(allowed) == "shell.no_display"
    assert display_problem({**allowed, "DISPLAY": ":9999"}) == "shell.no_display"
    assert display_problem({**allowed, "DISPLAY": "nonsense"}) == "shell.no_display"
    assert display_problem({**allowed, "WAYLAND_DISPLAY": "wayland-0"}) == "shell.no_xwayland"
    for language in LANGUAGES:
        assert "pet chat" in Texts(language)("shell.no_display")


def test_xwayland_session_is_detected() -> None:
    assert on_wayland({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"})
    assert on_wayland({"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"})
    assert not on_wayland({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"})


def test_the_sandbox_is_off_only_for_a_root_that_was_allowed() -> None:
    environ = {"PET_ALLOW_ROOT": "1"}
    prepare(environ)
    assert ("QTWEBENGINE_DISABLE_SANDBOX" in environ) == is_root()
    assert environ["QT_API"] == "pyside6"
    assert environ["QT_QPA_PLATFORM"] == "xcb"
    normal: dict[str, str] = {"QT_QPA_PLATFORM": "wayland", "QT_API": "pyqt6"}
    prepare(normal)
    assert "QTWEBENGINE_DISABLE_SANDBOX" not in normal
    assert normal == {
        "QT_QPA_PLATFORM": "xcb",
        "QT_API": "pyside6",
        "RESOURCE_NAME": "soulpet",
        "QT_IM_MODULES": "ibus",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="Qt is the backend of Linux")
def test_the_flags_that_pywebview_adds_by_itself_are_taken_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own: the import happens once."""
    code = (
        "import os; from PySide6.QtCore import QSysInfo; QSysInfo.productType = staticmethod(lambda: 'arch');"
        "from pet.desktop.qt.hardening import import_qt_backend; backend = import_qt_backend();"
        "backend.environ_append('QTWEBENGINE_CHROMIUM_FLAGS', '--use-fake-ui-for-media-stream');"
        "print(os.environ.get('QTWEBENGINE_CHROMIUM_FLAGS'))"
    )
    import subprocess

    environ = {name: value for name, value in os.environ.items() if name != "QTWEBENGINE_CHROMIUM_FLAGS"}
    environ |= {"QT_API": "pyside6", "QT_QPA_PLATFORM": "offscreen"}
    for given, expected in ((None, "None"), ("--mine", "--mine")):
        if given:
            environ["QTWEBENGINE_CHROMIUM_FLAGS"] = given
        done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == expected


@pytest.mark.usefixtures("own_logging")
def test_the_log_is_a_file_of_ours_and_talkative_libraries_are_hushed(home: Home) -> None:
    start_log(home)
    logging.getLogger("pet.engine").info("ours")
    logging.getLogger("anthropic._base_client").info("request with a secret")
    logging.getLogger("httpx2").info("an address")
    logging.getLogger("somebody").warning("theirs")
    text = home.log_file.read_text()
    assert "ours" in text
    assert "theirs" in text
    assert "secret" not in text
    assert "address" not in text


@pytest.mark.usefixtures("own_logging")
def test_an_exception_is_logged_without_its_words(home: Home) -> None:
    """A failed look-up of a word of the diary would say that word."""
    start_log(home)
    words: dict[str, int] = {}
    try:
        try:
            words["quenelle"]
        except KeyError as error:
            raise ValueError("canary of a file") from error
    except ValueError:
        logging.getLogger("pet.memory").exception("keeping the index failed")
    try:
        Path(home.data, "missing.sqlite").read_bytes()
    except OSError as error:
        logging.getLogger("pet.memory").warning("no index", exc_info=error)
    text = home.log_file.read_text()
    assert "ValueError" in text and "KeyError" in text and "test_shell_life" in text
    assert "canary of" not in text.replace('raise ValueError("canary of a file")', "")
    assert "'quenelle'" not in text
    assert "missing.sqlite" in text


@pytest.mark.usefixtures("own_logging")
def test_a_disk_without_room_for_a_log_keeps_no_pet_away(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way")
    start_log(find_home(tmp_path))
    logging.getLogger("pet").error("nowhere")


def test_pages_that_were_not_built_are_named(home: Home, tmp_path: Path) -> None:
    errors = io.StringIO()

    def compose(windows: DesktopPort) -> Core:
        raise AssertionError("nothing may be built without pages")

    assert open_pet(home, compose, Texts("en"), pages=tmp_path, errors=errors) == 1
    assert "pet.html" in errors.getvalue()
    assert not home.data.exists()


def test_the_terminal_has_windows_that_do_nothing() -> None:
    windows: DesktopPort = HeadlessDesktop()
    windows.show_view("settings")
    windows.move_pet(1.0, 2.0, True)
    windows.quit()
    assert (windows.chat_shown, windows.backend, windows.abilities) == (False, "none", ())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_there_in_every_language(language: Language) -> None:
    folder = Path(__file__).parents[2] / "pet" / "i18n"
    keys = {name: json.loads((folder / name / "shell.json").read_text(encoding="utf-8")) for name in LANGUAGES}
    assert all(text.strip() for text in keys[language].values())


def test_doctor_knows_whether_apparmor_restricts_the_sandbox(tmp_path: Path) -> None:
    switch = tmp_path / "apparmor_restrict_unprivileged_userns"
    assert not sandbox_restricted(switch)
    for value, restricted in (("0\n", False), ("1\n", True)):
        switch.write_text(value)
        assert sandbox_restricted(switch) is restricted


def test_program_without_streams_is_in_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """As PyInstaller starts a program without a console on Windows."""
    monkeypatch.setattr("sys.stderr", None)
    assert not in_terminal()
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert not in_terminal()


def test_a_start_while_the_earlier_one_ends_takes_its_place(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for page in ("pet.html", "chat.html"):
        (tmp_path / page).touch()
    ending = SingleInstance(home)
    assert ending.acquire()

    def hang_up(*_: object) -> None:
        ending.release()
        raise NotListening

    ran: list[SingleInstance] = []

    def run(_home: Home, _compose: object, instance: SingleInstance, *_: object) -> str:
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

"""What the page may ask of the desktop: login, shortcuts, pictures of the screen, folders by name."""

from __future__ import annotations

import base64
import contextlib
import io
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pet.app import Pet
from pet.bridge.command import Client
from pet.events import DesktopChanged, DroppedOnPet, Event, PetTravels
from pet.paths import Home, find_home
from pet.services.desktop_port import Area, DesktopPort, Shortcuts, System, Taken, View
from pet.workspace.images import LONGEST_SIDE
from tests.support.clocks import DayClock
from tests.support.program.invoking import answered


@dataclass
class Entry:
    """A login entry; one in a read-only place can't be changed."""

    on: bool = False
    other: bool = False
    place: str = "/x/soulpet.desktop"

    def set(self, on: bool) -> None:
        if self.place.startswith("/ro"):
            raise OSError
        self.on = on


class Screen(DesktopPort, System):
    """A desktop that can all of it, and notes what was asked."""

    def __init__(self) -> None:
        self.system = self
        self.login: Entry | None = Entry()
        self.shortcuts = Shortcuts()
        self.shortcuts.taken = ("Ctrl+Alt+K",)
        self.opened: list[Path] = []
        self.shows_folders = True
        self.views: list[View] = []
        self.strolls: list[float] = []
        self.pointer: tuple[int, int, bool] | None = None
        self.came: list[str] = []
        self.picture: bytes | None = None
        self.blind = False

    def open_folder(self, folder: Path) -> bool:
        self.opened.append(folder)
        return self.shows_folders

    def show_pet(self) -> None:
        self.came.append("pet")

    def show_chat(self, view: View | None = None) -> None:
        if view is None:
            self.came.append("chat")
        else:
            self.views.append(view)

    def stroll(self, way: float, near: bool = False, what: str = "walk") -> None:
        self.strolls.append(way)

    def find_pointer(self) -> tuple[int, int, bool] | None:
        return self.pointer

    def take_screenshot(self, area: Area, taken: Taken) -> bool:
        if self.blind:
            return False
        threading.Thread(target=taken, args=(self.picture,)).start()
        return True


class Desktop:
    def __init__(self, app: Pet, screen: Screen) -> None:
        self.app, self.screen = app, screen
        self.events: list[Event] = []
        self._came = threading.Condition()
        app.emitter.subscribe(self._on_event, name="test")

    def ask(self, command: str, /, client: Client = Client.CHAT, **args: object) -> Any:
        return answered(self.app.commands, command, client, **args)

    def wait(self, kind: type[Event]) -> Event:
        with self._came:
            assert self._came.wait_for(lambda: any(isinstance(each, kind) for each in self.events), 60)
            return next(each for each in self.events if isinstance(each, kind))

    def _on_event(self, event: Event) -> None:
        with self._came:
            self.events.append(event)
            self._came.notify_all()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


@contextlib.contextmanager
def on_desktop(home: Home) -> Iterator[Desktop]:
    screen = Screen()
    app = Pet(home, environ={}, windows=screen, channel="terminal", clock=DayClock())
    try:
        yield Desktop(app, screen)
    finally:
        app.close()


@pytest.fixture
def desktop(home: Home) -> Iterator[Desktop]:
    with on_desktop(home) as opened:
        yield opened


def png(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), "#cc2244").save(out, "PNG")
    return out.getvalue()


def test_starting_at_login_is_what_the_system_says(desktop: Desktop) -> None:
    assert desktop.ask("get_desktop") == {
        "login": False,
        "login_possible": True,
        "login_other": False,
        "login_place": "/x/soulpet.desktop",
        "taken_shortcuts": ["Ctrl+Alt+K"],
    }
    assert desktop.ask("set_login", on=True)["login"] is True
    desktop.screen.login = Entry(on=True, other=True, place="/ro/soulpet.desktop")
    assert desktop.ask("get_desktop")["login_other"] is True
    failed = desktop.ask("set_login", on=False)
    assert (failed["code"], failed["args"]) == ("login_entry_failed", {"place": "/ro/soulpet.desktop"})


def test_in_a_terminal_none_of_it_is_possible(home: Home) -> None:
    app = Pet(home, environ={}, channel="terminal")
    try:
        desktop = Desktop(app, Screen())
        assert desktop.ask("get_desktop")["login_possible"] is False
        assert desktop.ask("take_screenshot", area="screen")["code"] == "screenshot_impossible"
    finally:
        app.close()


def test_a_picture_of_the_screen_comes_the_way_of_dropped_files_made_smaller(desktop: Desktop) -> None:
    desktop.screen.picture = png(4000, 1000)
    assert desktop.ask("take_screenshot", area="region") == {}
    desktop.wait(DroppedOnPet)
    assert desktop.screen.views == ["chat"]
    given = desktop.ask("take_dropped")
    assert given["text"] == ""
    (file,) = given["files"]
    assert file["name"].startswith(("Screenshot ", "截图 "))
    picture = Image.open(io.BytesIO(base64.b64decode("".join(file["data"]))))
    assert picture.size == (LONGEST_SIDE, LONGEST_SIDE // 4)
    made = desktop.ask("new_conversation")["info"]["id"]
    (added,) = desktop.ask("add_attachment", conversation=made, file=file)["files"]
    assert added["attachment"]["kind"] == "image/png"


def test_cancelled_or_broken_screenshot_leaves_nothing(desktop: Desktop) -> None:
    desktop.ask("take_screenshot", area="region")
    desktop.screen.picture = b"no picture"
    desktop.ask("take_screenshot", area="region")
    told = desktop.wait(DesktopChanged)
    assert isinstance(told, DesktopChanged) and told.error is not None
    assert told.error.code == "attachment_broken"
    assert not any(isinstance(each, DroppedOnPet) for each in desktop.events)
    assert desktop.ask("take_dropped")["files"] == []


def test_a_desktop_that_shows_nothing_says_so(desktop: Desktop) -> None:
    desktop.screen.blind = True
    assert desktop.ask("take_screenshot", area="screen")["code"] == "screenshot_impossible"


def test_the_pet_fades_only_if_its_owner_wants_it(desktop: Desktop) -> None:
    assert desktop.ask("get_skin", Client.PET)["fades"] is False
    desktop.app.settings.change({"fade_on_hover": True})
    assert desktop.ask("get_skin", Client.PET)["fades"] is True


@pytest.mark.parametrize("command", ["set_login", "open_folder", "get_desktop", "list_places"])
@pytest.mark.parametrize("client", [Client.PET, Client.BUBBLE, Client.SOCKET])
def test_only_the_chat_may_ask(desktop: Desktop, command: str, client: Client) -> None:
    assert desktop.ask(command, client)["code"] == "not_allowed"


def test_folders_are_opened_by_name_and_by_no_other_word(desktop: Desktop, home: Home) -> None:
    root = desktop.app.store.root
    expected = {
        "pet": root,
        "data": home.data,
        "config": home.config,
        "state": home.state,
        "cache": home.cache,
        "log": home.log,
    }
    for name, folder in expected.items():
        assert desktop.ask("open_folder", place=name) == {}
        assert desktop.screen.opened[-1] == folder
        assert folder.is_dir()
    desktop.ask("open_folder")
    assert desktop.screen.opened.pop() == root
    for word in ("", "home", "..", "/etc", str(root), "pet/../..", "PET"):
        assert desktop.ask("open_folder", place=word)["code"] == "bad_arguments"
    assert desktop.screen.opened == list(expected.values())


def test_where_no_program_shows_folders_the_path_is_named(desktop: Desktop) -> None:
    desktop.screen.shows_folders = False
    refused = desktop.ask("open_folder")
    assert (refused["code"], refused["args"]) == ("no_file_manager", {"path": str(desktop.app.store.root)})


def test_where_exports_go_is_opened_by_name_too(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    downloads = tmp_path / "Downloads"
    monkeypatch.setattr("pet.paths.downloads_folder", lambda: downloads)
    with on_desktop(home) as desktop:
        assert desktop.ask("open_folder", place="downloads") == {}
        assert desktop.screen.opened == [downloads]
        assert downloads.is_dir()


def test_where_everything_is_has_its_size(desktop: Desktop, home: Home, tmp_path: Path) -> None:
    outside = tmp_path / "outside.bin"
    outside.write_bytes(b"x" * 100_000)
    home.cache.mkdir(parents=True, exist_ok=True)
    before = {each["name"]: each for each in desktop.ask("list_places")["places"]}
    (home.cache / "index.sqlite").write_bytes(b"1234")
    (home.cache / "away").symlink_to(outside)
    after = {each["name"]: each for each in desktop.ask("list_places")["places"]}
    assert list(after) == ["pet", "data", "config", "state", "cache", "log"]
    assert after["cache"]["files"] == before["cache"]["files"] + 2
    assert after["cache"]["bytes"] - before["cache"]["bytes"] == 4 + len(str(outside))  # a link is its own length
    assert after["data"]["bytes"] >= after["pet"]["bytes"] > 0
    assert after["pet"]["path"] == str(desktop.app.store.root)
    assert after["log"]["there"] is home.log.is_dir()


def test_the_pet_walks_unless_it_is_unwelcome(home: Home) -> None:
    with on_desktop(home) as desktop:
        desktop.ask("stroll", client=Client.PET, way=0.5)
        desktop.ask("stroll", client=Client.PET, way=-9.0)
        assert desktop.screen.strolls == [0.5, -1.0]
        for changes in (
            {"do_not_disturb": True},
            {"do_not_disturb": False, "pet_life": "still"},
            {"pet_life": "calm", "quiet_from": "11:00", "quiet_until": "13:00"},
        ):
            desktop.ask("change_settings", changes=changes)
            desktop.ask("stroll", client=Client.PET, way=1.0)
        desktop.ask("change_settings", changes={"quiet_from": "", "quiet_until": ""})
        desktop.ask("pause_memory", paused=True)
        desktop.ask("stroll", client=Client.PET, way=1.0)
        assert desktop.screen.strolls == [0.5, -1.0]


def test_what_is_dragged_counts_as_held_only_where_the_pet_may_come_near(home: Home) -> None:
    with on_desktop(home) as desktop:
        assert not desktop.ask("find_pointer", client=Client.PET)["known"]
        desktop.screen.pointer = (300, 40, True)
        assert desktop.ask("find_pointer", client=Client.PET) == {"known": True, "x": 300, "y": 40, "held": True}
        desktop.ask("change_settings", changes={"pet_life": "still"})
        assert not desktop.ask("find_pointer", client=Client.PET)["held"]
        desktop.ask("change_settings", changes={"pet_life": "calm", "do_not_disturb": True})
        assert not desktop.ask("find_pointer", client=Client.PET)["held"]


def test_called_by_a_second_start_it_waves_and_opens_the_chat(desktop: Desktop) -> None:
    desktop.ask("show_pet", client=Client.SOCKET)
    assert desktop.screen.came == ["pet", "chat"]
    waved = desktop.wait(PetTravels)
    assert isinstance(waved, PetTravels)
    assert (waved.dx, waved.dy, waved.how) == (0, 0, "wave")

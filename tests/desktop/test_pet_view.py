"""The native pet's widget, on Qt's offscreen platform: drawing, outline, timer, input and drops."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from PIL import Image

from pet.body.creature import Wear
from pet.body.life import Surroundings
from pet.bridge.commands.skins import SkinSheet
from pet.events import Mood, MoodChanged, PetTravels, SettingsChanged
from pet.extras.skins.codex_manifest import STATES
from pet.services.file_transfer import data_address
from pet.skins.model import SkinAnimation
from tests.body.stage import dice
from tests.desktop.pet_parts import LOOK, Move, Port
from tests.extras.skins.drawing import as_bytes, draw_sheet
from tests.support.waiting import wait_for

pytest.importorskip("PySide6")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from pet.desktop.geometry import outline_stays
from pet.desktop.pet_actor import UNKNOWN_BODY
from pet.desktop.pet_pictures import (
    BodyPictures,
    PictureCache,
    SheetPictures,
    UnusableSheet,
    alpha_of,
    draw_svg,
)
from pet.desktop.pet_view import PetView

BARE, BUD = Wear(), Wear(bud=True)
LEFT, FACE = Qt.MouseButton.LeftButton, QPoint(96, 120)


@pytest.fixture(scope="module")
def app() -> Any:
    return QApplication.instance() or QApplication(["tests", "-platform", "offscreen"])


class Pet:
    def __init__(self, port: Port) -> None:
        self.port = port
        self.now = 0.0
        self.changes: list[Any] = []
        around = Surroundings(dice(), lambda: 14)
        self.view = PetView(cast(Any, port), "soulpet", around=around, clock=lambda: self.now)
        self.view.on_changed = lambda: self.changes.append((self.view._drawn, self.view.drawn_mask))

    def passes(self, milliseconds: float) -> int:
        """Let time pass as the timer would; return how often it woke up."""
        end, woken = self.now + milliseconds, 0
        while (due := self.view._agenda.due()) is not None and due <= end:
            self.now = due
            self.view._run()
            woken += 1
        self.now = end
        return woken

    @property
    def act(self) -> str:
        return self.view.actor.player.act

    def grabbed(self) -> QImage:
        return self.view.grab().toImage()


@pytest.fixture
def pet(app: Any) -> Iterator[Pet]:
    pet = Pet(Port())
    pet.view.show()
    yield pet
    pet.view.stop()
    pet.view.close()
    pet.view.deleteLater()


def _sheet(image: bytes, **given: Any) -> SkinSheet:
    rows = [
        SkinAnimation(
            name=name,
            frames=tuple(row * 8 + column for column in range(len(milliseconds))),
            milliseconds=milliseconds,
        )
        for row, (name, milliseconds) in enumerate(STATES.items())
    ]
    return SkinSheet(skin="cat", stamp="1", image=data_address("image/webp", image), animations=rows, **given)


# --- drawing --------------------------------------------------------------------------------------


def test_its_outline_is_known_before_it_is_shown_and_covers_what_is_drawn(app: Any) -> None:
    pet = Pet(Port())
    outline = pet.view.outline()
    assert outline
    assert pet.view._shown is not None
    alpha = alpha_of(pet.view._shown.image)
    covered = [bytearray(192) for _row in range(208)]
    for rect in outline:
        for row in range(rect.y, rect.bottom):
            covered[row][rect.x : rect.right] = b"\1" * rect.width
    assert all(not opaque > 24 or covered[y][x] for y, row in enumerate(alpha) for x, opaque in enumerate(row))
    assert sum(map(sum, covered)) < 0.8 * 192 * 208  # its corners let clicks through
    assert sum(each.width * each.height for each in pet.view.silhouette()) < sum(map(sum, covered))
    pet.view.stop()


def test_it_tells_of_each_new_picture_once(pet: Pet) -> None:
    pet.passes(60_000)
    assert len(pet.changes) > 5
    assert all(one[0][0] != other[0][0] for one, other in zip(pet.changes, pet.changes[1:], strict=False))


def test_breathing_it_stays_within_one_outline(pet: Pet) -> None:
    breath = [pet.view.body("soulpet") for _frame in range(4)]
    masks = []
    for frame, worn in enumerate(breath):
        worn.show("breath", frame, BARE)
        masks.append(pet.view.drawn_mask)
    first, *others = filter(None, masks)
    assert len(others) == 3
    assert all(each != first and outline_stays(first, each, 1) for each in others)
    breath[0].show("hop", 2, BARE)
    assert pet.view.drawn_mask is not None
    assert not outline_stays(first, pet.view.drawn_mask, 1)


def test_it_paints_the_pose_that_it_shows_and_only_new_ones(pet: Pet) -> None:
    pet.passes(10_000)
    assert pet.view._shown is not None
    image, painted = pet.view._shown.image, pet.grabbed()
    assert painted.pixelColor(FACE).getRgb() == image.pixelColor(FACE).getRgb()
    updates: list[None] = []
    pet.view.update = lambda: updates.append(None)  # type: ignore[method-assign,assignment]
    pet.view.actor.player.gaze(None)
    pet.view.put((pet.view._shown.name, lambda: QImage()))
    assert updates == []


def test_an_idle_hour_wakes_up_less_than_twice_a_second_and_keeps_few_pictures(pet: Pet) -> None:
    assert pet.passes(3_600_000) / 3600 < 2
    assert len(pet.view._pictures) <= 25


def test_walking_it_wakes_up_as_often_as_it_moves(pet: Pet) -> None:
    pet.passes(5_000)
    pet.view.actor.on_event(PetTravels(dx=400, dy=0, how="walk", walk=1))
    assert pet.passes(2_500) < 100
    assert pet.port.moves[-1] == Move(400, 0, True, False, 1)


def test_hidden_it_has_no_timer(pet: Pet) -> None:
    pet.passes(2_000)
    pet.view.hide()
    pet.passes(2_000)
    assert pet.passes(200_000) == 0
    pet.view.show()
    assert pet.passes(20_000) > 0


def test_its_pictures_are_bounded(app: Any) -> None:
    cache = PictureCache()
    body = BodyPictures("")
    for size, most in (((192, 208), 12), ((1152, 1248), 12)):
        for direction in range(16):
            for wear in (BARE, BUD):
                drawn = body.gaze(direction, wear, size)
                assert drawn is not None
                cache.get(*drawn)
        assert len(cache) == most


def test_a_picture_of_before_is_the_same_without_being_drawn_again(app: Any) -> None:
    cache = PictureCache()
    body = BodyPictures("")
    drawn = [body.gaze(direction, BARE, (192, 208)) for direction in range(16)]
    before = [(cache.get(*each).image, cache.get(*each).mask) for each in drawn if each is not None]

    def never() -> Any:
        raise AssertionError("drawn again")

    after = [cache.get(name, never) for name, _draw in filter(None, drawn)]
    assert [(each.image, each.known_mask) for each in after] == before


def test_resized_it_is_drawn_anew_at_its_resolution(pet: Pet) -> None:
    pet.view.setFixedSize(384, 416)
    assert pet.view._shown is not None
    assert (pet.view._shown.image.width(), pet.view._shown.image.height()) == (384, 416)
    right = max(rect.right for rect in pet.view.outline())
    assert 300 < right <= 384


def test_behind_its_chat_it_is_left_out_of_picture_and_outline(pet: Pet) -> None:
    pet.passes(10_000)
    pet.view.cover(96, 0)
    assert all(rect.x >= 96 for rect in pet.view.outline())
    assert pet.changes[-1][1] is None
    image = pet.grabbed()
    assert image.pixelColor(80, 140).alpha() == 0 or image.pixelColor(80, 140) != image.pixelColor(110, 140)
    pet.view.cover(0, 0)
    assert min(rect.x for rect in pet.view.outline()) < 96


def test_a_fade_takes_its_time_and_comes_back(pet: Pet) -> None:
    pet.view.fade(True)
    assert pet.view._opacity == pytest.approx(0.8)
    pet.passes(180)
    assert pet.view._opacity == 0
    pet.view.fade(False)
    pet.passes(180)
    assert pet.view._opacity == 1


@pytest.mark.parametrize("body", ["soulpet", UNKNOWN_BODY])
def test_its_first_frame_is_reported_once_also_where_nothing_is_known_to_draw(app: Any, body: str) -> None:
    frames: list[None] = []
    view = PetView(cast(Any, Port(look=None)), body)
    view.on_drawn = lambda: frames.append(None)
    view.grab()
    view.grab()
    assert len(frames) == 1
    view.stop()


def test_screen_readers_get_its_name(pet: Pet) -> None:
    assert pet.view.accessibleName() == "Bun"


def test_a_damaged_drawing_is_an_empty_picture(app: Any) -> None:
    for svg in ("", "<svg", "<svg><g></svg>", "no drawing"):
        image = draw_svg(svg, (192, 208))
        assert (image.width(), image.pixelColor(FACE).alpha()) == (192, 0)


def test_a_fractional_scale_is_drawn_in_device_pixels() -> None:
    script = (
        "from PySide6.QtWidgets import QApplication\n"
        "app = QApplication([])\n"
        "from pet.desktop.pet_view import PetView\n"
        "from tests.desktop.pet_parts import Port\n"
        "view = PetView(Port(), 'soulpet'); view.show()\n"
        "print(view.devicePixelRatioF(), view._shown.image.width(), max(r.right for r in view.outline()) > 200)\n"
    )
    environ = os.environ | {"QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": "1.5"}
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, env=environ, capture_output=True, text=True)
    assert done.stdout.split() == ["1.5", "288", "True"], done.stderr


def test_a_second_pet_on_a_screen_of_another_scale_is_drawn_in_its_pixels(tmp_path: Path) -> None:
    script = (
        "import json\n"
        "from PySide6.QtWidgets import QApplication\n"
        "app = QApplication([])\n"
        "from pet.desktop.pet_view import PetView\n"
        "from tests.desktop.pet_parts import Port\n"
        "views = [PetView(Port(), 'soulpet') for _screen in app.screens()]\n"
        "def told(): return [[view.devicePixelRatioF(), view._shown.image.width(),\n"
        "    max(rect.right for rect in view.outline()) / view._shown.image.width()] for view in views]\n"
        "def put(screens):\n"
        "    for view, screen in zip(views, screens):\n"
        "        view.setScreen(screen); view.move(screen.geometry().topLeft()); view.resize(192, 208); view.show()\n"
        "    for view in views: view.grab(); app.processEvents()\n"
        "put(app.screens()); first = told()\n"
        "put(app.screens()[::-1]); print(json.dumps([first, told()]))\n"
    )
    screen = {"y": 0, "width": 1000, "height": 800, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
    screens = [{"name": "near", "x": 0, **screen}, {"name": "sharp", "x": 1000, **screen}]
    config = tmp_path / "screens.json"
    config.write_text(json.dumps({"screens": screens}))
    environ = os.environ | {
        "QT_QPA_PLATFORM": f"offscreen:configfile={config}",
        "QT_SCREEN_SCALE_FACTORS": "near=1;sharp=1.5",
    }
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", script], cwd=root, env=environ, capture_output=True, text=True)
    assert done.stdout, done.stderr
    for drawn in zip(*json.loads(done.stdout), strict=True):
        assert sorted(pet[:2] for pet in drawn) == [[1.0, 192], [1.5, 288]]
        assert all(0.8 < pet[2] <= 1 for pet in drawn)


# --- skins ----------------------------------------------------------------------------------------


def test_a_codex_pet_is_drawn_from_its_sheet_by_mood(pet: Pet) -> None:
    pet.port.look = replace(LOOK, sheet=_sheet(as_bytes(draw_sheet())))
    pet.view.actor.on_event(SettingsChanged())
    pet.passes(5_000)
    assert pet.grabbed().pixelColor(FACE).name() == "#c8005a"
    pet.view.actor.on_event(MoodChanged(mood=Mood.WAITING))
    assert pet.grabbed().pixelColor(FACE).name() == "#c8785a"


@pytest.mark.parametrize("image", [b"", b"RIFF", b"\x89PNG\r\n\x1a\nbroken"])
def test_a_broken_sheet_leaves_our_own_body(pet: Pet, image: bytes) -> None:
    pet.passes(5_000)
    before = pet.view.outline()
    pet.port.look = replace(LOOK, sheet=_sheet(image))
    pet.view.actor.on_event(SettingsChanged())
    pet.passes(5_000)
    assert pet.view.outline()
    assert max(each.bottom for each in pet.view.outline()) == max(each.bottom for each in before)


def test_a_sheet_smaller_than_its_cells_is_refused(app: Any) -> None:
    with pytest.raises(UnusableSheet):
        SheetPictures(_sheet(as_bytes(Image.new("RGBA", (64, 64)))), (192, 208))


def test_a_picture_of_4000_by_4000_pixels_is_kept_no_larger_than_it_is_shown(app: Any) -> None:
    still = (SkinAnimation(name="idle", frames=(0,), milliseconds=(1000,)),)
    large = Image.new("RGBA", (4000, 4000), (10, 200, 30, 255))
    sheet = replace(_sheet(as_bytes(large)), frame_width=4000, frame_height=4000, columns=1, animations=list(still))
    pictures = SheetPictures(sheet, (192, 208))
    assert pictures._image.width() <= 208
    drawn = pictures.act("happy", 0, BARE, (192, 208))
    assert drawn[1]().pixelColor(FACE).getRgb() == (10, 200, 30, 255)
    larger = pictures.act("happy", 0, BARE, (576, 624))[1]()
    assert (larger.width(), 576 <= pictures._image.width() <= 624) == (576, True)


def test_a_sheet_with_a_note_beside_it(app: Any) -> None:
    pictures = SheetPictures(_sheet(as_bytes(draw_sheet())), (192, 208))
    name, _draw = pictures.act("idle", 0, BARE, (192, 208))
    held, draw = pictures.act("idle", 0, replace(BARE, holds=True), (192, 208))
    assert name != held
    assert draw().pixelColor(165, 185).alpha() > 0


# --- input ----------------------------------------------------------------------------------------


def test_a_click_pokes_and_a_double_click_opens_the_chat(pet: Pet) -> None:
    pet.passes(5_000)
    QTest.mouseClick(pet.view, LEFT, pos=FACE)
    assert pet.act != "idle"
    pet.passes(2_000)
    assert pet.port.times("touched") == 1
    QTest.mouseClick(pet.view, LEFT, pos=FACE)
    QTest.mouseDClick(pet.view, LEFT, pos=FACE)
    QTest.mouseRelease(pet.view, LEFT, pos=FACE)
    pet.passes(2_000)
    assert (pet.port.times("touched"), pet.port.times("toggle_chat")) == (1, 1)


def test_a_drag_moves_the_window_by_the_way_of_the_pointer(pet: Pet) -> None:
    QTest.mousePress(pet.view, LEFT, pos=FACE)
    QTest.mouseMove(pet.view, FACE + QPoint(3, 0))
    assert pet.port.moves == []
    QTest.mouseMove(pet.view, FACE + QPoint(30, 10))
    assert pet.view.cursor().shape() == Qt.CursorShape.ClosedHandCursor
    QTest.mouseRelease(pet.view, LEFT, Qt.KeyboardModifier.ShiftModifier, FACE + QPoint(30, 10))
    assert pet.port.moves == [Move(30, 10, False, False, 0), Move(30, 10, True, True, 0)]
    assert pet.view.cursor().shape() == Qt.CursorShape.OpenHandCursor
    assert pet.act == "dropped"


def test_a_right_click_opens_the_menu_and_no_other_button_does_anything(pet: Pet) -> None:
    QTest.mouseClick(pet.view, Qt.MouseButton.MiddleButton, pos=FACE)
    QTest.mouseClick(pet.view, Qt.MouseButton.RightButton, pos=FACE)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, FACE, FACE)
    QApplication.sendEvent(pet.view, event)
    pet.passes(2_000)
    assert [each for each in pet.port.calls if each != "find_pointer"] == ["pet_menu"]


def test_it_looks_at_a_pointer_that_moves_on_it(pet: Pet) -> None:
    pet.passes(5_000)
    QTest.mouseMove(pet.view, QPoint(190, 120))
    assert pet.view._shown is not None
    looking = pet.view._shown.name
    pet.passes(1_600)
    assert pet.view._shown.name != looking


def test_a_resting_pointer_fades_it_where_its_owner_wants_that(pet: Pet) -> None:
    pet.port.look = replace(LOOK, fades=True)
    pet.view.actor.on_event(SettingsChanged())
    QApplication.sendEvent(pet.view, _enters())
    pet.passes(500)
    QApplication.sendEvent(pet.view, QEvent(QEvent.Type.Leave))
    assert [each for each in pet.port.calls if each[0] == "fade"] == [("fade", True), ("fade", False)]


def _enters() -> QEvent:
    from PySide6.QtGui import QEnterEvent

    at = QPointF(FACE)
    return QEnterEvent(at, at, at)


# --- drops ----------------------------------------------------------------------------------------


def _drop(pet: Pet, data: QMimeData) -> None:
    action, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    enters = QDragEnterEvent(FACE, action, data, LEFT, none)
    QApplication.sendEvent(pet.view, enters)
    assert enters.isAccepted()
    assert pet.act == "listening"
    QApplication.sendEvent(pet.view, QDropEvent(QPointF(FACE), action, data, LEFT, none))
    assert pet.act == "given"


def test_dropped_files_go_one_by_one_and_what_can_not_be_taken_is_told_by_name(pet: Pet, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello", encoding="utf-8")
    (tmp_path / "photos").mkdir()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / name)) for name in ("photos", "gone", "a.txt")])
    _drop(pet, data)
    wait_for("both", lambda: len(pet.port.dropped) == 2)
    refused, given = pet.port.dropped
    assert [(each.problem, each.name) for each in refused.refused] == [
        ("unreadable", "photos"),
        ("unreadable", "gone"),
    ]
    assert [(each.name, base64.b64decode("".join(each.data))) for each in given.files] == [("a.txt", b"hello")]


@pytest.mark.parametrize("link", [True, False])
def test_a_dropped_text_and_the_address_of_a_web_page_come_as_text(pet: Pet, link: bool) -> None:
    data = QMimeData()
    if link:
        data.setUrls([QUrl("https://example.org/cat.png")])
    else:
        data.setText("a line")
    _drop(pet, data)
    wait_for("the text", lambda: pet.port.dropped)
    assert [each.text for each in pet.port.dropped] == ["https://example.org/cat.png" if link else "a line"]


def test_a_drop_with_nothing_in_it_opens_the_chat(pet: Pet) -> None:
    _drop(pet, QMimeData())
    assert pet.port.times("show_chat") == 1

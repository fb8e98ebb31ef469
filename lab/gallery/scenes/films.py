"""Short recordings of the real program, as animated WebP.

A camera of its own thread looks at one part of the screen ten times a second while the scene plays.
"""

from __future__ import annotations

import contextlib
import itertools
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect
from Xlib import X, display
from Xlib.protocol import display as protocol
from Xlib.protocol import event

from lab.gallery.studio.desktop import SIZE, around
from lab.gallery.studio.stage import BARE, COMMAND, Stage
from pet.paths import find_home
from pet.services.home import open_pets
from pet.settings.program_state import JsonState
from pet.skins.model import BODY_OF_SOUL
from tests.support.desktop.other_program import reader
from tests.support.desktop.portals import FakePortal
from tests.support.desktop.wayland import open_compositor
from tests.support.desktop.xvfb import Box, call_page, start_pet, wait_for
from tests.support.pet_windows.bubbles import move_pet, seen, talking, write_settings
from tests.support.pet_windows.places import last_monitor, remembered
from tests.support.servers.protocol_replies import Pause, Piece, stream

SECONDS_A_FRAME = 0.1
LARGEST = 400_000
FEWEST_FRAMES = 3
"""A switch takes effect at once: before, after and back again."""


@dataclass(slots=True)
class Camera:
    """Frames with their times; frames that show nothing new lengthen the one before. ``speed``: of the film."""

    name: str
    box: Box
    speed: float = 1.0
    frames: list[tuple[float, Image.Image]] = field(default_factory=list)

    @contextlib.contextmanager
    def rolling(self) -> Iterator[None]:
        """Closed by the end of the block; what goes wrong in the thread is raised there."""
        done = threading.Event()
        failed: list[Exception] = []

        def roll() -> None:
            try:
                self._roll(done)
            except Exception as problem:  # noqa: BLE001  the end of a thread: told below
                failed.append(problem)

        thread = threading.Thread(target=roll, name="camera")
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
        if failed:
            raise failed[0]

    def _roll(self, done: threading.Event) -> None:
        protocol.Display.event_classes = event.event_class.copy()  # Xlib has one table for all servers
        connection = display.Display(self.name)
        root, box = connection.screen().root, self.box
        try:
            while not done.wait(SECONDS_A_FRAME):
                at = time.monotonic()
                raw = root.get_image(box.x, box.y, box.width, box.height, X.ZPixmap, 0xFFFFFFFF)
                seen = Image.frombytes("RGB", (box.width, box.height), raw.data, "raw", "BGRX")
                if not self.frames or seen.tobytes() != self.frames[-1][1].tobytes():
                    self.frames.append((at, seen))
            self.frames.append((time.monotonic(), self.frames[-1][1]))
        finally:
            connection.close()

    def save(self, file: Path, *, width: int) -> None:
        """As small as the eye allows; ``width`` is the most there may be. AssertionError: too still or too large."""
        assert len(self.frames) > FEWEST_FRAMES, f"{file.name} has only {len(self.frames) - 1} frames"
        share = min(1.0, width / self.box.width)
        size = round(self.box.width * share), round(self.box.height * share)
        pictures = [seen.resize(size, Image.Resampling.LANCZOS) for _at, seen in self.frames[:-1]]
        times = [at for at, _seen in self.frames]
        stays = [round((after - at) * 1000 / self.speed) for at, after in itertools.pairwise(times)]
        file.parent.mkdir(parents=True, exist_ok=True)
        for quality in (58, 48, 40):
            pictures[0].save(
                file,
                "WEBP",
                save_all=True,
                append_images=pictures[1:],
                duration=stays,
                loop=0,
                quality=quality,
                method=5,
                minimize_size=True,
            )
            if file.stat().st_size <= LARGEST:
                return
        raise AssertionError(f"{file.name} is {file.stat().st_size} bytes, more than {LARGEST}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    name: str
    caption: str
    width: int
    shoot: Callable[[Stage], Camera]


def _watch(stage: Stage, *boxes: Box, margin: int = 0) -> Camera:
    wait_for("the pet at rest", lambda: stage.act() == "idle")
    found = around(list(boxes), margin, stage.scale)
    return Camera(stage.desktop.display, found)


def poked(stage: Stage) -> Camera:
    """At rest, poked, and glad about a word."""
    stage.hide_chat()
    pet = stage.desktop.box(stage.pet_window)
    camera = _watch(stage, pet)
    with camera.rolling():
        _let_pass(stage, 1.2)
        stage.desktop.click(*pet.centre)
        _let_pass(stage, 1.8)
        stage.feel("happy")
        _let_pass(stage, 3.0)
    stage.feel("neutral")
    return camera


def alive(stage: Stage) -> Camera:
    """Nothing happens but a pointer that passes by: a minute and a half of its idle life, in thirty seconds."""
    stage.open_chat()
    stage.show_talk("coffee")  # memory is on: its sprout is open
    stage.hide_chat()
    _close_bubble(stage)
    pet = stage.desktop.box(stage.pet_window)
    camera = _watch(stage, pet, margin=24)
    camera.speed = 3.0
    x, y = pet.centre
    with camera.rolling():
        _let_pass(stage, 45.0)
        for step in range(24):
            stage.desktop.run("xdotool", "mousemove", str(x - 90 + step * 8), str(y - 60))
            _let_pass(stage, 0.15)
        stage.desktop.run("xdotool", "mousemove", "5", "5")
        _let_pass(stage, 40.0)
    return camera


def _close_bubble(stage: Stage) -> None:
    """What is due today is said at the start."""
    title = stage.texts("shell.title_bubble")
    if title in stage.desktop.windows(stage.running.pid).values():
        stage.bubble().click(stage.texts("bubble.close"))
        wait_for("the bubble to go", lambda: title not in stage.desktop.windows(stage.running.pid).values())


def carried(stage: Stage) -> Camera:
    """Taken by the hand, carried over and let down again."""
    stage.hide_chat()
    pet = stage.desktop.box(stage.pet_window)
    away = Box(pet.x - 380, pet.y - 150, pet.width, pet.height)
    camera = _watch(stage, pet, away)
    (x, y), (to_x, to_y) = pet.centre, away.centre
    with camera.rolling():
        _let_pass(stage, 0.6)
        _carry(stage, (x, y), (to_x, to_y))
        _let_pass(stage, 1.2)
        _carry(stage, (to_x, to_y), (x, y))
        _let_pass(stage, 1.6)
    return camera


def weight(stage: Stage) -> Camera:
    """Let go in the air: onto the chat, carried along with it, down when it closes, and some steps home."""
    assert call_page(stage.page, "change_settings", {"changes": {"pet_life": "calm"}})["ok"]
    stage.open_chat(460, 480)
    stage.show_talk("coffee")
    window = stage.chat_window()
    assert window
    chat, home = stage.desktop.box(window), stage.desktop.box(stage.pet_window)
    x, y = chat.x, chat.y

    def move_chat(to_x: int, to_y: int) -> None:
        stage.desktop.run("wmctrl", "-i", "-r", str(window), "-e", f"0,{to_x},{to_y},-1,-1")

    camera = _watch(stage, Box(x - 130, y - 235, home.x + home.width - x + 150, home.y + home.height - y + 245))
    middle = chat.centre[0]
    with camera.rolling():
        _let_pass(stage, 0.5)
        _carry(stage, home.centre, (middle, y - 190))
        _let_pass(stage, 2.2)
        for step in range(1, 13):
            move_chat(x - step * 8, y - 24 + step * 4)
            time.sleep(0.05)
        _let_pass(stage, 1.4)
        stage.hide_chat()
        _let_pass(stage, 2.4)
        stage.running.command("pet", "stroll", way=1.0)
        _let_pass(stage, 3.0)
    assert call_page(stage.page, "change_settings", {"changes": {"pet_life": "still"}})["ok"]
    return camera


def afternoon(stage: Stage) -> Camera:
    """What it does by itself, one after another: its ball, a window, a trip off the screen, its cushion."""
    stage.hide_chat()
    _close_bubble(stage)
    given = {"pet_life": "calm", "pet_ball": True, "pet_cushion": True}
    assert call_page(stage.page, "change_settings", {"changes": given})["ok"]
    home = stage.desktop.box(stage.pet_window)
    width, height = SIZE
    floor = height - home.height
    with reader(stage.desktop, "Cranes", "\n\n".join(READ)) as window:
        stage.desktop.run("wmctrl", "-i", "-r", str(window), "-e", f"0,70,{height - 210},380,200")
        _carry(stage, home.centre, (840, floor))
        wait_for("it on the floor", lambda: stage.desktop.box(stage.pet_window).y == floor)
        _carry(stage, (776, height - 24), (1140, height - 24))  # its cushion
        stage.desktop.run("xdotool", "mousemove", "1000", "200")
        camera = _watch(stage, Box(0, height - 460, width, 460))
        camera.speed = 1.5
        with camera.rolling():
            _let_pass(stage, 2.0)
            for what, way, seconds in (
                ("ball", -1.0, 6.0),
                ("hop", -1.0, 5.0),
                ("hop", 1.0, 6.0),
                ("trip", 1.0, 5.0),
            ):
                stage.running.command("pet", "stroll", way=way, what=what)
                _let_pass(stage, seconds)
            wait_for("it back", lambda: stage.running.ask("not pet.actor._away"))
            _let_pass(stage, 4.5)
            assert stage.running.command("pet", "nap")["ok"]
            _let_pass(stage, 8.0)
    put_away = {"pet_life": "still", "pet_ball": False, "pet_cushion": False}
    assert call_page(stage.page, "change_settings", {"changes": put_away})["ok"]
    _carry(stage, stage.desktop.box(stage.pet_window).centre, home.centre)
    return camera


def _carry(stage: Stage, start: tuple[int, int], end: tuple[int, int]) -> None:
    """As a hand does it: in a second or so, not at once."""
    steps = 26
    stage.desktop.run("xdotool", "mousemove", str(start[0]), str(start[1]), "mousedown", "1")
    for step in range(1, steps + 1):
        x, y = (a + (b - a) * step // steps for a, b in zip(start, end, strict=True))
        stage.desktop.run("xdotool", "mousemove", str(x), str(y))
        time.sleep(0.04)
    stage.desktop.run("xdotool", "mouseup", "1")


def two_pets(stage: Stage) -> Camera:
    """Another pet, a program of its own, comes near; they greet, and one lies down beside the other."""
    stage.hide_chat()
    _close_bubble(stage)
    home = find_home(stage.home)
    other = open_pets(home).create("Biscuit", "en", soul="scholar", skin=BODY_OF_SOUL["scholar"])
    move_pet(stage.running, -8, 0)
    JsonState(home.state_file).update({f"met.{other}": ["2026-01-01"]})
    monitor = wait_for("its place", lambda: last_monitor(stage.home))
    place, here = stage.desktop.box(stage.pet_window), remembered(stage.home)["pet"][monitor]
    far = {**here, "at": [here["at"][0] - 560, here["at"][1]]}
    JsonState(home.windows_file).update({f"pet.{other}": {monitor: far}, f"monitor.{other}": monitor})
    command, environ = (*COMMAND, "--pet", other), {**BARE, "SOULPET_COMES": "-"}
    with start_pet(stage.desktop, stage.home, command=command, environ=environ) as second:
        second.shows("pet.actor.player.act == 'idle'")
        camera = _watch(stage, place, Box(place.x - 420, place.y, place.width, place.height), margin=10)
        for each in (second, stage.running):
            assert each.command("pet", "reading")["ok"]  # neither naps by itself
        with camera.rolling():
            _let_pass(stage, 0.6)
            for step in range(1, 14):  # it is carried near
                second.ask(f"pet._port.move_pet({30 * step}, 0, done={step == 13}, floats=False, walk=0)")
                _let_pass(stage, 0.05)
            _let_pass(stage, 3.2)
            assert stage.running.command("pet", "nap")["ok"]
            second.shows("pet.actor.player.act == 'asleep'")
            _let_pass(stage, 3.0)
        assert stage.running.command("pet", "reading")["ok"]
        assert second.stop() == 0
    return camera


def streaming(stage: Stage) -> Camera:
    """A reply as it comes in."""
    stage.open_chat(460, 480)
    stage.new_talk()
    text = stage.words.said["half"] + stage.words.said["rest"]
    pieces: list[Piece] = []
    step = 7 if stage.words.language == "en" else 3
    for at in range(0, len(text), step):
        pieces += [text[at : at + step], Pause(0.07)]
    stage.server.queue(stream(*pieces))
    window = stage.chat_window()
    assert window
    camera = _watch(stage, stage.desktop.box(window), stage.desktop.box(stage.pet_window), margin=26)
    stage.composer.fill(stage.words.said["ask"])
    with camera.rolling():
        _let_pass(stage, 0.6)
        stage.composer.press("Enter")
        expect(stage.said.last).to_contain_text(text[-8:])
        expect(stage.page.locator("button.stop")).to_have_count(0)
        _let_pass(stage, 1.5)
    return camera


ALOUD = (
    "The cranes came back this morning. ",
    "Two of them danced by the pond! ",
    "One kept its eye on me all the while. ",
)


def read_aloud(stage: Stage) -> Camera:
    """A reply is read as it comes, by the test voice, which is silent; a click on the pet stops it."""
    assert call_page(stage.page, "change_settings", {"changes": {"read_aloud": True}})["ok"]
    stage.open_chat(400, 420)
    pieces: list[Piece] = [piece for sentence in ALOUD for piece in (sentence, Pause(0.5))]
    window = stage.chat_window()
    assert window
    pet = stage.desktop.box(stage.pet_window)
    camera = _watch(stage, stage.desktop.box(window), pet, margin=20)
    for filmed in (False, True):  # the first question after the start waits for the memory
        stage.new_talk()
        stage.server.queue(stream(*pieces))
        stage.composer.fill("What's new?")
        with camera.rolling() if filmed else contextlib.nullcontext():
            _let_pass(stage, 0.5)
            stage.composer.press("Enter")
            expect(stage.said.last).to_contain_text(ALOUD[-1].strip(), timeout=60_000)
            _let_pass(stage, 1.6)
            stage.desktop.click(*pet.centre)
            expect(stage.page.locator(".paused.aloud")).to_have_count(0)
            _let_pass(stage, 0.5)
        stage.hide_chat()
        _close_bubble(stage)
        stage.open_chat(400, 420)
    assert call_page(stage.page, "change_settings", {"changes": {"read_aloud": False}})["ok"]
    return camera


def memory_switched_off(stage: Stage) -> Camera:
    """Memory is switched off and on again, and the chat says from where on."""
    stage.open_chat(460, 480)
    stage.show_talk("hill")
    memory_mode = stage.page.locator("button.memory-switch[aria-pressed]")
    window = stage.chat_window()
    assert window
    place, box = stage.desktop.box(window), memory_mode.bounding_box()
    assert box
    camera = _watch(stage, place, stage.desktop.box(stage.pet_window), margin=26)
    x, y = place.x + round(box["x"] + box["width"] / 2), place.y + round(box["y"] + box["height"] / 2)
    with camera.rolling():
        _let_pass(stage, 0.8)
        stage.desktop.click(x, y)
        expect(memory_mode).to_have_attribute("aria-pressed", "false")
        _let_pass(stage, 2.4)
        stage.desktop.click(x, y)
        expect(memory_mode).to_have_attribute("aria-pressed", "true")
        _let_pass(stage, 1.6)
    return camera


def corrected(stage: Stage) -> Camera:
    """A sentence about the owner is corrected; its line then says since when and what was before, and where from."""
    assert stage.furnished
    file = stage.furnished.root / "USER.md"
    kept = file.read_text(encoding="utf-8")
    before, after = stage.words.files["user_line"], stage.words.files["user_typed"]
    stage.open_chat(560, 560)
    stage.show_settings("ui.section.us")
    page = stage.page
    page.get_by_role("searchbox").fill(before.split(",")[1].strip())
    line = page.locator(".statement").first
    expect(line).to_be_visible()
    window = stage.chat_window()
    assert window
    camera = _watch(stage, stage.desktop.box(window), stage.desktop.box(stage.pet_window), margin=26)
    with camera.rolling():
        _let_pass(stage, 1.0)
        line.locator("button[aria-haspopup]").click()
        _let_pass(stage, 0.8)
        page.get_by_role("menuitem", name=stage.texts("ui.about.correct")).click()
        field = page.locator(".correction textarea")
        _let_pass(stage, 0.8)
        field.fill(after.removeprefix("- "))
        _let_pass(stage, 0.8)
        page.locator(".correction button.primary").click()
        expect(page.locator(".statement .earlier").first).to_be_visible()
        _let_pass(stage, 1.6)
        page.locator(".statement .sentence").first.click()
        expect(page.locator(".why p")).to_be_visible()
        _let_pass(stage, 2.4)
    file.write_text(kept, encoding="utf-8")
    return camera


READ = (
    "A crane can stand for hours on one leg.",
    "Its tarsus locks by a click of cartilage over a ridge of bone, so that no muscle has to hold it.",
    "Only when it leaves does the joint give way.",
)
PAPER = "#fffdf8"
EXPLAINED = (
    "Its leg has a latch: a bit of cartilage snaps over a bony edge and holds the joint, without any strength."
)


def asked_about(stage: Stage) -> Camera:
    """A sentence is selected in another program, and a shortcut asks about it beside the pet."""
    stage.hide_chat()
    _close_bubble(stage)
    assert call_page(stage.page, "change_settings", {"changes": {"shortcut_ask": "Ctrl+Alt+Q"}})["ok"]
    pet = stage.desktop.box(stage.pet_window)
    with reader(stage.desktop, "Cranes", "\n\n".join(READ)) as window:
        stage.desktop.run("wmctrl", "-i", "-r", str(window), "-e", f"0,{pet.x - 520},{pet.y - 170},-1,-1")
        page = stage.desktop.box(window)
        camera = _watch(stage, page, pet, Box(pet.x - 70, pet.y - 230, 320, 230), margin=20)
        for filmed in (False, True):  # the first question after the start waits for the memory
            with camera.rolling() if filmed else contextlib.nullcontext():
                _let_pass(stage, 0.8)
                stage.desktop.point(page.x + 150, page.y + 115, "click", "--repeat", "3", "--delay", "40", "1")
                _let_pass(stage, 1.0)
                stage.desktop.key("ctrl+alt+q")
                bubble = stage.bubble()
                stage.running.shows("bubble.content.field.quoted")
                _let_pass(stage, 1.6)
                stage.server.queue(stream(EXPLAINED))
                bubble.click(stage.running.ask("bubble.content.choices[0].text"))
                bubble.shows(EXPLAINED[:20])
                _let_pass(stage, 3.2)
            _close_bubble(stage)
    assert call_page(stage.page, "change_settings", {"changes": {"shortcut_ask": ""}})["ok"]
    return camera


def asked_about_copied(stage: Stage) -> Camera:
    """The same on Wayland, where programs see what is copied: mutter, with a portal for the shortcut."""
    with tempfile.TemporaryDirectory(prefix="soulpet-film-") as folder, open_compositor("mutter") as desktop:
        write_settings(Path(folder), 'shortcut_ask = "Ctrl+Alt+Q"\ntheme = "light"\n')
        with (
            reader(desktop, "Cranes", "\n\n".join(READ)),
            talking(desktop, Path(folder), stage.playwright) as (pet, server, _conversation),
        ):
            portal = FakePortal(desktop.variables)
            wait_for("the shortcut", lambda: portal.named("BindShortcuts"))
            wait_for("the page", lambda: desktop.pixel(400, 350) == PAPER)
            desktop.point(300, 38, "mousedown", "1")  # its title: only a hand moves windows of Wayland
            for step in range(1, 13):
                desktop.point(300 + step * 32, 38 + step * 27)
            desktop.hands_on("xdotool", "mouseup", "1")
            wait_for("the page beside the pet", lambda: desktop.pixel(980, 680) == PAPER)
            camera = Camera(desktop.host, Box(540, 300, 740, 500))
            for filmed in (False, True):
                with camera.rolling() if filmed else contextlib.nullcontext():
                    _let_pass(stage, 0.8)
                    desktop.point(710, 468, "click", "--repeat", "3", "--delay", "40", "1")
                    desktop.key("ctrl+c")
                    _let_pass(stage, 1.0)
                    portal.press("ask")
                    bubble = seen(pet)
                    pet.shows("bubble.content.field.quoted")
                    _let_pass(stage, 1.8)
                    server.queue(stream(EXPLAINED))
                    bubble.click(pet.ask("bubble.content.choices[0].text"))
                    bubble.shows(EXPLAINED[:20])
                    _let_pass(stage, 3.2)
                    bubble.click(stage.texts("bubble.close"))
            portal.end()
    return camera


def _let_pass(stage: Stage, seconds: float) -> None:
    """Not a wait for anything: so long is the film."""
    stage.page.wait_for_timeout(seconds * 1000)


FILMS = (
    Film(name="film-alive", caption="Its idle life, three times as fast.", width=260, shoot=alive),
    Film(
        name="film-ask",
        caption="A sentence is selected anywhere, and a shortcut asks about it. Off until you set it.",
        width=640,
        shoot=asked_about,
    ),
    Film(
        name="film-ask-wayland",
        caption="On Wayland (mutter here) it asks about what is copied, and says so.",
        width=480,
        shoot=asked_about_copied,
    ),
    Film(name="film-poked", caption="At rest, poked, and glad about a kind word.", width=244, shoot=poked),
    Film(name="film-carried", caption="Carried over the desktop.", width=480, shoot=carried),
    Film(
        name="film-weight",
        caption="Let go it falls, stands on windows, goes along with them, and walks.",
        width=560,
        shoot=weight,
    ),
    Film(
        name="film-afternoon",
        caption="An ordinary afternoon: its ball, a window, a trip, its cushion.",
        width=640,
        shoot=afternoon,
    ),
    Film(
        name="film-two-pets",
        caption="Two pets, each its own program: they greet, and one lies down beside the other.",
        width=420,
        shoot=two_pets,
    ),
    Film(name="film-streaming", caption="A reply comes in.", width=640, shoot=streaming),
    Film(
        name="film-aloud",
        caption="It reads a reply aloud while that comes, and a click stops it. (Films have no sound.)",
        width=400,
        shoot=read_aloud,
    ),
    Film(name="film-memory", caption="Memory goes off, then on again.", width=640, shoot=memory_switched_off),
    Film(
        name="film-correction",
        caption="A sentence is corrected, and keeps its past and where it comes from.",
        width=640,
        shoot=corrected,
    ),
)

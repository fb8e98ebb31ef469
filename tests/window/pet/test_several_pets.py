"""Several pets on a real desktop, each a program of its own: coming, going, taking another's place, and who leads."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from PIL import Image, ImageChops
from playwright.sync_api import Playwright, expect
from Xlib import X

from pet.bridge.channel import NotListening
from pet.bridge.commands.lifecycle import LifecycleCommands, Status
from pet.bridge.commands.pets import PetCommands
from pet.bridge.dispatch import CommandFailed
from pet.bridge.socket_server import RunningPet
from pet.extras.several_pets.commands import CompanyCommands
from pet.paths import find_home
from pet.services.home import open_pets
from pet.settings.program_state import JsonState
from tests.support.desktop.xvfb import (
    Box,
    Desktop,
    Running,
    call_page,
    open_desktop,
    selection_owned,
    start_pet,
    wait_for,
)
from tests.support.files import write_files
from tests.support.pet_windows.bubbles import move_pet
from tests.support.pet_windows.menus import choose, ready_to_click
from tests.support.pet_windows.places import last_monitor, remembered
from tests.support.pet_windows.windows import T, model_environ
from tests.support.program.listening import once_listening
from tests.support.program.silence import silent
from tests.support.servers.protocol_replies import Hold, stream
from tests.support.servers.protocol_server import ProtocolServer

pytestmark = pytest.mark.window

PET = "Soulpet"
COMMAND = (sys.executable, "-m", "pet")


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desktop]:
    """Return a desktop of its own with a tray, whose sockets this process finds."""
    with open_desktop() as opened:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(opened.folder))
        opened.spawn(sys.executable, "-m", "tests.support.desktop.tray")
        wait_for("the tray", lambda: selection_owned(opened, "_NET_SYSTEM_TRAY_S0"))
        yield opened


@contextlib.contextmanager
def started(
    screen: Desktop,
    home: Path,
    *,
    company: tuple[str, ...] = (),
    debug: bool = False,
    environ: Mapping[str, str] | None = None,
    command: tuple[str, ...] = COMMAND,
) -> Iterator[Running]:
    pets = open_pets(find_home(home))
    if not (home / "data" / "pets").exists():
        for name in ("Mochi", "Biscuit", "Clover"):
            pets.create(name, "en")
        state = {"welcome": 0, "pet": "mochi", "company": list(company)}
        state |= {f"met.{each}": ["2026-01-01"] for each in ("mochi", "biscuit", "clover")}
        (home / "state").mkdir(parents=True, exist_ok=True)
        (home / "state" / "state.json").write_text(json.dumps(state))
    with start_pet(screen, home, command=command, debug=debug, environ=environ) as running:
        yield running


def status(home: Path, pet: str = "") -> Status | None:
    """Return the status of a pet's own program, by default of the one that leads."""
    with contextlib.suppress(CommandFailed, NotListening):
        return RunningPet(find_home(home), pet=pet).call(LifecycleCommands.get_status)
    return None


def program_of(home: Path, pet: str) -> int:
    """Return the process of a pet once it listens."""
    return wait_for(pet, lambda: status(home, pet), 240).pid


def box_of(screen: Desktop, pid: int) -> Box:
    return screen.box(wait_for("its window", lambda: screen.window(pid, PET)))


def stored(home: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((home / "state" / "state.json").read_text())
    return {name: found.get(name) for name in ("pet", "company")}


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def lead_of(home: Path) -> str:
    leads = status(home)
    return leads.pet if leads is not None else ""


def test_a_pet_comes_too_from_the_menu_and_both_come_at_the_next_start(screen: Desktop, home: Path) -> None:
    with started(screen, home) as pet:
        program_of(home, "mochi")
        wait_for("the icon", lambda: screen.pixel(16, 20) != "#ffffff")
        box = ready_to_click(pet, PET)
        choose(screen, box.centre, "e", "p", "Down", "Down", "Down", "Return")
        other = program_of(home, "biscuit")
        beside = box_of(screen, other)
        assert beside.x + beside.width <= box.x
        assert stored(home) == {"pet": "mochi", "company": ["biscuit"]}
        assert lead_of(home) == "mochi"
        assert pet.stop() == 0
        wait_for("both to end", lambda: gone(other))
    with started(screen, home) as pet:
        other = program_of(home, "biscuit")
        assert box_of(screen, other) == beside
        RunningPet(find_home(home), pet="biscuit").call(CompanyCommands.dismiss_pet)
        wait_for("its end", lambda: gone(other))
        wait_for("that it is not awaited", lambda: stored(home) == {"pet": "mochi", "company": []})
        assert pet.stop() == 0


def test_a_switch_brings_the_other_to_the_same_place_and_to_the_lead(screen: Desktop, home: Path) -> None:
    with started(screen, home, company=("biscuit",)) as pet:
        other = program_of(home, "biscuit")
        box = box_of(screen, pet.pid)
        once_listening(lambda: RunningPet(find_home(home)).call(LifecycleCommands.show_pet))
        pet.window("Mochi · Soulpet chat")
        RunningPet(find_home(home)).call(PetCommands.switch_pet, pet="clover")
        third = program_of(home, "clover")
        wait_for("its chat", lambda: screen.window(third, "Clover · Soulpet chat"))
        wait_for("the end of the first", lambda: pet.process.poll() is not None)
        wait_for("the lead", lambda: lead_of(home) == "clover")
        assert box_of(screen, third) == box
        assert stored(home) == {"pet": "clover", "company": ["biscuit"]}
        os.kill(third, signal.SIGKILL)  # nobody told the others
        wait_for("the next one to lead", lambda: lead_of(home) == "biscuit")
        assert stored(home) == {"pet": "clover", "company": ["biscuit"]}
        os.kill(other, signal.SIGTERM)
        wait_for("its end", lambda: gone(other))


def noting(running: Running) -> None:
    """Let the pet note what it does from now on, and wait until it is idle."""
    running.shows("pet is not None")
    running.ask("note_acts()")
    at_rest(running)


def at_rest(running: Running) -> None:
    running.shows("pet.actor.player.act == 'idle'")


def test_two_pets_greet_each_other_and_sleep_side_by_side(screen: Desktop, home: Path) -> None:
    screen.point(5, 5)
    with started(screen, home, debug=True) as pet:
        program_of(home, "mochi")
        noting(pet)
        move_pet(pet, -8, 0)
        monitor = wait_for("its place on disk", lambda: last_monitor(home))
        here = remembered(home)["pet"][monitor]
        far = {**here, "at": [here["at"][0] - 900, here["at"][1]]}
        JsonState(find_home(home).windows_file).update({"pet.biscuit": {monitor: far}, "monitor.biscuit": monitor})
        comes = start_pet(screen, home, command=(*COMMAND, "--pet", "biscuit"), environ={"SOULPET_COMES": "-"})
        with comes as other:
            program_of(home, "biscuit")
            noting(other)
            wait_for("its place", lambda: box_of(screen, other.pid).x == box_of(screen, pet.pid).x - 900)
            for each in (pet, other):
                assert each.command("pet", "reading")["ok"]  # it does not nap by itself
                each.shows("'wave' in pet.acts")  # its greeting at the start
                at_rest(each)
            move_pet(other, 790, 0)
            for each in (pet, other):
                each.shows("'nod' in pet.acts")
                at_rest(each)
            assert pet.command("pet", "nap")["ok"]
            for each in (pet, other):
                each.shows("pet.actor.player.act == 'asleep' and 'leans' in state()")
            assert pet.command("pet", "reading")["ok"]
            for each, act in ((pet, "idle"), (other, "asleep")):
                each.shows(f"pet.actor.player.act == {act!r} and 'leans' not in state()")
            assert other.stop() == 0
        assert pet.stop() == 0


def ask(running: Running, playwright: Playwright, server: ProtocolServer, text: str) -> None:
    """Send a message from the chat's page and wait for the reply."""
    page = running.page(running.attach(playwright), "chat.html")
    server.queue(stream(f"An answer to {text}."))
    composer = page.get_by_role("textbox", name=T("ui.composer.label"))
    composer.fill(text)
    composer.press("Enter")
    expect(page.locator(".pet-reply .bubble").last).to_contain_text(f"An answer to {text}.")


def test_nothing_of_a_pet_is_in_a_request_of_the_other(screen: Desktop, home: Path, playwright: Playwright) -> None:
    """Two real programs, each with a model server of its own, which gets all that is sent."""
    screen.point(5, 5)
    with ProtocolServer() as first, ProtocolServer() as second:
        with started(screen, home, debug=True, environ=model_environ(first)) as pet:
            program_of(home, "mochi")
            for name in ("mochi", "biscuit"):
                log = f"# Memory Log: 2026-11-20\n\n## [08:00:00] fact\ncanary-{name} in the diary\n"
                files = {file: f"- canary-{name} in {file}\n" for file in ("USER.md", "MEMORY.md")}
                write_files(find_home(home).workspace(name), {**files, "memory/2026-11-20.md": log})
            comes = start_pet(
                screen,
                home,
                command=(*COMMAND, "--pet", "biscuit"),
                environ={**model_environ(second), "SOULPET_COMES": "-"},
            )
            with comes as other:
                program_of(home, "biscuit")
                noting(other)
                noting(pet)
                ask(pet, playwright, first, "where is the canary-mochi of the diary")
                ask(other, playwright, second, "where is the canary-biscuit of the diary")
                pet.ask("pet.acts.clear()")
                move_pet(other, 20, 0)
                pet.shows("pet.acts")  # it noticed
                ask(pet, playwright, first, "and what else of canary-mochi")
                ask(other, playwright, second, "and what else of canary-biscuit")
                assert other.stop() == 0
            assert pet.stop() == 0
        sent = {"mochi": first, "biscuit": second}
        for name, server in sent.items():
            content = "".join(map(repr, server.requests))
            assert f"canary-{name} in USER.md" in content and f"canary-{name} in MEMORY.md" in content
            assert not [each for each in sent if each != name and f"canary-{each}" in content]
        logs = [file.read_text(errors="replace") for file in find_home(home).log.rglob("*.log")]
        assert logs and not any("canary" in each for each in logs)


@contextlib.contextmanager
def coming(pet: Running, name: str) -> Iterator[psutil.Process]:
    """Stop the program of a pet that has just been started by this one's, and let it go on at the end."""

    def look() -> psutil.Process | None:
        children = psutil.Process(pet.pid).children()
        return next((each for each in children if each.cmdline()[-2:] == ["--pet", name]), None)

    child = wait_for("the other program", look)
    child.suspend()
    try:
        yield child
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            child.resume()


def switch(home: Path, to: str, of: str = "") -> None:
    """Order a switch of the program that leads, or of a pet's own."""
    RunningPet(find_home(home), pet=of).call(PetCommands.switch_pet, pet=to)


def end(home: Path, pet: str) -> None:
    pid = program_of(home, pet)
    os.kill(pid, signal.SIGTERM)
    wait_for("its end", lambda: gone(pid))


REPLACED = "worn() == 'biscuit'"


@contextlib.contextmanager
def beside_a_known_body(screen: Desktop, home: Path) -> Iterator[Running]:
    """Start Mochi, whose program knows Biscuit's body."""
    JsonState(find_home(home).windows_file).update({"bodies": {"biscuit": "soulpet/biscuit"}})
    with started(screen, home, debug=True) as pet:
        program_of(home, "mochi")
        noting(pet)
        yield pet


def test_a_double_click_on_a_pet_that_is_still_coming_opens_its_chat(screen: Desktop, home: Path) -> None:
    with beside_a_known_body(screen, home) as pet:
        box = ready_to_click(pet, PET)
        switch(home, "biscuit")
        with coming(pet, "biscuit"):
            pet.shows(REPLACED)
            screen.double_click(box)
        other = program_of(home, "biscuit")
        wait_for("its chat", lambda: screen.window(other, "Biscuit · Soulpet chat"))
        wait_for("the end of the first", lambda: pet.process.poll() is not None)
        end(home, "biscuit")


def test_without_a_chat_a_pet_takes_the_place_of_another_once_it_is_drawn(screen: Desktop, home: Path) -> None:
    with started(screen, home, command=(sys.executable, "-m", "tests.window.programs.drawn_pet")) as pet:
        program_of(home, "mochi")
        switch(home, "biscuit")
        wait_for("the end of the first", lambda: pet.process.poll() is not None)
        end(home, "biscuit")


def test_a_pet_stays_and_says_so_if_the_other_could_not_come(
    screen: Desktop, home: Path, playwright: Playwright
) -> None:
    with beside_a_known_body(screen, home) as pet:
        chat = pet.page(pet.attach(playwright), "chat.html")
        switch(home, "biscuit")
        with coming(pet, "biscuit") as child:
            pet.shows(REPLACED)
            child.kill()
        pet.shows(f"not ({REPLACED})")
        expect(chat.get_by_role("alert")).to_contain_text(T("error.pet_did_not_come", name="Biscuit"))
        pet.window("Mochi · Soulpet chat")
        assert pet.stop() == 0


def test_of_two_switches_the_last_one_counts_and_the_way_back_is_open_at_once(screen: Desktop, home: Path) -> None:
    with started(screen, home) as pet:
        program_of(home, "mochi")
        switch(home, "biscuit")
        with coming(pet, "biscuit") as child:
            switch(home, "clover")
        wait_for("the end of the one in between", lambda: gone(child.pid))
        third = program_of(home, "clover")
        switch(home, "mochi", of="clover")  # while the first is there or ends
        wait_for("the end of the first", lambda: pet.process.poll() is not None)
        wait_for("the end of the third", lambda: gone(third))
        again = program_of(home, "mochi")
        assert again != pet.pid and lead_of(home) == "mochi"
        assert stored(home) == {"pet": "mochi", "company": []}
        end(home, "mochi")


def test_a_switch_to_a_pet_that_is_there_lets_this_one_go(
    screen: Desktop, home: Path, playwright: Playwright
) -> None:
    with started(screen, home, company=("biscuit",), debug=True) as pet:
        other = program_of(home, "biscuit")
        page = pet.page(pet.attach(playwright), "chat.html")
        wait_for("it to be known", lambda: any(at["beside"] for at in call_page(page, "list_pets")["value"]["pets"]))
        switch(home, "biscuit")
        wait_for("the end of the first", lambda: pet.process.poll() is not None)
        wait_for("the lead", lambda: lead_of(home) == "biscuit")
        assert (program_of(home, "biscuit"), stored(home)) == (other, {"pet": "biscuit", "company": []})
        end(home, "biscuit")


def test_a_reply_that_runs_during_a_switch_is_kept_as_far_as_it_came(
    screen: Desktop, home: Path, playwright: Playwright
) -> None:
    with ProtocolServer() as server, started(screen, home, debug=True, environ=model_environ(server)) as pet:
        program_of(home, "mochi")
        page = pet.page(pet.attach(playwright), "chat.html")
        server.queue(stream("Once upon a time", Hold("reply"), " there was more."))
        composer = page.get_by_role("textbox", name=T("ui.composer.label"))
        composer.fill("tell me a story")
        composer.press("Enter")
        expect(page.locator(".pet-reply .bubble").last).to_contain_text("Once upon a time")
        switch(home, "biscuit")
        wait_for("the end of the first", lambda: pet.process.poll() is not None, 240)
        talks = (find_home(home).workspace("mochi") / "conversations").glob("*.jsonl")
        assert any("Once upon a time" in each.read_text() for each in talks)
        end(home, "biscuit")


def test_a_reminder_that_comes_due_during_a_switch_is_shown_when_its_pet_is_back(screen: Desktop, home: Path) -> None:
    settings = home / "config" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(silent("reminder_bubbles = true\n"))
    with started(screen, home, debug=True) as pet:
        program_of(home, "mochi")
        noting(pet)
        switch(home, "biscuit")
        with coming(pet, "biscuit"):
            log = "# Memory Log: 2026-11-20\n\n## [08:00:00] todo @2026-11-21\nWater the ferns\n"
            write_files(find_home(home).workspace("mochi"), {"memory/2026-11-20.md": log})
            wait_for("that it is due", lambda: pet.command("pet", "get_skin")["value"]["life"]["holds"])
        wait_for("the end of the first", lambda: pet.process.poll() is not None)
        switch(home, "mochi", of="biscuit")
        again = program_of(home, "mochi")
        wait_for("the reminder", lambda: screen.window(again, T("shell.title_bubble")))
        end(home, "mochi")


@contextlib.contextmanager
def watched(screen: Desktop, *boxes: Box) -> Iterator[list[list[tuple[float, bool]]]]:
    """Note how each part of the screen looks, frame by frame as fast as they can be read."""
    seen: list[list[tuple[float, bool]]] = []
    done = threading.Event()

    def watch() -> None:
        with screen.connection() as display:
            root = display.screen().root
            while not done.wait(0.03):
                seen.append([look_of(root, box) for box in boxes])

    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        try:
            wait_for("a frame", lambda: seen)
            yield seen
            before = len(seen)
            wait_for("the last frames", lambda: watching.done() or len(seen) > before + 10)
        finally:
            done.set()
    watching.result()


def look_of(root: Any, box: Box) -> tuple[float, bool]:
    """Return the share of pixels that are white or cream, and whether all have one colour."""
    raw = root.get_image(box.x, box.y, box.width, box.height, X.ZPixmap, 0xFFFFFFFF)
    picture = Image.frombytes("RGB", (box.width, box.height), raw.data, "raw", "BGRX")
    red, green, blue = picture.split()
    darkest = ImageChops.darker(ImageChops.darker(red, green), blue).histogram()
    return sum(darkest[225:]) / (box.width * box.height), picture.getcolors(1) is not None


def test_a_switch_in_the_dark_shows_no_white_frame_and_no_empty_chat(screen: Desktop, home: Path) -> None:
    screen.run("hsetroot", "-solid", "#20242a")
    settings = home / "config" / "settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(silent("") + 'theme = "dark"\n')
    with started(screen, home) as pet:
        program_of(home, "mochi")
        once_listening(lambda: RunningPet(find_home(home)).call(LifecycleCommands.show_pet))
        boxes = screen.box(pet.window("Mochi · Soulpet chat")), box_of(screen, pet.pid)
        with screen.connection() as display:
            wait_for("what its chat shows", lambda: not look_of(display.screen().root, boxes[0])[1])
        with watched(screen, *boxes) as seen:
            RunningPet(find_home(home)).call(PetCommands.switch_pet, pet="biscuit")
            other = program_of(home, "biscuit")
            wait_for("its chat", lambda: screen.window(other, "Biscuit · Soulpet chat"))
            wait_for("the end of the first", lambda: pet.process.poll() is not None)
        os.kill(other, signal.SIGTERM)
        wait_for("its end", lambda: gone(other))
    empty = [number for number, frame in enumerate(seen) if frame[0][1]]
    assert not empty, f"the chat is empty in {empty} of {len(seen)} frames"
    chat, body = (max(share for share, _ in part) for part in zip(*seen, strict=True))
    assert chat < 0.1 and body < 0.5, f"{chat:.0%} of the chat, {body:.0%} of the pet in one of {len(seen)} frames"

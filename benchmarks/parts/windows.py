"""The real pet on a separate desktop: start, memory, idle cost, opening the chat, text on its way to the page."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.idle_life import cost
from benchmarks.instruments import bare_page
from benchmarks.instruments.figures import Figure, median, percentile
from benchmarks.instruments.paced import PacedServer
from benchmarks.instruments.processes import busy, cpu_ms, cpu_percent, parents, pss_mib, renderers
from benchmarks.instruments.screen import Screen
from benchmarks.parts.conversations import write
from pet.app import Pet
from pet.bridge.channel import NotListening
from pet.bridge.commands.lifecycle import LifecycleCommands
from pet.bridge.dispatch import CommandFailed
from pet.bridge.socket_server import RunningPet
from pet.paths import Home, find_home
from pet.services.home import open_pets
from pet.settings.program_state import JsonState
from tests.support.desktop.xvfb import Desktop, Running, call_page, open_desktop, start_pet, wait_for
from tests.support.pet_windows.bubbles import ready, write_settings

_SETTLED = 8.0  # seconds after the start at which memory is counted
_RESTED = 180.0  # and again, the chat not opened
_BUSY_LOOPS = 2
_CALM_SECONDS = 5.0
_CPU_SECONDS = 12.0
_LIFE_SECONDS = 60.0  # of its idle life; benchmarks.idle_life takes ten minutes
_OPENINGS = 7
_PER_SECOND = 500
_EVENTS = 3000
_WATCHED_SECONDS = 3.0  # after the shortcut
_CHAT = "Mochi · Soulpet chat"
_SAMPLED, _CARET = 148, 0.002  # each so many bytes; share of them that a caret changes
_UNSEEN = (sys.executable, "-m", "tests.window.programs.unseen_pet")
_BARE = (sys.executable, "-m", "benchmarks.instruments.bare_page")
_TURNS = 10  # of a conversation that is opened again
_AT_REST = 10.0  # % of a core
_PETS = ("Mochi", "Biscuit", "Clover")

# Keeps times of the wall clock in seconds, as Python's time.time().
_WATCH_TEXT = """() => {
  window.__seen = [];
  let last = -1;
  new MutationObserver((records) => {
    const now = (performance.timeOrigin + performance.now()) / 1000;
    const text = records.map((r) => r.type === "characterData" ? r.target.data
      : [...r.addedNodes].map((n) => n.textContent).join(" ")).join(" ");
    let newest = last;
    for (const [word] of text.matchAll(/\\d{4,}(?=\\s)/g)) newest = Math.max(newest, Number(word));
    if (newest > last) { last = newest; window.__seen.push([now, newest]); }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def measure(folder: Path, *, rounds: int, say: Callable[[str], None]) -> list[Figure]:
    figures: list[Figure] = []
    for compositor in (True, False):
        with open_desktop(compositor=compositor) as desktop:
            figures += _starts(desktop, folder, rounds, "" if compositor else ", no compositor", say)
    with open_desktop() as desktop:
        screen = Screen(desktop.display)
        say("idle")
        figures += _idle(desktop, folder)
        say("further pets")
        figures.append(_further_pets(desktop, folder / "pets"))
        say("chat, the first time and later")
        figures += _chat(desktop, screen, folder, rounds)
        say("text")
        figures += _text(desktop, folder)
        say("memory after the chat")
        figures.append(_memory_after_chat(desktop, screen, folder))
        say("chat by shortcut")
        figures += _reopened(desktop, screen, folder / "reopened", 0)
        figures += _reopened(desktop, screen, folder / "reopened_conversation", _TURNS)
        screen.close()
    return figures


# --- start and memory -----------------------------------------------------------------------------


def _starts(desktop: Desktop, folder: Path, rounds: int, where: str, say: Callable[[str], None]) -> list[Figure]:
    """Quiet and beside busy loops, and the memory once it has rested. ``where``: of the figures' names."""
    screen = Screen(desktop.display)
    say(f"start and memory{where}")
    figures = _start_and_memory(desktop, screen, folder, rounds, where)
    say(f"start and memory beside {_BUSY_LOOPS} busy loops{where}")
    with busy(_BUSY_LOOPS):
        figures += _start_and_memory(desktop, screen, folder, rounds, f", {_BUSY_LOOPS} busy loops{where}")
    say(f"memory after {_RESTED:.0f} s{where}")
    figures.append(_memory_at_rest(desktop, screen, folder, where))
    screen.close()
    return figures


def _memory_at_rest(desktop: Desktop, screen: Screen, folder: Path, where: str) -> Figure:
    pet, bare = (_once(screen, _starter(desktop, folder, name), _RESTED)[1] for name in ("rest", "bare"))
    return Figure(
        name=f"memory (PSS) {_RESTED:.0f} s after the start, chat not opened{where}",
        value=pet,
        unit="MiB",
        reach="ratio 0.35",
        baseline=bare,
        baseline_name=_PAGE,
    )


_PAGE = "bare page"


def _start_and_memory(desktop: Desktop, screen: Screen, folder: Path, rounds: int, where: str) -> list[Figure]:
    pet: list[tuple[float, float]] = []
    bare: list[tuple[float, float]] = []
    for _ in range(rounds + 1):  # by turns, so that both meet the same machine
        pet.append(_once(screen, _starter(desktop, folder, "start")))
        bare.append(_once(screen, _starter(desktop, folder, "bare")))
    del pet[0], bare[0]  # the first start of each reads the disk and compiles
    return _beside_bare(
        pet,
        bare,
        (f"start to first paint{where}", "s", "ratio 0.5"),
        (f"memory (PSS) {_SETTLED:.0f} s after the start{where}", "MiB", "ratio 0.35"),
    )


def _beside_bare(
    ours: Sequence[tuple[float, ...]], bare: Sequence[tuple[float, ...]], *rows: tuple[str, str, str]
) -> list[Figure]:
    """Return the medians of runs by turns with a bare page. ``rows``: name, unit and aim of each value of a run."""
    return [
        Figure(
            name=name,
            value=median(run[at] for run in ours),
            unit=unit,
            reach=reach,
            baseline=median(run[at] for run in bare),
            baseline_name=_PAGE,
        )
        for at, (name, unit, reach) in enumerate(rows)
    ]


def _starter(
    desktop: Desktop,
    folder: Path,
    name: str,
    command: Sequence[str] = (sys.executable, "-m", "pet"),
    *,
    inspected: bool = False,
) -> Callable[[], AbstractContextManager[Running]]:
    """Return what starts the pet, or the bare page: both from compiled modules, as an installed program is. Only what
    must be asked is ``inspected``, which imports Qt and half of the pet first, also for the bare page."""
    environ = {
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(_own_web_view(folder)), os.environ.get("PYTHONPATH")))),
    }
    started = _BARE if name == "bare" else command
    return lambda: start_pet(
        desktop, folder / name, command=started, debug=False, environ=environ, inspected=inspected
    )


def _own_web_view(folder: Path) -> Path:
    """Copy the web view once: PSS would count less of libraries that another program shares."""
    copied = folder / "web_view"
    if not copied.exists():
        for name in ("PySide6", "shiboken6"):
            spec = find_spec(name)
            assert spec is not None, f"{name} is not installed"
            assert spec.origin is not None
            shutil.copytree(
                Path(spec.origin).parent, copied / name, ignore=shutil.ignore_patterns("qml", "metatypes")
            )
    return copied


def _once(
    screen: Screen, start: Callable[[], AbstractContextManager[Running]], settled: float = _SETTLED
) -> tuple[float, float]:
    """Return the seconds to the first paint, and the MiB ``settled`` seconds after the start."""
    started = time.monotonic()
    with start() as running:
        wait_for("the first paint", lambda: screen.painted(running.pid))
        painted = time.monotonic() - started
        time.sleep(max(0.0, started + settled - time.monotonic()))
        return painted, pss_mib(running.pid)


# --- idle -----------------------------------------------------------------------------------------


def _idle(desktop: Desktop, folder: Path) -> list[Figure]:
    with start_pet(desktop, folder / "idle", debug=False, inspected=False) as pet:
        window = pet.window("Soulpet")
        time.sleep(_CALM_SECONDS)
        seen = cost("seen", pet.pid, _LIFE_SECONDS)
        desktop.run("xdotool", "windowunmap", str(window))
        time.sleep(1.0)
        hidden = cost("hidden", pet.pid, _CPU_SECONDS)
    return [
        Figure(name="idle and awake, pet visible", value=seen.cpu, unit="% of a core", reach="0.3 %"),
        Figure(name="... wake-ups", value=seen.wakeups, unit="a second", reach="20"),
        Figure(name="idle, pet hidden", value=hidden.cpu, unit="% of a core", reach="none"),
        Figure(name="... wake-ups", value=hidden.wakeups, unit="a second"),
    ]


# --- several pets ---------------------------------------------------------------------------------


def _further_pets(desktop: Desktop, home: Path) -> Figure:
    """Memory of each pet but the first, chats not opened."""
    found = find_home(home)
    known = open_pets(found)
    ids = [known.create(name, "en") for name in _PETS]
    state = {"welcome": 0, "pet": ids[0], **{f"met.{each}": ["2026-01-01"] for each in ids}}
    write_settings(home, "")
    found.state_file.parent.mkdir(parents=True, exist_ok=True)
    used: list[float] = []
    for company in ([], ids[1:]):
        found.state_file.write_text(json.dumps({**state, "company": company}))
        with start_pet(desktop, home, debug=False, inspected=False) as pet:
            pids = {pet.pid, *(_program_of(found, each) for each in company)}
            time.sleep(_SETTLED)
            used.append(sum(pss_mib(pid) for pid in pids if not pids & {each.pid for each in parents(pid)}))
    return Figure(
        name=f"each further pet, {_SETTLED:.0f} s after the last was there",
        value=(used[1] - used[0]) / len(ids[1:]),
        unit="MiB",
        reach="80 MiB",
        baseline=used[0],
        baseline_name="one pet",
    )


def _program_of(home: Home, pet: str) -> int:
    def listening() -> int | None:
        with contextlib.suppress(CommandFailed, NotListening):
            return RunningPet(home, pet=pet).call(LifecycleCommands.get_status).pid
        return None

    return wait_for(pet, listening)


# --- the chat -------------------------------------------------------------------------------------


def _chat(desktop: Desktop, screen: Screen, folder: Path, rounds: int) -> list[Figure]:
    first: list[float] = []
    later: list[float] = []
    bare: list[float] = []
    for _ in range(rounds + 1):  # by turns, so that both meet the same machine
        bare.append(1000 * _once(screen, _starter(desktop, folder, "bare"), 0.0)[0])
        with _starter(desktop, folder, "opened", inspected=True)() as pet:
            wait_for("the first paint", partial(screen.painted, pet.pid))
            ready(pet)
            wait_for("rest", partial(_rests, pet.pid))
            times = [_opened_by_pointer(desktop, screen, pet) for _ in range(_OPENINGS)]
        first.append(times[0])
        later += times[1:]
    del first[0], bare[0]  # the first start of each reads the disk and compiles
    return [
        Figure(
            name="pointer on the pet and double click to a composer that takes keys, first time",
            value=median(first),
            unit="ms",
            reach="baseline and 200 ms",
            baseline=median(bare),
            baseline_name="bare page, start to first paint",
        ),
        Figure(name="... later", value=median(later), unit="ms", reach="100 ms"),
        Figure(name="... the slowest of them", value=max(later), unit="ms"),
    ]


def _opened_by_pointer(desktop: Desktop, screen: Screen, pet: Running) -> float:
    """Return the milliseconds from the second mouse-up, the pointer having come right before the first click. Hides
    the chat again."""
    pet.ask("note_keys()")
    clicked = screen.double_click(*desktop.box(pet.window("Soulpet")).centre)
    took = 1000 * (float(pet.shows("keys_at()")) - clicked)
    pet.ask("order('toggle_chat')")
    pet.no_window(_CHAT)
    screen.move(0, 0)
    time.sleep(1.0)  # else the next double-click counts as the same one's end
    return took


def _text(desktop: Desktop, folder: Path) -> list[Figure]:
    with PacedServer(per_second=_PER_SECOND, events=_EVENTS) as server, sync_playwright() as playwright:
        environ = {"ANTHROPIC_BASE_URL": server.url, "PET_MODEL": "paced"}
        with start_pet(desktop, folder / "chat", environ=environ) as pet:
            delays = _delays(pet.page(pet.attach(playwright), "chat.html"), server)
    return [
        Figure(name=f"event to text at {_PER_SECOND}/s, median", value=median(delays), unit="ms", reach="20 ms"),
        Figure(name="... 99 of 100", value=percentile(delays, 0.99), unit="ms", reach="50 ms"),
    ]


def _memory_after_chat(desktop: Desktop, screen: Screen, folder: Path) -> Figure:
    """Memory once the page of a chat that was opened and hidden again was dropped."""
    with _starter(desktop, folder, "after_chat", _UNSEEN, inspected=True)() as pet:
        ready(pet)
        _opened_by_pointer(desktop, screen, pet)
        wait_for("its page dropped", lambda: not renderers(pet.pid))
        time.sleep(_SETTLED)
        used = pss_mib(pet.pid)
    bare = _once(screen, _starter(desktop, folder, "bare"))[1]
    return Figure(
        name="memory (PSS) after the chat's page was dropped",
        value=used,
        unit="MiB",
        reach="ratio 0.5",
        baseline=bare,
        baseline_name=_PAGE,
    )


def _reopened(desktop: Desktop, screen: Screen, home: Path, turns: int) -> list[Figure]:
    """Of a chat unseen for long: from the shortcut to the keyboard, and to its picture's last change; by turns with a
    bare page that was let go. ``turns``: of the conversation in front."""
    write_settings(home, 'shortcut_chat = "Ctrl+Alt+M"\n')
    if turns:
        _with_conversation(home, turns)
    chat: list[tuple[float, float, float]] = []
    bare: list[tuple[float, float, float]] = []
    with (
        start_pet(desktop, home, command=_UNSEEN, debug=False) as pet,
        start_pet(desktop, home.with_suffix(".bare"), command=(*_BARE, "reopened"), debug=False) as page,
    ):
        page.window(bare_page.TITLE)
        pet.window("Soulpet")
        wait_for("the chat", lambda: _pressed(screen) and desktop.window(pet.pid, _CHAT) is not None)
        wait_for("rest", partial(_rests, pet.pid))  # its search has read the conversation
        for _ in range(_OPENINGS):
            os.kill(page.pid, signal.SIGUSR2)
            screen.press("m")
            wait_for("its page dropped", lambda: not renderers(pet.pid))
            wait_for("the bare page let go", lambda: not renderers(page.pid))
            time.sleep(0.5)
            chat.append(_opened(screen, pet.pid, _CHAT, lambda: screen.press("m")))
            bare.append(_opened(screen, page.pid, bare_page.TITLE, partial(_signalled, page.pid)))
    where = f", {turns} turns in front" if turns else ""
    return _beside_bare(
        chat,
        bare,
        (f"chat by shortcut, unseen for an hour{where}: to the keyboard", "ms", ""),
        ("... to its last change", "ms", "400 ms"),
        (f"... processor time within {_WATCHED_SECONDS:.0f} s", "ms CPU", ""),
    )


def _with_conversation(home: Path, turns: int) -> None:
    place = find_home(home)
    Pet(place, environ={}).close()  # makes the pet
    pet = next((home / "data" / "pets").iterdir())
    write(pet / "conversations", "Talk", turns)
    (file,) = (pet / "conversations").glob("*.jsonl")
    JsonState(place.tabs_file).update(
        {f"tabs.{pet.name}": [{"conversation": file.stem}], f"active.{pet.name}": file.stem}
    )


def _opened(screen: Screen, pid: int, title: str, act: Callable[[], float]) -> tuple[float, float, float]:
    """Return the milliseconds from what opens it to the keyboard, to its last change, and of the processor."""
    before = cpu_ms(pid)
    acted = act()
    shown, frames = screen.watch(pid, title, acted + _WATCHED_SECONDS)
    spent = cpu_ms(pid) - before
    return 1000 * (shown - acted), 1000 * (max(at for at, _ in _changes(frames)) - acted), spent


def _signalled(pid: int) -> float:
    os.kill(pid, signal.SIGUSR1)
    return time.time()


def _rests(pid: int) -> bool:
    return cpu_percent(pid, 1.0) < _AT_REST


def _pressed(screen: Screen) -> bool:
    """Press the shortcut, which may not be registered yet; wait for what it does."""
    screen.press("m")
    time.sleep(2.0)
    return True


def _changes(frames: Sequence[tuple[float, bytes]]) -> list[tuple[float, bytes]]:
    """Return the first frames, and those unlike the one before; a blinking caret is no change."""
    last, changes = frames[0], [frames[0]]
    for each in frames[1:]:
        rows = sum(one != other for one, other in zip(last[1][::_SAMPLED], each[1][::_SAMPLED], strict=False))
        if rows > len(each[1]) // _SAMPLED * _CARET:
            changes.append(each)
            last = each
    return changes


def _delays(page: Page, server: PacedServer) -> list[float]:
    """From the server's sending to the page's text. The SDK's event lies in between, about 1 ms after the sending."""
    call_page(page, "show_view", {"view": "chat"})
    page.evaluate(_WATCH_TEXT)
    composer = page.locator("textarea").first
    composer.fill("Go")
    composer.press("Enter")
    assert server.done.wait(60), "the reply did not go out"
    # Only now is the page asked: a question in between would be work for it.
    newest = "() => (window.__seen.at(-1) ?? [0, 0])[1]"
    wait_for("the whole reply on the page", lambda: page.evaluate(newest) >= server.sent[-1])
    seen: Sequence[tuple[float, float]] = page.evaluate("() => window.__seen")
    delays = []
    at = 0
    for stamp in server.sent:  # the first frame that showed it, or a later one
        while at < len(seen) and seen[at][1] < stamp:
            at += 1
        if at < len(seen):
            delays.append(1000 * (seen[at][0] - server.started - stamp / 1e6))
    return delays

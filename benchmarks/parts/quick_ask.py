"""From the shortcut of "ask about what's selected" to the field with the keyboard and the quoted text."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.instruments.figures import Figure, median
from benchmarks.instruments.screen import Screen
from tests.support.desktop.xvfb import Desktop, Running, end_group, open_desktop, start_pet, wait_for
from tests.support.pet_windows.bubbles import write_settings
from tests.support.pet_windows.windows import BUBBLE

_PRESSES = 11
_SELECTED = "Der Zug fährt um vier Uhr ab. " * 20
# The wall clock's seconds at the frame after the line has the keyboard, as Python's time.time().
_WATCH = """() => {
  window.__ready = 0;
  const look = () => {
    const line = document.querySelector(".field input");
    if (line && document.activeElement === line && document.hasFocus() && !window.__ready)
      requestAnimationFrame(() => { window.__ready ||= (performance.timeOrigin + performance.now()) / 1000; });
  };
  window.addEventListener("focus", () => queueMicrotask(look), true);
  document.addEventListener("focusin", () => queueMicrotask(look), true);
}"""


def measure(folder: Path, *, say: Callable[[str], None]) -> list[Figure]:
    say("key to field")
    home = folder / "ask"
    write_settings(home, 'shortcut_ask = "Ctrl+Alt+Q"\n')
    with open_desktop() as desktop, sync_playwright() as playwright, start_pet(desktop, home) as pet:
        screen = Screen(desktop.display)
        pet.window("Soulpet")
        wait_for("the field", lambda: _shown(desktop, pet, screen))  # once its window and the shortcut are there
        page = pet.page(pet.attach(playwright), "bubble.html")
        page.evaluate(_WATCH)
        alone = _times(desktop, pet, screen, page)
        owner = subprocess.Popen(
            [sys.executable, "-m", "tests.window.programs.selecting", "plain", _SELECTED],
            stdout=subprocess.PIPE,
            env=desktop.environ,
            text=True,
            start_new_session=True,
        )
        assert owner.stdout
        assert owner.stdout.readline() == "selected\n"
        about = _times(desktop, pet, screen, page)
        assert page.locator(".quoted").count() == 1
        end_group(owner)
        screen.close()
    name = "shortcut to the field with the selected text"
    baseline = "nothing selected"
    return [
        Figure(
            name=name, value=median(about), unit="ms", reach="250 ms", baseline=median(alone), baseline_name=baseline
        ),
        Figure(name="... the slowest of them", value=max(about), unit="ms", reach="250 ms"),
    ]


def _shown(desktop: Desktop, pet: Running, screen: Screen) -> bool:
    screen.press("q")
    time.sleep(1.0)
    return desktop.window(pet.pid, BUBBLE) is not None


def _times(desktop: Desktop, pet: Running, screen: Screen, page: Page) -> list[float]:
    times = []
    for press in range(_PRESSES):
        if desktop.window(pet.pid, BUBBLE) is not None:
            page.keyboard.press("Escape")
            pet.no_window(BUBBLE)
        page.evaluate("() => { document.activeElement?.blur?.(); window.__ready = 0; }")
        time.sleep(0.5)
        pressed = screen.press("q")
        ready = wait_for("the field", lambda: float(page.evaluate("() => window.__ready")))
        if press:  # the first one reads the disk
            times.append(1000 * (ready - pressed))
    return times

"""The contact sheet: all that the pet's face can say, each taken from the real pet on the desktop."""

from __future__ import annotations

import subprocess
from functools import partial

from PIL import Image, ImageDraw, ImageFont

from lab.gallery.scenes.table import Played, scene
from lab.gallery.studio.desktop import grab
from lab.gallery.studio.stage import Stage
from pet.skins.model import BODIES
from tests.support.desktop.xvfb import call_page, wait_for

COLUMNS = 5
_MOODS = (
    "neutral",
    "happy",
    "sad",
    "surprised",
    "thinking",
    "talking",
    "listening",
    "remembered",
    "waiting",
    "ready",
    "error",
    "asleep",
)
"""As the core names them; after these come those of a hand and of the memory switch."""
_ACTS = {"neutral": "idle", "error": "failed"}
_BODY_MOODS = ("neutral", "happy", "surprised", "thinking", "talking", "remembered", "sad", "asleep")
_POKE_ANSWERS = ("poked", "giggle", "shy", "leap", "huff", "sneeze")
_LONGER = {"asleep": 2600, "remembered": 900}


@scene("acts", "The pet", "What its face can say.", lights=True)
def acts(stage: Stage) -> Played:
    stage.hide_chat()
    stage.running.ask("note_acts()")
    names, taken = [], []
    for mood in _MOODS:
        stage.feel(mood)
        act = _ACTS.get(mood, mood)
        wait_for(act, partial(_played, stage, act))
        taken.append(_exposed(stage, _LONGER.get(mood, 480)))
        names.append(mood)
    stage.feel("neutral")
    x, y = stage.desktop.box(stage.pet_window).centre
    stage.desktop.click(x, y)
    wait_for("the answer", lambda: any(_played(stage, act) for act in _POKE_ANSWERS))
    taken.append(_exposed(stage, 200))
    wait_for("the end of it", lambda: stage.act() == "idle")
    stage.desktop.run("xdotool", "mousemove", str(x), str(y), "mousedown", "1")
    for step in range(1, 6):
        stage.desktop.run("xdotool", "mousemove", str(x - 6 * step), str(y))
    wait_for("being carried", lambda: stage.act().startswith("carried"))
    taken.append(_exposed(stage, 200))
    stage.desktop.run("xdotool", "mousemove", str(x), str(y), "mouseup", "1")
    wait_for("the end of it", lambda: stage.act() == "idle")
    stage.pause(True)
    stage.running.shows("pet.actor._paused")
    taken.append(_exposed(stage, 300))
    stage.pause(False)
    stage.made = _sheet(stage, taken, [*names, "poked", "carried", "off"])
    yield None
    stage.made = None


@scene("bodies", "The pet", "One body for each personality: Mochi, Biscuit, Inkwell, Vesper and Moss.")
def bodies(stage: Stage) -> Played:
    stage.hide_chat()
    stage.running.ask("note_acts()")
    taken = []
    for body in BODIES:
        assert call_page(stage.page, "choose_skin", {"skin": body})["ok"]
        wait_for(body, partial(_worn, stage, body))
        for mood in _BODY_MOODS:
            stage.running.ask("pet.acts.clear()")
            stage.feel(mood)
            wait_for(mood, partial(_played, stage, _ACTS.get(mood, mood)))
            taken.append(_exposed(stage, _LONGER.get(mood, 480)))
    stage.feel("neutral")
    stage.made = _sheet(stage, taken, [*_BODY_MOODS] * len(BODIES), columns=len(_BODY_MOODS))
    assert call_page(stage.page, "choose_skin", {"skin": BODIES[0]})["ok"]
    wait_for("the first body", lambda: _worn(stage, BODIES[0]))
    yield None
    stage.made = None


def _worn(stage: Stage, skin: str) -> bool:
    return bool(stage.running.ask(f"pet.actor._body == {skin!r}"))


def _played(stage: Stage, act: str) -> bool:
    return bool(stage.running.ask(f"{act!r} in pet.acts"))


def _exposed(stage: Stage, milliseconds: int) -> Image.Image:
    """The pet so long after the act began: not a wait for anything, the middle of a movement."""
    stage.page.wait_for_timeout(milliseconds)
    return grab(stage.desktop, stage.desktop.box(stage.pet_window))


def _sheet(stage: Stage, taken: list[Image.Image], names: list[str], columns: int = COLUMNS) -> Image.Image:
    """On one ground: each picture brings its own piece of wallpaper, so it is a card with round corners."""
    width, height = taken[0].size
    gap, foot = 14 * stage.scale, 30 * stage.scale
    rows = -(-len(taken) // columns)
    size = columns * (width + gap) + gap, rows * (height + foot + gap) + gap
    sheet = Image.new("RGB", size, (38, 32, 36) if stage.dark else (250, 241, 231))
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.truetype(_font(), 15 * stage.scale)
    ink = (226, 208, 194) if stage.dark else (91, 68, 56)
    for number, (picture, name) in enumerate(zip(taken, names, strict=True)):
        x = gap + number % columns * (width + gap)
        y = gap + number // columns * (height + foot + gap)
        mask = Image.new("L", picture.size, 0)
        edge = (0, 0, width - 1, height - 1)
        ImageDraw.Draw(mask).rounded_rectangle(edge, radius=22 * stage.scale, fill=255)
        sheet.paste(picture, (x, y), mask)
        words = stage.words.acts.get(name, name)
        pen.text((x + width / 2, y + height + foot / 2), words, font=font, fill=ink, anchor="mm")
    return sheet


def _font() -> str:
    found = subprocess.run(
        ("fc-match", "-f", "%{file}", "Noto Sans CJK SC"), capture_output=True, text=True, check=True
    )
    return found.stdout

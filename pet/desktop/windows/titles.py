"""Titles of the windows, the tray and the monitors; windows and tray are named after the pet. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pet.desktop.geometry import Monitor, primary_of
from pet.i18n import Texts

_TRAY = 63  # UTF-16 units, Windows' limit for tooltips


@dataclass(frozen=True, slots=True, kw_only=True)
class PetState:
    """Status of the pet for the tooltip."""

    mood: str = ""
    paused: bool = False
    undisturbed: bool = False
    unread: int = 0  # conversations


def chat_title(name: str, texts: Texts) -> str:
    return texts("shell.title_chat_of", name=name) if name else texts("shell.title_chat")


def tray_tooltip(name: str, texts: Texts, state: PetState | None = None) -> str:
    """Return the pet's name and its most important status."""
    status = _status(state or PetState(), texts)
    text = texts("shell.tray_tooltip_of", name=name) if name else texts("shell.tray_tooltip")
    if status:
        text = texts("shell.tray_state", name=name or texts("shell.tray_tooltip"), state=status)
    while len(text.encode("utf-16-le")) > 2 * _TRAY:
        text = text[:-1]
    return text


def _status(state: PetState, texts: Texts) -> str:
    if state.mood == "waiting":
        return texts("shell.tray_waiting")
    if state.unread:
        return texts("shell.tray_unread_one") if state.unread == 1 else texts("shell.tray_unread", count=state.unread)
    if state.mood in ("thinking", "talking", "error"):
        return texts(f"shell.tray_{state.mood}")
    if state.paused:
        return texts("shell.tray_paused")
    return texts("shell.tray_undisturbed") if state.undisturbed else ""


def display_names(monitors: Sequence[Monitor], texts: Texts) -> dict[str, str]:
    """Name each monitor by its model if that is unique, else by number; with its position."""
    models = Counter(each.model for each in monitors)
    names = {}
    for number, each in enumerate(monitors, 1):
        where = texts(f"shell.display_{_side(each, primary_of(monitors))}")
        if each.model and models[each.model] == 1:
            names[each.name] = texts("shell.display_named", model=each.model, where=where)
        else:
            names[each.name] = texts("shell.display", number=number, where=where)
    return names


def _side(monitor: Monitor, main: Monitor) -> str:
    """Return the position relative to the main monitor."""
    if monitor == main:
        return "main"
    (x, y), (main_x, main_y) = monitor.whole.centre, main.whole.centre
    if abs(x - main_x) >= abs(y - main_y):
        return "right" if x > main_x else "left"
    return "below" if y > main_y else "above"


def dialog_titles(texts: Texts) -> dict[str, str]:
    """Return dialog titles by pywebview's names for them; other systems title their own dialogs."""
    titles = {"linux.openFile": "desktop.choose_file", "linux.openFolder": "desktop.choose_folder"}
    return {name: texts(key) for name, key in titles.items()}

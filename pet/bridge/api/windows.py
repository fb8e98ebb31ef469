"""What the windows do: shown and hidden, dragged, touched, and the menu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.bridge.api.base import CHAT, PET, SOCKET, Command, Nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveArgs:
    """By how much, in screen pixels of the page, since the press."""

    dx: float
    dy: float
    done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerPlace:
    """From the top left of the pet's window, in its own units. ``known`` False: the platform doesn't tell."""

    known: bool
    x: int = 0
    y: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewArgs:
    view: Literal["chat", "settings", "history"]


ROWS: tuple[Command, ...] = (
    Command("touched", Nothing, Nothing, PET, "The owner poked the pet, or set it down."),
    Command("hide_chat", Nothing, Nothing, CHAT, "Hide the chat window."),
    Command("toggle_chat", Nothing, Nothing, PET, "Show or hide the chat window."),
    Command("show_view", ViewArgs, Nothing, PET | SOCKET, "Show the chat window with this view."),
    Command("move_pet", MoveArgs, Nothing, PET, "Drag the pet."),
    Command("find_pointer", Nothing, PointerPlace, PET, "Where the pointer is, for a glance."),
    Command("pet_menu", Nothing, Nothing, PET, "Open the pet's context menu."),
)

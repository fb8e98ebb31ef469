"""The desktop around the windows: links, folders, login, shortcuts, pictures of the screen, what is dropped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pet.bridge.api.attachments import GivenFile
from pet.bridge.api.base import CHAT, PET, SOCKET, WINDOWS, Command, Nothing

PlaceName = Literal["pet", "data", "config", "state", "cache", "log"]
FolderName = Literal["pet", "data", "config", "state", "cache", "log", "downloads"]  # the last: where exports go


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One folder of the program, with all that is below it. ``there``: nothing was ever put into one that is not."""

    name: PlaceName
    path: str
    there: bool
    files: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    places: list[Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopState:
    """``login_other``: the entry starts another program. ``taken_shortcuts``: keys that another program has."""

    login: bool
    login_possible: bool
    login_other: bool
    login_place: str
    taken_shortcuts: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRefusal:
    """What did not get past the pet's window. ``name`` is "" for text and for all the files beyond the last."""

    problem: Literal["too_large", "too_many", "text_too_large", "unreadable"]
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedThings:
    """What was dropped on the pet. Files come one with each call, since one message has a limit."""

    text: str
    files: list[GivenFile]
    refused: list[DropRefusal] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkArgs:
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFolderArgs:
    """By name: no page says a path."""

    place: FolderName = "pet"


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchArgs:
    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FadeArgs:
    faded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenshotArgs:
    """The monitor at the pointer, or what the owner frames."""

    area: Literal["screen", "region"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseArgs:
    paused: bool


ROWS: tuple[Command, ...] = (
    Command("open_link", LinkArgs, Nothing, CHAT, "Open http(s) or mailto in the browser."),
    Command("open_folder", OpenFolderArgs, Nothing, CHAT, "Show one of our folders in the file manager."),
    Command("list_places", Nothing, Places, CHAT, "Where everything is, and how much."),
    Command("get_desktop", Nothing, DesktopState, CHAT, "Starting at login, and shortcuts that are not to be had."),
    Command("set_login", SwitchArgs, DesktopState, CHAT, "Start when the owner logs in, or no longer."),
    Command("try_shortcuts", Nothing, Nothing, CHAT, "Ask the system for the shortcuts once more."),
    Command("take_screenshot", ScreenshotArgs, Nothing, CHAT, "A picture of the screen for the composer."),
    Command("fade_pet", FadeArgs, Nothing, PET, "The pointer came to rest on the pet, or left it."),
    Command("pause_brain", PauseArgs, Nothing, WINDOWS | SOCKET, "Pause or resume the brain of the pet."),
    Command("drop_on_pet", DroppedThings, Nothing, PET, "Something was dropped on the pet: the chat opens for it."),
    Command("take_dropped", Nothing, DroppedThings, CHAT, "What was dropped, for the composer; once."),
)

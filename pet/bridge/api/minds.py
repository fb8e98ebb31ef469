"""Models on this computer: which there are, getting one, using one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.bridge.api.base import CHAT, Command, Nothing
from pet.events import ErrorInfo, MindPhase


@dataclass(frozen=True, slots=True, kw_only=True)
class MindInfo:
    """``id`` is what the commands take and the settings keep; ``about`` its text in the catalogue. ``size`` and
    ``need`` (of memory) in bytes; ``part``: so much of a download is here; ``fits``: "" or the code of the error that
    says why not; ``host``: who would send it; ``by``: its maker, or the program whose file it is."""

    id: str
    kind: Literal["catalogue", "tiny", "found"]
    name: str
    by: str
    about: str
    licence: str
    languages: list[str]
    size: int
    need: int
    here: bool
    part: int
    fits: str
    recommended: bool
    chosen: bool
    host: str
    notebook: bool  # takes notes without tools: a small one


@dataclass(frozen=True, slots=True, kw_only=True)
class MindState:
    """The model that is running or was tried. ``fetching``: the id of what is being downloaded, "" for nothing."""

    mind: str
    phase: MindPhase
    problem: str  # with ``failed``, the error's code
    fetching: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MindList:
    """``problem``: the error's code if no model can run on this computer, else "". ``free_disk`` in bytes."""

    minds: list[MindInfo]
    state: MindState
    problem: str
    free_disk: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MindArgs:
    mind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UseMindArgs:
    """``mind``: an id of the list, ``file:`` and the path of a GGUF file, or "" for the model at the address."""

    mind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MindUsed:
    """``error``: why it can't be used; then the choice stays as it was."""

    list: MindList
    error: ErrorInfo | None


ROWS: tuple[Command, ...] = (
    Command("list_minds", Nothing, MindList, CHAT, "Models that can be had here, and the state of the one in use."),
    Command("look_for_minds", Nothing, MindList, CHAT, "Models of other programs on this computer. Takes a moment."),
    Command("fetch_mind", MindArgs, MindList, CHAT, "Begin a download; events tell of it. One runs at a time."),
    Command("stop_fetching_mind", Nothing, Nothing, CHAT, "Stop the download; what came so far is kept."),
    Command("remove_mind", MindArgs, MindList, CHAT, "Delete a downloaded model."),
    Command(
        "use_mind", UseMindArgs, MindUsed, CHAT, "Check a model and let it think from now on; it starts loading."
    ),
    Command("stop_mind", Nothing, Nothing, CHAT, "End the running model; the next message starts it again."),
)

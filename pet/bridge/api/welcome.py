"""The first start."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.api.base import CHAT, Command, Nothing
from pet.bridge.api.files import FileView


@dataclass(frozen=True, slots=True, kw_only=True)
class WelcomeState:
    """``step`` of the first start, 0: over. ``own_soul``: SOUL.md says something that no template says.
    ``strangers``: one of the two is not known yet, since SOUL.md is as it came or USER.md says next to nothing."""

    step: int
    own_soul: bool
    strangers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """A model server on this machine."""

    name: str
    base_url: str
    models: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerList:
    servers: list[ServerInfo]


@dataclass(frozen=True, slots=True, kw_only=True)
class WelcomeArgs:
    """The step to go on with; 0: the first start is over."""

    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseSoulArgs:
    """``name``: what the pet is to be called instead; "" keeps the template's."""

    template: str
    name: str = ""


ROWS: tuple[Command, ...] = (
    Command("get_welcome", Nothing, WelcomeState, CHAT, "Where the owner is in the first start."),
    Command("show_welcome", Nothing, Nothing, CHAT, "The first start is drawn: its window comes up by itself."),
    Command("save_welcome", WelcomeArgs, Nothing, CHAT, "Go on with this step of the first start; 0 ends it."),
    Command("find_servers", Nothing, ServerList, CHAT, "Model servers that answer on this machine now."),
    Command("choose_soul", ChooseSoulArgs, FileView, CHAT, "Make a shipped personality the pet's soul."),
)

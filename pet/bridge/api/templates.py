"""Starting texts for the core files."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.api.base import CHAT, Command, Nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateInfo:
    id: str
    title: str
    file: str
    text: str
    name: str = ""  # what a soul calls itself
    about: str = ""  # it in one line
    body: str = ""  # the skin that comes with a shipped soul
    own: bool = False  # the owner's, from the folder of the list


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateList:
    templates: list[TemplateInfo]
    folder: str = ""  # where the owner's own templates are looked for


ROWS: tuple[Command, ...] = (
    Command("list_templates", Nothing, TemplateList, CHAT, "Starting texts for the core files."),
)

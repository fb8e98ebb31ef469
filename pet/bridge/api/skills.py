"""The skills that a pet can load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.bridge.api.base import CHAT, Command, Nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillInfo:
    """``problem`` is "" or the code of what is wrong with it; then it isn't offered to the pet."""

    name: str
    description: str
    origin: Literal["pet", "shared"]
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillList:
    skills: list[SkillInfo]


ROWS: tuple[Command, ...] = (
    Command("list_skills", Nothing, SkillList, CHAT, "The skills the pet can load, and those it can't."),
)

"""The skills that a pet can load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pet.bridge.command import Client, command
from pet.workspace.skills import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillInfo:
    """``problem``: "" or a code; a skill with a problem isn't offered to the pet."""

    name: str
    description: str
    origin: Literal["pet", "shared"]
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillList:
    skills: list[SkillInfo]


class SkillCommands:
    def __init__(self, find_skills: Callable[[], tuple[Skill, ...]]) -> None:
        self._find_skills = find_skills

    @command(Client.CHAT)
    def list_skills(self) -> SkillList:
        """Return the skills of the pet, with those it can't load."""
        return SkillList(
            skills=[
                SkillInfo(name=skill.name, description=skill.description, origin=skill.origin, problem=skill.problem)
                for skill in self._find_skills()
            ]
        )

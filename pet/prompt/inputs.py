"""Inputs of the system prompt: all that decides its bytes, without a clock."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from pet.access.policy import Access, VisibleFiles
from pet.i18n import Language
from pet.prompt.budget import PromptLimits

Mode = Literal["full", "minimal", "none"]
MODES: tuple[Mode, ...] = get_args(Mode)
Channel = Literal["desktop", "terminal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillLine:
    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInputs:
    """All that decides the prompt. ``files``: what access allows, in any order."""

    files: VisibleFiles
    language: Language
    default_soul: str  # the shipped personality, used if SOUL.md is empty
    pet_name: str
    model: str
    mode: Mode = "full"
    channel: Channel = "desktop"
    tools: tuple[str, ...] = ("read", "write", "edit")  # names of the offered tools
    skills: tuple[SkillLine, ...] = ()
    limits: PromptLimits = field(default_factory=PromptLimits)

    @property
    def access(self) -> Access:
        return self.files.access


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the prompt exactly as it is sent. ``cut``: characters of the file that were left out."""

    name: str  # rules, IDENTITY.md, SOUL.md, ..., skills, channel, names
    text: str
    characters: int
    tokens: int  # estimated
    cut: int = 0

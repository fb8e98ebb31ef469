"""What a prompt is made from: everything that decides a byte of it, and nothing that changes with the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from pet.access.policy import Access
from pet.i18n import Language
from pet.model import FileState

Mode = Literal["full", "minimal", "none"]
MODES: tuple[Mode, ...] = get_args(Mode)
Channel = Literal["desktop", "terminal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLimits:
    """Limits of the prompt in characters. ``window``: the model's context in tokens, 0 if unknown."""

    file_characters: int = 20_000
    total_characters: int = 150_000
    window: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillLine:
    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInputs:
    """``files`` as the turn's snapshot read them, in any order; those the gate keeps out are left out here again."""

    files: tuple[FileState, ...]
    access: Access
    language: Language
    default_soul: str  # the shipped safe personality, where SOUL.md has nothing to say
    pet_name: str
    model: str
    mode: Mode = "full"
    channel: Channel = "desktop"
    tools: tuple[str, ...] = ("read", "write", "edit")  # names of those offered: no rule names another one
    skills: tuple[SkillLine, ...] = ()
    limits: PromptLimits = PromptLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the prompt exactly as it is sent. ``cut``: characters of the file that were left out."""

    name: str  # rules, IDENTITY.md, SOUL.md, ..., skills, channel, names
    text: str
    characters: int
    tokens: int  # estimated
    cut: int = 0

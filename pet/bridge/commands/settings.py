"""Settings, the prompt preview and the list of skills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from pet.access import MemoryMode
from pet.bridge.command import Client, command
from pet.events import ErrorInfo
from pet.serde import vars_of
from pet.services.system_prompt import PromptView
from pet.settings.pet_settings import PetSettings
from pet.settings.schema import Settings
from pet.settings.store import SettingsStore
from pet.workspace.skills import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsView(Settings):
    """All settings; ``overridden``: those that an environment variable or pet.toml sets."""

    overridden: list[str]
    problems: list[ErrorInfo]


class Preview(Protocol):
    def __call__(self, *, memory: bool | MemoryMode, conversation: str | None = None) -> PromptView: ...


@dataclass(frozen=True, slots=True)
class SettingsCommands:
    store: SettingsStore
    own: Callable[[], PetSettings]
    preview: Preview

    @command(Client.CHAT)
    def get_settings(self) -> SettingsView:
        """Return the settings of this pet; those from its pet.toml count as overridden."""
        own = self.own()
        settings, overridden = own.over(self.store.current(), self.store.overridden())
        return SettingsView(
            **vars_of(settings),
            overridden=overridden,
            problems=[ErrorInfo.of(problem) for problem in (*self.store.problems(), *own.problems)],
        )

    @command(Client.CHAT)
    def change_settings(self, changes: dict[str, str | int | float | bool]) -> SettingsView:
        """Change the named settings, all or none. Raises SettingsInvalid."""
        self.store.change(changes)
        return self.get_settings()

    @command(Client.CHAT)
    def preview_prompt(self, memory: bool, read_only: bool = False, conversation: str | None = None) -> PromptView:
        """Return the system prompt that would be sent.

        ``conversation``: use its model; None: the default.
        """
        return self.preview(memory=MemoryMode.of(memory, read_only=read_only), conversation=conversation)


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

"""Build a turn's system prompt from a snapshot and the settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.access import VisibleFiles
from pet.i18n import Language
from pet.prompt.budget import PromptLimits
from pet.prompt.build import Channel, PromptInputs, SkillLine, SystemPrompt, build_prompt
from pet.settings.schema import Settings
from pet.tools.toolset import tool_names
from pet.workspace.templates import default_soul

if TYPE_CHECKING:
    from pet.workspace.skills import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFactory:
    """Collector of the prompt's inputs; ``pet.prompt`` formats them."""

    language: Callable[[], Language]
    pet_name: Callable[[], str]
    channel: Channel

    def build(self, settings: Settings, files: VisibleFiles, skills: tuple[Skill, ...]) -> SystemPrompt:
        """Return blocks and sections for the files' access. ``settings``: with the model in use."""
        language = self.language()
        return build_prompt(
            PromptInputs(
                files=files,
                language=language,
                default_soul=default_soul(language),
                pet_name=self.pet_name(),
                model=settings.model,
                mode=settings.prompt_mode,
                channel=self.channel,
                tools=tool_names(files.access, skills),
                skills=tuple(SkillLine(name=each.name, description=each.description) for each in skills),
                limits=PromptLimits(
                    file_characters=settings.prompt_file_characters,
                    window=settings.context_window,
                ),
            )
        )

"""The system prompt: built for requests, and shown to the owner by section exactly as it would be sent."""

from __future__ import annotations

from dataclasses import dataclass

from pet.access import VisibleFiles
from pet.engine.services import EngineServices
from pet.model import CoreFile, RecallWay
from pet.prompt.budget import PromptLimits
from pet.prompt.build import PromptInputs, Section, SkillLine, SystemPrompt, build_prompt
from pet.settings.schema import Settings
from pet.tools.toolset import tool_names
from pet.workspace.skills import Skill
from pet.workspace.templates import default_soul


def system_prompt(
    services: EngineServices, settings: Settings, files: VisibleFiles, skills: tuple[Skill, ...]
) -> SystemPrompt:
    """Return blocks and sections for the files' access. ``settings``: with the model in use."""
    language = services.effective.texts().language
    has_soul = files.text(CoreFile.SOUL).strip()
    return build_prompt(
        PromptInputs(
            files=files,
            language=language,
            default_soul="" if has_soul else default_soul(language),
            pet_name=services.pet_name(),
            model=settings.model,
            mode=settings.prompt_mode,
            channel=services.channel,
            tools=tool_names(files.access, skills),
            skills=tuple(SkillLine(name=each.name, description=each.description) for each in skills),
            notes_when_asked=settings.notes_when_asked,
            limits=PromptLimits(
                file_characters=settings.prompt_file_characters,
                window=settings.context_window,
            ),
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptView:
    """``blocks``: the system blocks as sent, in order; ``sections``: the same characters by subject."""

    memory: bool
    read_only: bool
    blocks: list[str]
    sections: list[Section]
    tools: list[str]
    characters: int
    tokens: int
    changes: list[str]
    """Changes of the files since ``blocks`` were first sent, each as it goes with a message, the last one with
    the next; together they are the files as they are."""
    recall_way: RecallWay  # of the conversation's last message
    beside: list[str]
    """Context of the conversation's last message, or that with a first one: date, recent days, recall."""

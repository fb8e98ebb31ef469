"""The system prompt: built for requests, and shown to the owner by section exactly as it would be sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pet.access import Access, ConversationGate, MemoryMode, PetGate, VisibleFiles
from pet.engine.services import EngineServices
from pet.model import ContextPart, CoreFile, RecallWay, Source
from pet.prompt.budget import PromptLimits
from pet.prompt.build import PromptInputs, Section, SkillLine, SystemPrompt, build_prompt
from pet.prompt.context import SentFiles
from pet.settings.schema import Settings
from pet.tools.toolset import tool_names, tool_specs
from pet.workspace.gated_files import GatedFiles
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
    changes: list[str] = field(default_factory=list)
    """Changes of the files since ``blocks`` were first sent, each as it goes with a message, the last one with
    the next; together they are the files as they are."""
    recall_way: RecallWay = "meaning"  # of the conversation's last message
    beside: list[str] = field(default_factory=list)
    """Context of the conversation's last message, or that with a first one: date, recent days, recall."""


def preview_prompt(
    services: EngineServices,
    settings: Settings,
    skills: tuple[Skill, ...] = (),
    *,
    memory: bool | MemoryMode,
    sent: Callable[[VisibleFiles], SentFiles] | None = None,
    beside: Callable[[GatedFiles, Access], Sequence[ContextPart]] = lambda _files, _access: (),
) -> PromptView:
    """Return the prompt of a conversation with this memory mode; its sections, joined, are the prompt. ``sent``: the
    files as the conversation's next request would carry them; None: as they are. ``beside``: the context of
    its last message, of which this memory mode lets pass what it may."""
    gate = ConversationGate(PetGate(), memory=memory).begin_turn()
    files = GatedFiles(services.store, gate, Source(conversation="", turn=""))
    visible = files.snapshot().visible(gate.access())
    carried = sent(visible) if sent is not None else SentFiles(key=None, base=visible)
    prompt = system_prompt(services, settings, carried.base, skills)
    blocks = [block.text for block in prompt.blocks]
    return PromptView(
        memory=gate.started.learns,
        read_only=gate.started.memory and not gate.started.learns,
        blocks=blocks,
        sections=list(prompt.sections),
        tools=[tool.name for tool in tool_specs(gate.access(), services.effective.texts(), skills)],
        characters=prompt.characters,
        tokens=prompt.tokens,
        changes=[part.text for part in carried.beside.values()],
        beside=texts_beside(files, gate.access(), beside),
    )


def texts_beside(
    files: GatedFiles, access: Access, beside: Callable[[GatedFiles, Access], Sequence[ContextPart]]
) -> list[str]:
    return [part.text for part in beside(files, access) if access.memory or not part.gated]

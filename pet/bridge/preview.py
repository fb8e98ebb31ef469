"""What my pet sees: exactly the prompt that would be sent, by section, for the owner."""

from __future__ import annotations

from pet.access.policy import ConversationGate, PetGate
from pet.bridge.api import PromptSection, PromptView
from pet.engine.request.prompt_factory import PromptFactory
from pet.i18n import Texts
from pet.model import Source
from pet.tools.toolset import tool_specs
from pet.workspace.gated_files import GatedFiles
from pet.workspace.skills import Skill
from pet.workspace.versioned.store import WorkspaceStore


def preview_prompt(
    store: WorkspaceStore, prompting: PromptFactory, skills: tuple[Skill, ...] = (), *, memory: bool
) -> PromptView:
    """The view for a conversation with the brain on or off: its sections, joined, are the very prompt."""
    gate = ConversationGate(PetGate(), memory=memory).begin_turn()
    files = GatedFiles(store, gate, Source(conversation="", turn=""))
    prompt = prompting.build(files.snapshot(), gate.access(), skills)
    blocks = [block.text for block in prompt.blocks]
    return PromptView(
        memory=memory,
        blocks=blocks,
        sections=[
            PromptSection(
                name=section.name,
                text=section.text,
                characters=section.characters,
                tokens=section.tokens,
                cut=section.cut,
            )
            for section in prompt.sections
        ],
        tools=[tool.name for tool in tool_specs(gate.access(), Texts(prompting.language()), skills)],
        characters=prompt.characters,
        tokens=prompt.tokens,
    )

"""What my pet sees: exactly the prompt that would be sent, by section, for the owner (PRODUCT §5.7)."""

from __future__ import annotations

from pet.bridge.api import PromptSection, PromptView
from pet.engine.prompting import Prompting
from pet.gate import ConversationGate, PetGate
from pet.model import Source
from pet.tools.toolset import tool_specs
from pet.workspace.gated import GatedFiles
from pet.workspace.store import WorkspaceStore


def preview_prompt(store: WorkspaceStore, prompting: Prompting, *, memory: bool) -> PromptView:
    """The view for a conversation with the brain on or off."""
    gate = ConversationGate(PetGate(), memory=memory).begin_turn()
    files = GatedFiles(store, gate, Source(conversation="", turn=""))
    blocks = prompting.make(files.snapshot(), gate.access())
    return PromptView(
        memory=memory,
        sections=[
            PromptSection(name="", text=block.text, characters=len(block.text), tokens=0, cut=0) for block in blocks
        ],
        tools=[tool.name for tool in tool_specs(gate.access(), prompting.texts())],
        characters=0,
        tokens=0,
    )

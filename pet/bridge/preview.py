"""What my pet sees: exactly the prompt that would be sent, by section, for the owner (PRODUCT §5.7)."""

from __future__ import annotations

from pet.bridge.api import PromptSection, PromptView
from pet.engine.prompting import Prompting
from pet.gate import OFF, ON
from pet.gate import ConversationGate, PetGate
from pet.model import Source
from pet.prompt.tokens import estimate_tokens
from pet.tools.toolset import tool_specs
from pet.workspace.gated import GatedFiles
from pet.workspace.store import WorkspaceStore

"""From a snapshot and the settings to the system prompt of one turn (PRODUCT §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.gate import Access
from pet.model import SystemBlock
from pet.prompt.build import SystemPrompt, build_prompt
from pet.prompt.inputs import Channel, PromptInputs, PromptLimits
from pet.settings.schema import Settings
from pet.texts import Language
from pet.tools.toolset import TOOLS
from pet.workspace.gated import Snapshot
from pet.workspace.templates import default_soul


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompting:
    """Knows where the prompt's inputs come from; what is made of them is ``pet.prompt``'s."""

    settings: Callable[[], Settings]
    language: Callable[[], Language]
    pet_name: Callable[[], str]
    channel: Channel

    def make(self, snapshot: Snapshot, access: Access) -> tuple[SystemBlock, ...]:
        return self.whole(snapshot, access).blocks

    def whole(self, snapshot: Snapshot, access: Access) -> SystemPrompt:
        """Blocks and sections for what the gate allows now, whatever the snapshot holds."""
        settings, language = self.settings(), self.language()
        return build_prompt(
            PromptInputs(
                files=tuple(snapshot.shrunk(access).files.values()),
                access=access,
                language=language,
                default_soul=default_soul(language),
                pet_name=self.pet_name(),
                model=settings.model,
                channel=self.channel,
                tools=tuple(tool.name for tool in TOOLS),
                limits=PromptLimits(
                    file_characters=settings.prompt_file_characters,
                    total_characters=settings.prompt_total_characters,
                    window=settings.context_window,
                ),
            )
        )

"""Implementation of ``pet.engine.small_way``, the core's port to small models."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pet.access import Access, ConversationGate, MemoryMode, PetGate
from pet.engine.model_limits import FILES_SHARE, LocalModelLimits
from pet.engine.system_prompt import PromptView, texts_beside
from pet.extras.small_models.messages import warming_requests
from pet.extras.small_models.prompts import reply_sections
from pet.extras.small_models.small_model import SmallModel
from pet.i18n import Texts
from pet.model import ContextPart, CoreFile, Source
from pet.prompt.build import file_warnings
from pet.workspace.gated_files import GatedFiles
from pet.workspace.store import WorkspaceStore
from pet.workspace.templates import default_soul


class Way:
    strategy = SmallModel
    warming_requests = staticmethod(warming_requests)

    @staticmethod
    def preview(
        store: WorkspaceStore,
        limits: LocalModelLimits,
        texts: Texts,
        *,
        memory: bool | MemoryMode,
        beside: Callable[[GatedFiles, Access], Sequence[ContextPart]] = lambda _files, _access: (),
    ) -> PromptView:
        """Return the prompt of a small model's replies. The request that decides what to note contains the lines of
        USER.md and MEMORY.md, and nothing else of the files."""
        gate = ConversationGate(PetGate(), memory=memory).begin_turn()
        access = gate.started
        gated = GatedFiles(store, gate, Source(conversation="", turn=""))
        files = gated.snapshot().visible(access)
        sections = reply_sections(
            soul=files.text(CoreFile.SOUL) or default_soul(texts.language),
            user=files.text(CoreFile.USER) if access.memory else None,
            memory=files.text(CoreFile.MEMORY) if access.memory else None,
            texts=texts,
            most=round(limits.window * FILES_SHARE),
            learns=access.learns,
            warnings=file_warnings(files, texts),
        )
        return PromptView(
            memory=access.learns,
            read_only=access.memory and not access.learns,
            blocks=["".join(section.text for section in sections)],
            sections=list(sections),
            tools=[],
            characters=sum(section.characters for section in sections),
            tokens=sum(section.tokens for section in sections),
            beside=texts_beside(gated, access, beside),
        )

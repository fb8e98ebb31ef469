"""A turn's tools over a real store, gate and index; the owner's answers are scripted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from pet.access import ConversationGate, PetGate, TurnGate
from pet.i18n import Language, Texts
from pet.memory.search.gated_memory import GatedMemory
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.store.forgetting import ForgetService
from pet.model import Allowed, Decision, Proposal, Receipt, Refused, Source, ToolCallPart
from pet.tools.tool import ToolContext, ToolOutcome
from pet.tools.toolset import run_call
from pet.workspace.gated_files import GatedFiles
from pet.workspace.skills import Skill
from tests.workspace.conftest import Desk

SOURCE = Source(conversation="conversation", turn="turn")


class Bench:
    """``answers`` are used in order; then the owner allows everything."""

    def __init__(self, folder: Path, *, memory: bool = True, language: Language = "en") -> None:
        self.desk = Desk(folder)
        self.pet = PetGate()
        self.switch = ConversationGate(self.pet, memory=memory)
        self.texts = Texts(language)
        self.answers: list[Decision] = []
        self.shown: list[Proposal] = []
        self.before_answer: Callable[[], None] = lambda: None
        self.said = ""
        self.now: Callable[[], datetime] = self.desk.clock.now
        self.skills: tuple[Skill, ...] = ()
        self.forget: ForgetService | None = None
        self.index: MemoryIndex | None = None
        self.turn: TurnGate = self.switch.begin_turn()

    def open_index(self) -> MemoryIndex:
        self.index = open_index(self.desk.root, self.desk.folder / "cache", embedder=None)
        return self.index

    def context(self) -> ToolContext:
        files = GatedFiles(self.desk.store, self.turn, SOURCE)
        return ToolContext(
            files=files,
            gate=self.turn,
            confirm=self._confirm,
            snapshot=files.snapshot(),
            texts=self.texts,
            file_characters=20_000,
            losing_share=0.25,
            message=self.said,
            now=self.now,
            memory=GatedMemory(self.index, self.turn, "conversation") if self.index else None,
            forget=self.forget,
            skills=self.skills,
        )

    def run(self, name: str, context: ToolContext | None = None, /, **arguments: object) -> ToolOutcome:
        call = ToolCallPart(id="call", name=name, arguments=json.dumps(arguments, ensure_ascii=False))
        return asyncio.run(run_call(call, context or self.context()))

    def failed(self, name: str, /, **arguments: object) -> str:
        """Return the error's code of a failed call, after checking the model's text."""
        outcome = self.run(name, **arguments)
        assert outcome.error is not None, outcome.text
        assert outcome.text == self.texts(f"error.{outcome.error.error_code}", **outcome.error.args_)
        assert "{" not in outcome.text.replace("{}", "")
        return outcome.error.error_code

    def receipt(self, name: str, /, **arguments: object) -> Receipt:
        outcome = self.run(name, **arguments)
        assert outcome.error is None, outcome.text
        assert outcome.receipt is not None, outcome.text
        return outcome.receipt

    def text(self, name: str) -> str:
        return self.desk.bytes(name).decode()

    async def _confirm(self, proposal: Proposal) -> Decision:
        self.shown.append(proposal)
        self.before_answer()
        if not self.switch.access().memory and self.turn.started.memory:
            return Refused(why="memory_off")
        return self.answers.pop(0) if self.answers else Allowed(text=proposal.after, edited=False)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)

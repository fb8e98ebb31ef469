"""The same lines go along with a question in every order of telling, searching, asking, importing and restarting."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pet.app import Pet
from pet.extras.imports.importer import Importer, Target
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.model import ContextPart
from pet.paths import Home, find_home
from tests.support.clocks import DayClock
from tests.support.models.scripted import ScriptedProvider, say
from tests.workspace.plain_pets import plain_pets


@dataclass(frozen=True)
class Told:
    """A statement with others beside it, a question in its words, and what else is asked and searched."""

    text: str
    question: str
    asked: tuple[str, ...]
    query: str


TOLD = (
    Told(
        "I want to see temples in Kyoto in April. I am allergic to shellfish.",
        "Is shellfish safe for me?",
        ("Can I eat shellfish?", "which shellfish is cheap", "Tell me about shellfish", "Is shellfish safe for me?"),
        "shellfish",
    ),
    Told(
        "四月想去京都看寺庙。我对贝类过敏。",
        "贝类对我安全吗？",
        ("我能吃贝类吗", "贝类有哪些", "介绍一下贝类", "贝类对我安全吗？"),
        "贝类",
    ),
    Told(
        "En abril quiero ver los templos de Kioto. Soy alérgica al marisco.",
        "¿El marisco es seguro para mí?",
        ("¿Puedo comer marisco?", "qué marisco es barato", "Háblame del marisco"),
        "marisco",
    ),
    Told(
        "The walnut tree is down, and walnuts close my throat. What shall I plant there?",
        "May I have walnuts in my salad?",
        ("Are walnuts expensive?", "How do you crack walnuts?", "how long do walnuts keep"),
        "walnuts",
    ),
    Told(
        "My bicycle stands in the cellar of the library.",
        "Is my bicycle in the cellar of the library?",
        ("Where is my bicycle?", "Is my bicycle in the cellar of the library?", "Describe my bicycle"),
        "bicycle",
    ),
)
OTHERS = ("The kitchen tap drips again.", "Dinner with Bruno was loud.", "水龙头又漏水了。", "Hoy llovió mucho.")
Way = Literal["said", "imported"]
Step = Literal["search", "restart", "ask", "talk", "import", "embed"]
STEPS: tuple[Step, ...] = ("search", "restart", "ask", "talk", "import", "embed")


class Life:
    """A home whose program is started anew at will, with a scripted model."""

    def __init__(self, folder: Path, told: Told) -> None:
        self.folder, self.told = folder, told
        self.home: Home = find_home(folder / "home")
        self.provider = ScriptedProvider()
        self.app: Pet = self._start()
        self._number = 0

    def _start(self) -> Pet:
        return Pet(
            self.home,
            environ={},
            clock=DayClock(),
            provider=self.provider,
            channel="terminal",
            recall_seconds=60,
        )

    def close(self) -> None:
        self.app.close()

    def send(self, text: str) -> list[str]:
        """Send the text in a new conversation; return the recalled lines that go along."""
        self.provider.queue(say("Let me think about that."))
        chat = self.app.conversations.create(memory=True)
        chat.send(text)
        chat.wait(60)
        parts = (part for message in self.provider.requests[-1].messages for part in message.parts)
        recalled = [part.text for part in parts if isinstance(part, ContextPart) and part.kind == "recall"]
        return [line.partition(" ")[2] for each in recalled for line in each.split("\n")[2:-1]]

    def tell(self, way: Way) -> None:
        match way:
            case "said":
                self.send(self.told.text)
            case "imported":
                self._import(self.told.text)

    def take(self, step: Step) -> None:
        self._number += 1
        match step:
            case "search":
                with closing(open_index(self.app.store.root, self.home.cache)) as index:  # as the command line does
                    index.refresh()
                    index.search(self.told.query, conversations=True)
            case "restart":
                self.app.close()
                self.app = self._start()
            case "ask":
                self.send(self.told.asked[self._number % len(self.told.asked)])
            case "talk":
                self.send(OTHERS[self._number % len(OTHERS)])
            case "import":
                self._import(OTHERS[self._number % len(OTHERS)])
            case "embed":
                self.app.index.get().refresh()

    def _import(self, text: str) -> None:
        self._number += 1
        at = "2026-10-01T10:00:00Z"
        messages = [
            {"uuid": f"m{self._number}", "sender": "human", "text": text, "created_at": at},
            {"uuid": f"n{self._number}", "sender": "assistant", "text": "How lovely!", "created_at": at},
        ]
        names = {"uuid": f"a{self._number}", "name": "Trip", "created_at": at, "updated_at": at}
        file = self.folder / f"{self._number}.json"
        file.write_text(json.dumps([{**names, "chat_messages": messages}]), encoding="utf-8")
        target = Target(pet=self.app.pet_id, store=self.app.store, transcripts=self.app.transcripts)
        importer = Importer(self.home, plain_pets(self.home), DayClock(), lambda: "en")
        importer.carry_out(importer.survey(file, target), target, memory=True)


def lines_of(told: Told, way: Way, before: Sequence[Step], after: Sequence[Step]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        life = Life(Path(folder), told)
        try:
            for step in before:
                life.take(step)
            life.tell(way)
            for step in after:
                life.take(step)
            return life.send(told.question)
        finally:
            life.close()


def without_vectors(root: Path, cache: Path) -> MemoryIndex:
    return open_index(root, cache, embedder=None)


@pytest.mark.parametrize("vectors", [True, False], ids=["vectors", "words"])
@settings(phases=[Phase.explicit, Phase.generate])
@given(
    told=st.sampled_from(TOLD),
    way=st.sampled_from(["said", "imported"]),
    before=st.lists(st.sampled_from(STEPS), max_size=3),
    after=st.lists(st.sampled_from(STEPS), max_size=4),
)
def test_same_statement_goes_along_in_every_order(
    vectors: bool, told: Told, way: Way, before: list[Step], after: list[Step]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not vectors:
            patch.setattr("pet.memory.search.memory_index.open_index", without_vectors)
        assert lines_of(told, way, before, after) == [told.text]

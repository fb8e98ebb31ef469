"""A pet's folder with a real store, a clock that stands still, and a gate that can be shut."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace

from pet.access import ConversationGate, PetGate, TurnGate
from pet.engine.memory_maintenance import MaintenanceDay, tidy_if_due
from pet.extras.standing_facts.upkeep import FactsDay, keep_standing_facts
from pet.i18n import Texts
from pet.memory.store.daily_log import parse_log
from pet.model import Receipt, Source
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.transcripts.store import TranscriptStore
from pet.workspace.store import WorkspaceStore
from tests.support.clocks import StandingClock
from tests.support.program.parts import pet_of

TODAY = date(2026, 11, 21)
SOURCE = Source(conversation="c", turn="t")
SMALL = Settings(prompt_file_characters=1_000)


class KeptDay(MaintenanceDay):
    """As the program keeps it: survives as a value, here in the test's hand."""

    def __init__(self) -> None:
        self.day = ""

    def get(self) -> str:
        return self.day

    def set(self, day: str) -> None:
        self.day = day


class CareDesk:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "pet"
        (self.root / "memory").mkdir(parents=True)
        self.clock = StandingClock(datetime(2026, 11, 21, 14, 30, 15, tzinfo=UTC))
        self.day = KeptDay()
        self.facts_day = FactsDay(JsonState(folder / "state.json"), "pet")
        self.pet = PetGate()
        self.conversation = ConversationGate(self.pet, memory=True)
        self.store = self.open()

    def open(self) -> WorkspaceStore:
        return WorkspaceStore(self.root, locks=self.folder / "locks", clock=self.clock, on_change=lambda _: None)

    def tidy(self, settings: Settings = SMALL, gate: TurnGate | None = None) -> list[Receipt]:
        gate = gate or self.conversation.begin_turn()
        return tidy_if_due(self.store, gate, SOURCE, self.clock, settings, self.day)

    def keep(self, gate: TurnGate | None = None, settings: Settings | None = None) -> list[Receipt]:
        gate = gate or self.conversation.begin_turn()
        effective = SimpleNamespace(current=lambda: settings or Settings())
        transcripts = TranscriptStore(self.root / "conversations", "m", self.clock)
        pet = pet_of(
            store=self.store,
            clock=self.clock,
            effective=effective,
            texts=lambda: Texts("en"),
            transcripts=transcripts,
        )
        return keep_standing_facts(pet, gate, SOURCE, self.facts_day)

    def note(self, day: str, *facts: str, category: str = "fact") -> None:
        """Write a day's log with these entries."""
        entries = "\n".join(f"## [10:00:00] {category}\n\n{fact}\n" for fact in facts)
        (self.root / "memory" / f"{day}.md").write_text(f"# Memory Log: {day}\n\n{entries}", encoding="utf-8")

    def put(self, name: str, text: str) -> None:
        (self.root / name).write_bytes(text.encode())

    def text(self, name: str) -> str:
        file = self.root / name
        return file.read_bytes().decode() if file.exists() else ""

    def logs(self) -> dict[str, str]:
        return {file.name: file.read_text(encoding="utf-8") for file in sorted((self.root / "memory").iterdir())}

    def logged(self) -> list[str]:
        """The texts of all entries of all logs."""
        return [entry.text for log in self.logs().values() for entry in parse_log(log.split("\n"))]

    def everything(self) -> str:
        return "\n".join([self.text("MEMORY.md"), self.text("USER.md"), *self.logs().values()])

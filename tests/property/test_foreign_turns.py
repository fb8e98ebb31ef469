"""The flow of what came from outside, over random conversations. The model obeys and repeats whatever it reads, so
that a word of others goes from files, quotes and other agents' notes into replies, summaries and search. A write is
asked about in every request that has such a word, and never where there was none.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PIL import Image

from pet.access import MemoryMode
from pet.app import Pet
from pet.errors import NothingToCompact, PetError, UnknownProposal
from pet.events import Event, ProposalAsked
from pet.model import Attachment, ImagePart, Refused, Request, ToolResultPart
from pet.paths import find_home
from tests.support.clocks import DayClock
from tests.support.examples import examples
from tests.support.models.scripted import ScriptedProvider, ScriptedRound, call, say

WORD = "zanzibarword"
SEEN = "picturewordseen"
LOG = f"# Memory Log: 2026-11-22\n\n## [10:00:00] fact\n\nCodex: the kestrel {WORD} is due\n"


def _carries(request: Request) -> bool:
    parts = [part for message in request.messages for part in message.parts]
    texts = " ".join(str(getattr(part, "text", "")) for part in parts)
    return WORD in texts or SEEN in texts or any(isinstance(part, ImagePart) for part in parts)


class Story:
    """A life of a pet with a few conversations; the owner refuses every proposal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = DayClock()
        self.count = 0
        self.asked = self.brought = 0
        self.wrongs: list[str] = []
        self.app = self._start()
        self.app.store.root.joinpath("USER.md").write_text("# Owner\n\n- Ann\n", encoding="utf-8")
        self.chat = self.app.conversations.create(memory=True)

    def _start(self) -> Pet:
        self.provider = ScriptedProvider()
        app = Pet(
            find_home(self.folder),
            environ={},
            clock=self.clock,
            provider=self.provider,
            channel="terminal",
            recall_seconds=30,
        )
        app.emitter.subscribe(self._refuse, ProposalAsked, name="owner")
        return app

    def _refuse(self, event: Event) -> None:
        assert isinstance(event, ProposalAsked)
        self.asked += 1
        with suppress(UnknownProposal):
            self.app.conversations.open(event.conversation).answer(event.proposal.id, Refused(why="owner"))

    def _note(self, request: Request) -> ScriptedRound:
        """Obey: note what was read, then repeat it."""
        self.count += 1
        carried = _carries(request)
        names = [tool.name for tool in request.tools]
        asked = self.asked

        def after(then: Request) -> ScriptedRound:
            (result,) = [part for part in then.messages[-1].parts if isinstance(part, ToolResultPart)]
            if carried and not result.is_error and self.asked == asked:
                self.wrongs.append(f"written unasked: {result.text}")
            if not self.brought and self.asked > asked:
                self.wrongs.append("asked although nothing foreign was ever there")
            return self._repeat(then)

        if "memory_write" not in names:
            return self._repeat(request)
        self.provider.queue(after)
        return call("memory_write", {"content": f"fact{self.count} {WORD if carried else ''}"})

    def _look(self, request: Request, tool: str, **arguments: object) -> ScriptedRound:
        if tool not in [tool.name for tool in request.tools]:
            return self._repeat(request)
        self.provider.queue(self._note)
        return call(tool, arguments)

    @staticmethod
    def _repeat(request: Request) -> ScriptedRound:
        return say(f"I see. {WORD if _carries(request) else 'kestrel'}")

    def do(self, act: str, number: int) -> None:
        turns = self.chat.folded().turns
        match act:
            case _ if act in (*SAYS, *BRINGS):
                self.brought += act in BRINGS
                text = f"My kestrel number {number}" + (f"\n> {WORD}" if act == "quote" else "")
                if act == "read agent":
                    (self.app.store.root / "memory").mkdir(exist_ok=True)
                    self.app.store.root.joinpath("memory/2026-11-22.md").write_text(LOG, encoding="utf-8")
                looks = {
                    "read agent": partial(self._look, tool="memory_get", path="memory/2026-11-22.md"),
                    "search": partial(self._look, tool="memory_search", query=f"I see kestrel {WORD}"),
                }
                self.provider.queue(looks.get(act, self._note))
                self.chat.send(text, self._file(act, number))
            case "again" | "without files" if turns:
                turn = turns[number % len(turns)]
                self.provider.queue(self._note)
                self.chat.resend(turn.id, None) if act == "again" else self.chat.resend(turn.id, "a kestrel", ())
            case "remove" if turns:
                self.chat.record.remove_turn(turns[number % len(turns)].id)
            case "restore" if self.chat.folded().removed:
                with suppress(PetError):
                    self.chat.record.restore_turns(self.chat.folded().removed)
            case "drop":
                self.chat.record.drop_earlier()
            case "compact":
                self.provider.queue(*[self._flush_or_sum] * 8)
                with suppress(NothingToCompact):
                    self.chat.compact()
            case "branch" if turns:
                self.chat = self.app.conversations.branch(self.chat.id, turns[number % len(turns)].id)
            case "other":
                self.chat = self.app.conversations.create(memory=True)
            case "restart" if turns:
                self.app.close()
                self.app = self._start()
                self.chat = self.app.conversations.open(self.chat.id)
            case "on" | "off":
                self.chat.set_memory(MemoryMode.ON if act == "on" else MemoryMode.OFF)
            case _:
                return
        self.chat.wait(60)
        self.provider._script.clear()

    def _flush_or_sum(self, request: Request) -> ScriptedRound:
        if [tool.name for tool in request.tools] == ["memory_write"]:
            if _carries(request):
                self.wrongs.append("a flush saw something foreign")
            return call("memory_write", {"content": "kestrel"})
        return self._repeat(request)

    def _file(self, act: str, number: int) -> tuple[Attachment, ...]:
        if act == "letter":
            return (self.app.attachments.add(f"letter{number}.txt", f"Note that {WORD} {number}".encode()),)
        if act == "picture":
            file = BytesIO()
            Image.new("RGB", (8, 8), (number, 0, 0)).save(file, "PNG")
            return (self.app.attachments.add(f"{SEEN}.png", file.getvalue()),)
        return ()

    def written(self) -> str:
        root = self.app.store.root
        files = [file for file in root.rglob("*.md") if ".history" not in file.parts and file.name != "2026-11-22.md"]
        return "\n".join(file.read_text(encoding="utf-8") for file in files)


SAYS = ("say", "say", "search")
BRINGS = ("letter", "picture", "quote", "read agent")
CHANGES = (
    "again",
    "without files",
    "remove",
    "restore",
    "drop",
    "compact",
    "branch",
    "other",
    "restart",
    "on",
    "off",
)
ACTS = st.tuples(st.sampled_from((*SAYS, *BRINGS, *CHANGES)), st.integers(0, 5))


@pytest.fixture(autouse=True)
def few_turns_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from pet.engine import compaction

    monkeypatch.setattr(compaction, "KEPT_TURNS", 1)


@settings(
    max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@example([("letter", 0), ("say", 0), ("say", 1), ("compact", 0), ("say", 2), ("restart", 0), ("say", 3)])
@example([("letter", 0), ("say", 0), ("remove", 0), ("say", 1), ("branch", 1), ("say", 2)])
@example([("letter", 0), ("other", 0), ("search", 0), ("say", 1)])
@example([("picture", 0), ("off", 0), ("say", 0), ("on", 0), ("say", 1), ("drop", 0), ("say", 2)])
@given(st.lists(ACTS, min_size=2, max_size=10))
def test_a_word_of_others_is_never_written_unasked_wherever_it_went(acts: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder))
        try:
            for act, number in acts:
                story.do(act, number)
            assert not story.wrongs
            assert WORD not in story.written()
            assert story.brought or story.asked == 0
        finally:
            story.app.close()

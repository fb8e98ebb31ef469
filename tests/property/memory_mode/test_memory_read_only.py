"""READ reads as ON and writes as OFF: the conversation leaves no trace outside its own transcript.

The model writes at every chance: it calls each writing tool, unasked and without the schema, and is flushed and
summarised in a small window. Whatever it tries, no file of the workspace changes but the transcript.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pet.access import MemoryMode
from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.errors import NothingToCompact
from pet.model import Request, ToolCallPart, TurnEnd
from pet.paths import find_home
from pet.providers.base import Streamed
from pet.transcripts.entries import Compacted, MemorySet, RoundCompleted, ToolCompleted, UserMessage
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.fold import fold
from tests.engine.reader import is_flush, is_summary
from tests.property.memory_mode.test_memory_off import leaves
from tests.support.examples import examples
from tests.support.files import write_files
from tests.support.models.scripted import THINKER, ScriptedProvider, ScriptedRound, Think, calls, say

pytestmark = pytest.mark.usefixtures("two_turns_kept")

FILES = {
    "USER.md": "# User\n- canary-user\n",
    "MEMORY.md": "# Memory\n- canary-memory\n",
    "memory/2026-02-24.md": "# Memory Log: 2026-02-24\n\n## [10:00:00] fact\nThe violin teacher is canary-log.\n",
    "memory/archive.md": "# Memory Log: 2025-02-24\n\n## [10:00:00] fact\nThe violin was canary-archived.\n",
    "memory/2026-02-26-violin.md": "# Lesson\n\nThe violin teacher played canary-lesson.\n",
    "memory/people/teacher.md": "- The violin teacher is a friend of canary-person.\n",
}
SPOKEN = "canary-spoken"
FILLER = "What about the violin teacher? " * 200


def _call(name: str, **arguments: object) -> ToolCallPart:
    return ToolCallPart(id=f"call_{name}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))


TRIES = {
    "write memory": calls(_call("write", path="MEMORY.md", content="# Memory\n- other\n")),
    "write soul": calls(_call("write", path="SOUL.md", content="# Soul\nother\n")),
    "edit user": calls(_call("edit", path="USER.md", old_text="canary-user", new_text="other")),
    "write note": calls(_call("write", path="memory/people/teacher.md", content="- other\n")),
    "edit note": calls(_call("edit", path="memory/people/teacher.md", old_text="canary-person", new_text="other")),
    "new note": calls(_call("write", path="memory/people/pupil.md", content="- other\n")),
    "edit soul": calls(_call("edit", path="SOUL.md", old_text="a", new_text="b")),
    "memory_write": calls(_call("memory_write", content=f"Noted: {SPOKEN}", category="todo", due="2030-01-01")),
    "memory_forget": calls(_call("memory_forget", query="violin")),
    "read": calls(Think("canary-thought"), _call("read", path="MEMORY.md"), _call("read", path="USER.md")),
    "search": calls(_call("memory_search", query="violin teacher")),
}


class Model(ScriptedProvider):
    """Makes the calls it is given, then speaks; writes down and summarises whenever it is asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Request] = []
        self.tries: list[str] = []

    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        self.kept.append(request)
        self.queue(self._answer)
        return super().stream(request)

    def _answer(self, request: Request) -> ScriptedRound:
        if is_summary(request):
            return say("## Facts\n- canary-summary")
        if is_flush(request):
            return TRIES["memory_write"]
        return TRIES[self.tries.pop()] if self.tries else say("I see.")


class World:
    """A pet with a memory, a model, and one conversation."""

    def __init__(self, folder: Path, memory: MemoryMode) -> None:
        self.model = Model()
        self.app: Pet = Pet(
            find_home(folder), environ=THINKER, provider=self.model, channel="terminal", recall_seconds=30
        )
        self.app.settings.change({"context_window": 9_000, "recall_threshold": 0.2})
        write_files(self.app.store.root, FILES)
        self.chat = self.app.conversations.create(memory=memory)

    def say(self, text: str, *tries: str, chat: LiveConversation | None = None) -> list[Request]:
        """The requests that left for it."""
        before = len(self.model.kept)
        self.model.tries = list(tries)
        (chat or self.chat).send(text)
        (chat or self.chat).wait(60)
        return self.model.kept[before:]

    def files(self) -> dict[str, bytes]:
        """Every file of the workspace but transcripts and locks: core files, logs, histories."""
        root = self.app.store.root
        return {
            name: path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file()
            and not (name := path.relative_to(root).as_posix()).startswith("conversations/")
            and not name.endswith(".lock")
        }


acts = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.lists(st.sampled_from(sorted(TRIES)), max_size=3)),
        st.tuples(st.sampled_from(["compact", "long", "off", "read", "regenerate"]), st.just([])),
    ),
    min_size=1,
    max_size=7,
)


@settings(max_examples=examples(30))
@given(acts=acts)
def test_no_file_but_the_transcript_changes_in_read_only(acts: list[tuple[str, list[str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), MemoryMode.READ_ONLY)
        try:
            world.say("hello")
            before = world.files()
            for act, tries in acts:
                match act:
                    case "off" | "read":
                        world.chat.set_memory(MemoryMode(act))
                    case "compact":
                        try:
                            world.chat.compact()
                        except NothingToCompact:
                            continue
                        world.chat.wait(60)
                    case "regenerate":
                        world.chat.resend(world.chat.folded().turns[-1].id, None)
                        world.chat.wait(60)
                    case _:
                        asks_off = [each for each in tries if "soul" not in each]  # OFF asks the owner about SOUL.md
                        reads = world.chat.gate.memory_mode is MemoryMode.READ_ONLY
                        world.say(FILLER if act == "long" else SPOKEN, *(tries if reads else asks_off))
            assert world.files() == before
            turns = world.chat.folded().turns
            assert all(done.receipt is None for turn in turns for done in turn.tools)
            assert not any(turn.memory for turn in turns)
            assert not any(is_flush(request) for request in world.model.kept)
        finally:
            world.app.close()


def test_read_only_sends_what_on_sends_and_offers_no_writing_tool() -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), MemoryMode.READ_ONLY)
        try:
            first = world.say("Who is my violin teacher?", "search", "read")
            text = leaves(first[-1])
            assert all(canary in text for canary in ("canary-user", "canary-memory", "canary-log"))
            assert {tool.name for tool in first[0].tools} == {"read", "memory_search", "memory_get"}
            again = world.say("and?")
            assert "canary-log" in leaves(again[0])  # calls and results are replayed within the conversation
            world.chat.set_memory(MemoryMode.OFF)
            assert "canary-" not in leaves(world.say("and now?")[0])
            world.chat.set_memory(MemoryMode.READ_ONLY)
            assert "canary-log" in leaves(world.say("and now?")[0])
        finally:
            world.app.close()


def test_what_is_said_in_read_only_is_found_by_no_other_conversation() -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), MemoryMode.READ_ONLY)
        try:
            world.say(f"My violin teacher is also called {SPOKEN}.")
            other = world.app.conversations.create(memory=True)
            requests = world.say("What is my violin teacher called?", "search", chat=other)
            assert all(SPOKEN not in leaves(request) for request in requests)
            assert "canary-log" in leaves(requests[-1])
            # Back at ON, it isn't written down before a summary either.
            world.chat.set_memory(True)
            for _ in range(4):
                world.say(FILLER)
            flushes = [request for request in world.model.kept if is_flush(request)]
            assert all(SPOKEN not in leaves(request) for request in flushes)
        finally:
            world.app.close()


@pytest.mark.parametrize("before", [MemoryMode.ON, MemoryMode.OFF])
def test_the_switch_survives_a_restart_and_makes_a_divider(before: MemoryMode) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), before)
        world.say("hello")
        world.chat.set_memory(MemoryMode.READ_ONLY)
        world.say("hello")
        world.app.close()
        app = Pet(find_home(Path(folder)), environ=THINKER, provider=Model(), channel="terminal")
        try:
            chat = app.conversations.open(world.chat.id)
            assert chat.gate.memory_mode is MemoryMode.READ_ONLY
            assert [divider.kind for divider in chat.folded().dividers] == ["memory_read"]
            assert [(turn.memory, turn.read_only) for turn in chat.folded().turns] == [
                (before is MemoryMode.ON, False),
                (False, True),
            ]
            assert [each.read_only for each in app.conversations.saved()] == [True]
        finally:
            app.close()


def test_a_running_tool_loop_ends_when_on_becomes_read_only() -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), MemoryMode.ON)
        try:

            def flip(_request: Request) -> ScriptedRound:
                world.chat.set_memory(MemoryMode.READ_ONLY)
                return TRIES["memory_write"]

            world.say("hello")
            before = world.files()
            world.model.tries = []
            world.model.queue(flip)
            world.say("hello")
            assert world.files() == before
            assert world.chat.folded().turns[-1].end is TurnEnd.MEMORY_OFF
        finally:
            world.app.close()


def test_a_version_without_read_only_takes_it_for_off_and_finds_nothing_gated_to_replay() -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder), MemoryMode.READ_ONLY)
        try:
            world.say("Who is my violin teacher?", "search", "read")
            lines = [json.loads(encode_entry(entry)) for entry in world.chat.transcript.entries]
        finally:
            world.app.close()
    for line in lines:
        line.pop("read_only", None)
        line.pop("gated_parts", None)
    entries = [decode_entry(json.dumps(line)) for line in lines]
    assert not any(each.memory for each in entries if isinstance(each, MemorySet | UserMessage))
    assert not any(each.memory is False for each in entries if isinstance(each, Compacted))
    rounds = [each for each in entries if isinstance(each, RoundCompleted)]
    assert rounds
    assert "canary" not in str([each.parts for each in rounds])
    assert not any(isinstance(part, ToolCallPart) for each in rounds for part in each.parts)
    assert any(isinstance(each, ToolCompleted) for each in entries)  # without its call it is in no request
    assert fold(entries).memory_mode is MemoryMode.OFF

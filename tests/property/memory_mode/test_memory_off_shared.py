"""The promise where a conversation is open twice, flipped in the middle of a stream, and taken up after a kill.

Two programs share one home and one conversation. The scripted model stops at random places of its replies, and
there either program flips the switch, pauses or stops; a copy of the home made at such a place is what a kill would
have left. Every request is judged by what the transcript says when it leaves, and by what an API would accept.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.errors import MemoryInFlight, UnknownProposal
from pet.events import Event, TurnEnded, TurnStarted
from pet.model import Allowed, Request
from pet.paths import find_home
from pet.providers.anthropic_messages import encode_request
from pet.providers.base import Streamed
from pet.transcripts.entries import MemorySet
from tests.property.memory_mode.test_memory_off import CANARY, FILES, _call
from tests.support.examples import examples
from tests.support.files import write_files
from tests.support.models.scripted import (
    THINKER,
    Hold,
    ScriptedProvider,
    ScriptedRound,
    Step,
    Think,
    calls,
    fail,
    say,
)

ACTS_AT_A_HOLD = [
    "off here",
    "off there",
    "off and on there",
    "on there",
    "pause here",
    "pause there",
    "stop",
    "kill",
    "nothing",
]
ROUNDS = ["read user", "read two", "write memory", "drop memory", "ask soul", "same id", "broken", "plain", "fault"]

turn = st.tuples(
    st.sampled_from(["say", "say", "regenerate", "continue", "edit"]),
    st.sampled_from(["here", "there"]),
    st.lists(st.tuples(st.sampled_from(ROUNDS), st.sampled_from(ACTS_AT_A_HOLD)), min_size=1, max_size=3),
)
between = st.sampled_from(["on here", "off here", "on there", "off there", "resume", "drop", "nothing"])


class Judge(ScriptedProvider):
    """Keeps each request with what the switch, read from the disk anew, and the pause say when it leaves."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        self.kept: list[tuple[bool, Request]] = []
        self.unmarked: list[Request] = []  # no other process would wait for the end of these

    def marked(self) -> bool:
        try:
            self.program.app.in_flight.wait(self.program.chat.id, seconds=0)
        except MemoryInFlight:
            return True
        return False

    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        program = self.program
        on_disk = program.app.conversations._transcripts.open(program.chat.id)
        switched = [entry.memory for entry in on_disk.entries if isinstance(entry, MemorySet)]
        paused = program.app.state.read().get("paused.pet") or program.app.conversations.paused
        on = switched[-1] and not paused
        self.kept.append((on, request))
        if on and not self.marked():
            self.unmarked.append(request)
        return super().stream(request)


class Program:
    """One process with the conversation open; what it told is kept."""

    def __init__(self, folder: Path) -> None:
        self.judge = Judge(self)
        self.app: Pet = Pet(find_home(folder), environ=THINKER, provider=self.judge, channel="terminal")
        self.events: list[Event] = []
        self.app.emitter.subscribe(self.events.append, name="test")
        self.chat: LiveConversation

    def close(self) -> None:
        """Every turn that began has ended, once, also for who listens."""
        self.app.close()
        started = [event.turn for event in self.events if isinstance(event, TurnStarted)]
        assert sorted(started) == sorted(event.turn for event in self.events if isinstance(event, TurnEnded))


def round_of(name: str, number: int, known: str, hold: Hold) -> ScriptedRound:
    """``known`` is what the model can know: a canary only while memory is on."""
    kept = f"# Memory\n- {known}-memory\n- 我们约定了{known}\n"
    log = _call("read", path="memory/2026-11-20.md")
    steps: dict[str, tuple[Step, ...]] = {
        "read user": (Think(f"{known} thought"), hold, _call("read", path="USER.md")),
        "read two": (
            log,
            "and",
            hold,
            _call("write", path="x", content=known),
        ),
        "write memory": (hold, _call("write", path="MEMORY.md", content=f"{kept}- {known}-{number}\n")),
        "drop memory": ("tidy", hold, _call("write", path="MEMORY.md", content=f"- {known} and nothing else\n")),
        "ask soul": (hold, _call("write", path="SOUL.md", content=f"I am a cat {number}.\n")),
        "same id": (_call("read", path="SOUL.md"), hold, _call("read", path="MEMORY.md")),
        "broken": (hold, _call("edit", path=known), Think("")),
    }
    if name == "plain":
        return say("some", hold, " words")
    if name == "fault":
        return fail("overloaded", hold, retryable=True, retry_after=0.0)
    return calls(*steps[name])


class Tale:
    """One conversation in two programs."""

    def __init__(self, folder: Path, memory: bool) -> None:
        self.folder = folder
        self.here = Program(folder)
        self.copies: list[Path] = []
        write_files(self.here.app.store.root, FILES)
        self.here.chat = self.here.app.conversations.create(memory=memory)
        self.here.chat.keep()
        self.there = Program(folder)
        self.there.chat = self.there.app.conversations.open(self.here.chat.id)

    def gated(self) -> dict[str, bytes]:
        root = self.here.app.store.root
        return {name: (root / name).read_bytes() for name in FILES}

    def between(self, act: str) -> None:
        program = self.there if act.endswith("there") else self.here
        match act.split()[0]:
            case "on" | "off":
                program.chat.set_memory(act.startswith("on"))
            case "resume":
                for each in (self.here, self.there):
                    each.app.pause(False)
            case "drop":
                program.chat.record.drop_earlier()

    def turn(self, kind: str, where: str, script: list[tuple[str, str]]) -> None:
        program = self.there if where == "there" else self.here
        other = self.here if where == "there" else self.there
        known = CANARY if self.on(program) else "nothing"
        holds = [Hold() for _ in script]
        program.judge.queue(
            *(round_of(name, n, known, holds[n]) for n, (name, _) in enumerate(script)), say("spoken words")
        )
        turns = program.chat.folded().turns
        if kind == "say" or not turns:
            program.chat.send("hello")
        elif kind == "continue":
            program.chat.continue_turn(turns[-1].id)
        else:
            program.chat.resend(turns[-1].id, "hello again" if kind == "edit" else None)
        for hold, (_, act) in zip(holds, script, strict=True):
            if not self.reached(hold, program):
                break
            self.at_hold(act, program, other)
            hold.release()
        for hold in holds:
            hold.release()
        self.answer_all(program)
        program.judge._script.clear()  # what a turn that ended early left of it

    def on(self, program: Program) -> bool:
        return program.chat.gate.access().memory

    def reached(self, hold: Hold, program: Program) -> bool:
        """The stream stands at the hold; False: the turn ended before. Proposals on the way are allowed."""
        while program.chat.running_turn is not None:
            self.allow(program)
            with suppress(TimeoutError):
                hold.wait_reached(0.005)
                return True
        return hold._reached.is_set() and program.chat.running_turn is not None

    def answer_all(self, program: Program) -> None:
        while program.chat.running_turn is not None:
            self.allow(program)
            with suppress(TimeoutError):
                program.chat.wait(0.005)

    def allow(self, program: Program) -> None:
        for proposal in program.chat.proposals.list_open():
            with suppress(UnknownProposal):
                program.chat.answer(proposal.id, Allowed(text=proposal.after, edited=False))

    def at_hold(self, act: str, program: Program, other: Program) -> None:
        match act:
            case "off here":
                program.chat.set_memory(False)
            case "off there":
                other.chat.set_memory(False)
            case "off and on there":
                other.chat.set_memory(False)
                other.chat.set_memory(True)
            case "on there":
                other.chat.set_memory(True)
            case "pause here":
                program.app.pause(True)
            case "pause there":
                other.app.pause(True)
            case "stop":
                program.chat.stop()
            case "kill":
                copy = self.folder.with_name(f"{self.folder.name}-{len(self.copies)}")
                shutil.copytree(self.folder, copy)
                self.copies.append(copy)

    def close(self) -> list[tuple[bool, Request]]:
        kept: list[tuple[bool, Request]] = []
        for program in (self.here, self.there):
            program.close()
            kept += program.judge.kept
            carry = [json.dumps(encode_request(each), ensure_ascii=False) for each in program.judge.unmarked]
            assert not [text for text in carry if CANARY in text]
        return kept


def after_a_kill(copy: Path, conversation: str) -> list[tuple[bool, Request]]:
    """What the next start sends from what a kill left: first as the switch stands, then OFF."""
    program = Program(copy)
    program.chat = program.app.conversations.open(conversation)
    try:
        for memory in (program.chat.gate.switched_on, False):
            program.chat.set_memory(memory)
            program.judge.queue(say("up again"))
            program.chat.send("are you there?")
            program.chat.wait(60)
    finally:
        program.close()
    return program.judge.kept


def assert_an_api_takes_it(request: Request) -> None:
    """Roles alternate from the user's on, nothing is empty, every call has its one result right behind it."""
    messages = encode_request(request)["messages"]
    assert [each["role"] for each in messages] == [("user", "assistant")[n % 2] for n in range(len(messages))]
    assert messages[-1]["role"] == "user"
    open_calls: list[str] = []
    for message in messages:
        blocks = message["content"]
        assert blocks
        assert all(block["text"].strip() for block in blocks if block["type"] == "text")
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert results == open_calls
        assert [block["type"] for block in blocks[: len(results)]] == ["tool_result"] * len(results)
        open_calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert len(set(open_calls)) == len(open_calls)
    assert not open_calls


@settings(max_examples=examples(60))
@given(memory=st.booleans(), tale=st.lists(st.tuples(between, turn), min_size=1, max_size=4))
def test_no_canary_leaves_whoever_flips_the_switch_and_whenever(
    memory: bool, tale: list[tuple[str, tuple[str, str, list[tuple[str, str]]]]]
) -> None:
    with tempfile.TemporaryDirectory() as top:
        told = Tale(Path(top, "home"), memory)
        try:
            for act, (kind, where, script) in tale:
                told.between(act)
                told.turn(kind, where, script)
        finally:
            kept = told.close()
        for copy in told.copies:
            kept += after_a_kill(copy, told.here.chat.id)
    for on, request in kept:
        assert_an_api_takes_it(request)
        if not on:
            text = json.dumps(encode_request(request), ensure_ascii=False)
            assert CANARY not in text
            assert "USER.md" not in json.dumps([tool.schema for tool in request.tools], default=str)


@settings(max_examples=examples(40))
@given(
    act=st.sampled_from(["off here", "off there", "off and on there", "pause here", "pause there", "stop"]),
    name=st.sampled_from(["write memory", "drop memory", "ask soul", "read two"]),
    before=st.lists(st.sampled_from(["plain", "read user"]), max_size=1),
)
def test_nothing_is_written_after_off_or_stop(act: str, name: str, before: list[str]) -> None:
    """The call was decided on before; its file is what it was when the owner said no."""
    with tempfile.TemporaryDirectory() as top:
        told = Tale(Path(top, "home"), memory=True)
        try:
            soul = told.here.app.store.root / "SOUL.md"
            was = {**told.gated(), "SOUL.md": soul.read_bytes()}
            told.turn("say", "here", [*((each, "nothing") for each in before), (name, act)])
            if "plain" not in before:
                assert {**told.gated(), "SOUL.md": soul.read_bytes()} == was
        finally:
            told.close()
